"""What a report says of the answers that were not read."""

from dataclasses import replace

from vhbench.benchmarks import task, tasks
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


def test_the_listing_has_the_responses_of_some_kinds_whole() -> None:
    lost, refused, read = answers("yes", 1, 1)[1], answers("no", 0, 1, failure="refused")[0], answers("yes", 1, 0)[0]
    cut = replace(read, id="cut", cut_off=True, prediction="no")
    listed = [*unparsed.rows("ode_x", [lost, refused, read, cut], ["unparsed", "cut_off"])]
    assert [(row["id"], row["why"], row["cut_off"]) for row in listed] == [
        ("yes-001", "unparsed", False),
        ("cut", "cut_off", True),
    ]
    assert [*listed[0]] == [*unparsed.COLUMNS]
    assert (listed[0]["task"], listed[0]["response"], listed[0]["answer"]) == ("ode_x", lost.response, "yes")
    assert [row["why"] for row in unparsed.rows("", [lost, refused, read, cut], ["refused"])] == ["refused"]
    assert [*unparsed.rows("", [lost, refused, read, cut], [])] == []


def test_captions_need_no_prediction_and_the_reason_is_that_of_the_fault() -> None:
    assert unparsed.kind_of(Record("q", kind="caption")) == ""
    assert unparsed.kind_of(Record("q", kind="caption", failure="failed")) == "failed"
    assert unparsed.kind_of(Record("q", cut_off=True)) == "cut_off"
    assert unparsed.kind_of(Record("q", failure="refused", cut_off=True)) == "refused"


def test_a_long_text_keeps_its_ends() -> None:
    assert unparsed.shortened("abcdefghij", 10) == "abcdefghij"
    assert unparsed.shortened("abcdefghijk", 10) == "abcd … ijk"
    assert unparsed.shortened("abcdefghijk", 9) == "abc … ijk"


def test_the_warning_adjusts_its_p_value_for_the_tasks_of_the_benchmark() -> None:
    [first, second] = (
        unparsed.summary([*answers("yes", 100 - n, n), *answers("no", 100, 0)], ["given"])["warnings"] for n in (40, 1)
    )
    tasks_of_ode = sum(task.family is not None and not task.variants for task in tasks("ode").values())
    assert first[0] == "given"
    assert f"adjusted for {tasks_of_ode} tasks): scores are biased towards the answer that is parsed" in first[1]
    assert second == ["given"]
    assert unparsed.summary(answers("yes", 60, 40))["warnings"] == []  # one answer alone
