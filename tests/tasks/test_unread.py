"""What a report says of the answers that were not read."""

import pytest
from scipy.stats import fisher_exact

from vhbench.benchmarks import task
from vhbench.schema import Record
from vhbench.tasks import report, unread


def answers(right: str, read: int, lost: int, **why: str) -> list[Record]:
    return [
        Record(
            f"{right}-{place:03}", benchmark="ode", kind="yes_no", question="Is there a dog?", answer=right,
            prediction=right if place < read else "", response=right if place < read else "Look and see: a dog " * 40,
            scene_ids=(f"s{place}",), **why if place >= read else {},  # type: ignore[arg-type]
        )
        for place in range(read + lost)
    ]  # fmt: skip


def test_unread_answers_are_counted_by_right_answer_and_shown() -> None:
    records = [*answers("yes", 8, 2), *answers("no", 9, 1, failure="refused")]
    found = report.grid(records, task("ode_random_existence"))["unread"]
    assert found["by_answer"] == {
        "no": {"n": 10, "unparsed": 0, "failed": 0, "refused": 1},
        "yes": {"n": 10, "unparsed": 2, "failed": 0, "refused": 0},
    }
    assert [example["id"] for example in found["examples"]["unparsed"]] == ["yes-008", "yes-009"]
    [example] = found["examples"]["refused"]
    assert (example["question"], example["answer"]) == ("Is there a dog?", "no")
    assert len(example["response"]) == 300
    assert found["warnings"] == []


def test_answers_that_are_read_unequally_are_warned_of() -> None:
    [warning] = unread.summary([*answers("yes", 60, 40), *answers("no", 100, 0)])["warnings"]
    assert warning.startswith("not read were 40 of 100 whose answer is yes and 0 of 100 whose answer is no (p = ")


def test_at_most_ten_are_shown() -> None:
    assert len(unread.summary(answers("yes", 0, 30))["examples"]["unparsed"]) == 10


@pytest.mark.parametrize("table", [(1, 10, 11, 14), (0, 7, 0, 9), (5, 5, 0, 5), (300, 5000, 401, 5000), (3, 3, 2, 2)])
def test_the_test_is_fishers(table: tuple[int, int, int, int]) -> None:
    a, m, b, n = table
    assert unread.fisher(a, m, b, n) == pytest.approx(fisher_exact([[a, m - a], [b, n - b]]).pvalue)
