"""What a report says of the answers that were not read."""

from dataclasses import replace

from vhbench.benchmarks import task
from vhbench.schema import Record
from vhbench.seeding import rng
from vhbench.tasks import report, unparsed


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
        "no": {"n": 10, "unparsed": 0, "abstained": 0, "cut_off": 0, "failed": 0, "refused": 1},
        "yes": {"n": 10, "unparsed": 2, "abstained": 0, "cut_off": 0, "failed": 0, "refused": 0},
    }
    assert [example["id"] for example in found["examples"]["unparsed"]] == ["yes-008", "yes-009"]
    [example] = found["examples"]["refused"]
    assert (example["question"], example["answer"]) == ("Is there a dog?", "no")
    assert len(example["response"]) == 300
    assert found["warnings"] == []


def test_answers_that_are_read_unequally_are_warned_of() -> None:
    [warning] = unparsed.summary([*answers("yes", 60, 40), *answers("no", 100, 0)])["warnings"]
    assert warning.startswith(
        "without a prediction: 40 of 100 whose answer is yes and 0 of 100 whose answer is no (p = "
    )


def test_at_most_ten_are_shown() -> None:
    assert len(unparsed.summary(answers("yes", 0, 30))["examples"]["unparsed"]) == 10


def test_a_model_that_loses_answers_by_chance_is_not_warned_of_and_an_image_counts_once() -> None:
    warned = 0
    for seed in range(100):
        random = rng(seed, "lost")
        both = [*answers("yes", 100, 0), *answers("no", 100, 0)]
        kept = [replace(one, prediction="" if random.random() < 0.2 else one.answer) for one in both]
        warned += bool(unparsed.summary(kept)["warnings"])
    assert warned <= 1, "fewer than 5 in a hundred of all tasks of the benchmark together"
    same = [replace(one, scene_ids=("one",)) for one in (*answers("yes", 60, 40), *answers("no", 100, 0))]
    assert unparsed.summary(same)["warnings"] == []
