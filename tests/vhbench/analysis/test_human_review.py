"""People's judgments: the page, the files that it saves, and the majority."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from vhbench import splits
from vhbench.analysis import human_review
from vhbench.schema import Question, Row, VhbenchError


def named(votes: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    return {str(number): said for number, said in enumerate(votes)}


def test_majority_votes_by_hand() -> None:
    answers = {"q1": "A", "q2": "A", "q3": "yes"}
    votes = [
        {"q1": "A", "q2": "B", "q3": "yes"},
        {"q1": "A", "q2": "B", "q3": "no"},
        {"q1": "C", "q2": "A", "q3": "unclear"},
    ]
    verdict = human_review.tally(named(votes), answers)
    assert verdict["kept"] == ["q1"]
    assert [(d["id"], d["why"]) for d in verdict["dropped"]] == [("q2", "majority says B"), ("q3", "no majority")]
    assert verdict["agreement"] == 4 / 9
    halves = human_review.tally(named([{"q1": "A"}, {"q1": "B"}]), {"q1": "A"})
    assert [d["why"] for d in halves["dropped"]] == ["no majority"]


def test_a_question_that_too_few_have_judged_is_not_kept() -> None:
    votes = [{"q1": "yes", "q2": "yes"}, {"q1": "yes"}, {}]
    verdict = human_review.tally(named(votes), {"q1": "yes", "q2": "yes"})
    assert verdict["kept"] == ["q1"]
    assert [d["why"] for d in verdict["dropped"]] == ["judged by 1 of 3"]
    half = human_review.tally(named(votes[1:]), {"q1": "yes"})
    assert [d["why"] for d in half["dropped"]] == ["judged by 1 of 2"]


def test_kappa_of_the_worked_example() -> None:
    """Ten subjects, fourteen raters, five categories: the example of Wikipedia's article, κ = 0.210."""
    counts = ["0 0 0 0 14", "0 2 6 4 2", "0 0 3 5 6", "0 3 9 2 0", "2 2 8 1 1", "7 7 0 0 0", "3 2 6 3 0", "2 5 3 2 2",
              "6 5 2 1 0", "0 2 2 3 7"]  # fmt: skip
    ratings = [
        [letter for letter, n in zip("ABCDE", row.split(), strict=True) for _ in range(int(n))] for row in counts
    ]
    kappa = human_review.fleiss_kappa(ratings)
    assert kappa is not None
    assert round(kappa, 3) == 0.21


@given(st.lists(st.lists(st.sampled_from("AB"), min_size=3, max_size=3), min_size=1, max_size=9))
def test_kappa_is_at_most_one_and_one_only_where_all_agree(ratings: list[list[str]]) -> None:
    kappa = human_review.fleiss_kappa(ratings)
    everyone = all(len(set(values)) == 1 for values in ratings)
    if len({value for values in ratings for value in values}) == 1:
        assert kappa is None
    else:
        assert kappa is not None
        assert -1 <= kappa <= 1
        assert (kappa == 1) == everyone


def test_the_tally_tells_who_agreed() -> None:
    answers = {"q1": "A", "q2": "A"}
    votes = [{"q1": "A", "q2": "B"}, {"q1": "A", "q2": "B"}, {"q1": "A"}]
    assert human_review.tally(named(votes), answers)["kappa"] is None  # of one question that all have judged alike
    assert human_review.tally(named(votes[:2]), answers)["kappa"] == 1
    shares = human_review.tally(named(votes), answers)["by_annotator"]
    assert shares == {
        name: {"judged": judged, "as_the_split": 1} for name, judged in zip("012", (2, 2, 1), strict=True)
    }


def test_judgments_of_another_split_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ann.json"
    path.write_text('{"hash": "other", "judgments": {"q": "A"}}')
    with pytest.raises(VhbenchError, match="another content hash"):
        human_review.read_judgments([path], "mine")
    path.write_text('{"hash": "mine", "judgments": {"q": "F"}}')
    with pytest.raises(VhbenchError, match="question q: expected a judgment of yes, no, A"):
        human_review.read_judgments([path], "mine")


