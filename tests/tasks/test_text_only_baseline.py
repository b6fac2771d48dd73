"""What the text of a question gives away is measured on a split of another seed."""

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from vhbench import splits
from vhbench.images import to_png
from vhbench.schema import Question, Record, Row
from vhbench.statistics.intervals import Interval
from vhbench.tasks import text_only_baseline
from vhbench.tasks.text_only import TextOnlyBaseline
from vhbench.tasks.text_only_baseline import ALL, across_seeds, baseline_sentences, of_questions, overall

IMAGE = to_png(Image.new("RGB", (8, 8)))


def write(folder: Path, *asked: tuple[str, tuple[str, ...], str]) -> Path:
    rows = [
        Row(
            "mioh_easy",
            Question(
                f"q{n}", images=(IMAGE,), scene_ids=(f"s{n}",), benchmark="mioh", question=text, choices=choices,
                answer=answer, kind="multiple_choice" if choices else "yes_no", question_type="C1",
            ),
        )
        for n, (text, choices, answer) in enumerate(asked)
    ]  # fmt: skip
    splits.write_split(folder / "mioh", rows, benchmark="mioh", version="1.0.0", seed=0, config={})
    return folder / "mioh"


def test_the_most_frequent_answer_to_a_text_is_an_options_text_and_not_its_letter(tmp_path: Path) -> None:
    other = write(tmp_path / "other", ("How many?", ("1", "2", "3"), "A"), ("Red?", (), "no"), ("Big?", (), "yes"))
    split = write(
        tmp_path / "split",
        ("How many?", ("3", "1", "2"), "B"),  # "1" again, at another letter: correct
        ("How many?", ("3", "2", "4"), "A"),  # "1" is no option: a third
        ("Red?", (), "yes"),  # "no" was learnt: wrong
        ("New?", (), "yes"),  # a new text: a half
    )
    header, every, _ = across_seeds(split, other)
    assert header == ("subset", "questions", "majority answer per text, from another seed")
    assert every == ("all questions", "4", f"{100 * (1 + 1 / 3 + 0 + 1 / 2) / 4:.1f} %")


def test_questions_and_pairs_have_baselines_of_their_own() -> None:
    """A twin's answer follows from its text; a question's does not, and a pair needs both."""
    asked = [
        Record(
            f"{'n' if negated else 'q'}{image:02}", scene_ids=(f"s{image}",), benchmark="vhexpansion", kind="yes_no",
            pair_id=f"p{image:02}", negated=negated, answer="no" if negated else ("yes", "no")[image % 2],
            question="Is there no dog?" if negated else "Is there a dog?",
        )
        for image in range(40)
        for negated in (False, True)
    ]  # fmt: skip
    every, pairs = overall(asked, pairs=False), overall(asked, pairs=True)
    assert every
    assert pairs
    assert (every.n, every.chance, every.leaks_answers) == (80, 0.5, True)
    assert (pairs.n, pairs.chance) == (40, 0.5)
    twins_alone = of_questions([record for record in asked if record.negated])[ALL]
    assert (twins_alone.value, twins_alone.leaks_answers) == (1.0, True)
    originals = of_questions([record for record in asked if not record.negated])[ALL]
    assert originals.leaks_answers is False


def test_an_interval_is_told_if_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    floor = TextOnlyBaseline(1200, 0.6126, Interval(0.55, 0.6704, ""), 0.5, "words", leaks_answers=True)
    floors = {ALL: floor, "few": replace(floor, n=3, interval=None)}
    monkeypatch.setattr(text_only_baseline, "of_split", lambda directory: floors)
    assert text_only_baseline.table(tmp_path) == [
        ["all questions", "1,200", "50.0", "61.3 [55.0, 67.0]"],
        ["few", "3", "50.0", "61.3"],
    ]


def test_a_baseline_above_chance_is_told_with_its_cell() -> None:
    floor = {"text_only_baseline": 61.26, "interval": [55.0, 67.04], "chance": 50.0, "leaks_answers": True}
    cells = {"hp": floor, "hn": floor | {"leaks_answers": False}, "ni": floor | {"interval": None, "chance": 33.333}}
    assert list(baseline_sentences(cells)) == [
        "Text-only baseline above chance, hp: 61.3 %, 95 % CI [55.0, 67.0], chance 50.0 %",
        "Text-only baseline above chance, ni: 61.3 %, no CI (one cluster), chance 33.3 %",
    ]


def test_a_split_has_one_line_for_all_and_one_for_each_subset_that_leaks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    floor = TextOnlyBaseline(1200, 0.6126, Interval(0.55, 0.6704, ""), 0.5, "words", leaks_answers=True)
    floors = {ALL: floor, "task hp": replace(floor, n=1300), "task hn": replace(floor, leaks_answers=False)}
    monkeypatch.setattr(text_only_baseline, "of_split", lambda directory: floors)
    assert list(text_only_baseline.sentences(tmp_path)) == [
        "61.3 [55.0, 67.0] %, chance 50.0 %",
        "61.3 [55.0, 67.0] % in task hp, chance 50.0 %, n = 1,300",
    ]
    monkeypatch.setattr(text_only_baseline, "of_split", lambda directory: {})
    few = f"n/a (fewer than {text_only_baseline.LEAST_CLUSTERS} clusters)"
    assert list(text_only_baseline.sentences(tmp_path)) == [few]


def test_a_split_of_too_few_clusters_has_no_baseline(tmp_path: Path) -> None:
    assert text_only_baseline.of_split(write(tmp_path, ("Red?", (), "no"), ("Big?", (), "yes"))) == {}


def test_repetitions_count_once_and_subsets_have_names() -> None:
    asked = [
        Record(
            f"{again}q{image:02}", scene_ids=(f"s{image}",), benchmark="ode", kind="yes_no",
            task=("one", "two")[image % 2], criterion="fictional", answer=("yes", "no")[image // 2 % 2],
            question="Is there a dog?",
        )
        for image in range(80)
        for again in ("", "2#")
    ]  # fmt: skip
    found = of_questions(asked)
    assert {name: floor.n for name, floor in found.items()} == {
        name: floor.n for name, floor in of_questions(asked[::2]).items()
    }
    assert [*found] == [ALL, "task one", "task two"]  # all are fictional: no subset of its own
    in_percent = text_only_baseline.of_records(asked[::2])
    assert in_percent == {name: floor.in_percent() for name, floor in found.items()}