def test_nobody_votes_twice(tmp_path: Path) -> None:
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text('{"hash": "mine", "annotator": "ann", "judgments": {"q": "A"}}')
    with pytest.raises(VhbenchError, match=r"two.json: annotator 'ann' has judged in .*one.json already"):
        human_review.read_judgments([tmp_path / "one.json", tmp_path / "two.json"], "mine")


def test_a_file_without_a_name_counts_once(tmp_path: Path) -> None:
    one, two, three = (tmp_path / f"{name}.json" for name in ("one", "two", "three"))
    for path in (one, two):
        path.write_text('{"hash": "mine", "judgments": {"q": "A"}}')
    three.write_text('{"hash": "mine", "judgments": {"q": "B"}}')
    with pytest.raises(VhbenchError, match=r"one.json: has the same content as .*one.json; needed: one file"):
        human_review.read_judgments([one, tmp_path / ".." / tmp_path.name / "one.json"], "mine")
    with pytest.raises(VhbenchError, match=r"two.json: has the same content as .*one.json; needed: one file for each"):
        human_review.read_judgments([one, two], "mine")
    assert list(human_review.read_judgments([one, three], "mine").values()) == [{"q": "A"}, {"q": "B"}]


def saved(folder: Path, name: str, part: int, **judgments: str) -> Path:
    path = folder / f"{name}-{part}.json"
    path.write_text(json.dumps({"hash": "mine", "part": part, "annotator": name, "judgments": judgments}))
    return path


def test_an_annotator_may_save_each_part(tmp_path: Path) -> None:
    ann, again = saved(tmp_path, "ann", 1, q="A"), saved(tmp_path, "ann", 2, p="no", q="A")
    bob = saved(tmp_path, "bob", 1, q="B")
    votes = human_review.read_judgments([ann, bob, again], "mine")
    assert votes == {"ann": {"q": "A", "p": "no"}, "bob": {"q": "B"}}


def test_parts_of_one_annotator_may_not_differ(tmp_path: Path) -> None:
    one, two = saved(tmp_path, "ann", 1, q="A"), saved(tmp_path, "ann", 2, q="B")
    with pytest.raises(VhbenchError, match=r"ann-2\.json: question q: 'ann' says B here and A in another part"):
        human_review.read_judgments([one, two], "mine")


def test_twins_are_judged_by_their_words_and_wordings_take_turns() -> None:
    def row(case: int, wording: str, *, negated: bool, perturbation: str = "") -> Question:
        name = "/".join(filter(None, (f"q{case}", perturbation, "negated" * negated)))
        text = f"Is it {'not ' * negated}{case % 3}?"
        return Question(
            name, images=(b"\x89PNG",), question=text, answer="no" if negated else "yes", kind="yes_no",
            benchmark="vhexpansion", pair_id=f"q{case}", negated=negated, mode=wording, perturbation=perturbation,
        )  # fmt: skip

    wordings = ("natural", "wrapped", "natural")
    rows = [row(i, wordings[i % 3], negated=half) for i in range(6) for half in (False, True)]
    rows += [row(9, "natural", negated=half, perturbation="brightness") for half in (False, True)]
    found = human_review.twins(rows, 10)
    assert sorted(q.question.split("\n")[2] for q in found) == ["2. Is it not 0?", "2. Is it not 1?", "2. Is it not 2?"]
    assert {q.answer for q in found} == {"yes"}
    assert {q.mode for q in found[:2]} == {"natural", "wrapped"}
    assert human_review.twins(rows, 10) == found
    assert len(human_review.twins(rows, 2, seed=1)) == 2
    assert human_review.of_twins("hash") != "hash"


def test_the_seed_decides_which_photos_are_reviewed(tmp_path: Path) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (8, 8)).save(picture, "PNG")
    rows = [
        Row("mioh_easy", Question(f"q{i}", images=(picture.getvalue(),), question="Is there a dog?", answer="yes",
                                  kind="yes_no", benchmark="mioh", source="coco", task="position", objects=("dog",)))
        for i in range(12)
    ]  # fmt: skip
    splits.write_split(tmp_path / "mioh", rows, benchmark="mioh", version="1.0.0", seed=3, config={})
    first, second, third = (
        {q.id for q in human_review.disputed_first(tmp_path / "mioh", None, 4, seed)} for seed in range(3)
    )
    assert len(first) == len(second) == len(third) == 4
    assert not first & second
    assert not second & third
