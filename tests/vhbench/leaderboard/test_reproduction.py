"""Which entries are reproduced: honest, noisy, other models, forged."""

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from board_entries import enter
from running import Done
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.leaderboard import reproducing
from vhbench.leaderboard.boards import Board
from vhbench.leaderboard.entries import BoardEntry, stored
from vhbench.leaderboard.question_index import QuestionIndex
from vhbench.leaderboard.reproducing import draw, reproduce
from vhbench.leaderboard.reproduction import (
    OPEN,
    REJECTED,
    REPRODUCED,
    Answered,
    judge,
    read_verdict,
    tier_of,
    write_verdict,
)
from vhbench.leaderboard.validating import check_entry
from vhbench.provenance import DataSource, Provenance
from vhbench.seeding import rng
from vhbench.tasks import datasets

KINDS = np.array(["A", "B", "C", "D"])


def model(number: int, questions: int, skill: float) -> np.ndarray:
    """Return the greedy answers of a model, of which "A" is right."""
    random = rng(5, "model", number)
    return np.where(random.random(questions) < skill, "A", KINDS[random.integers(1, 4, questions)])


def said(greedy: np.ndarray, flips: float, *key: object) -> Answered:
    """Return a run: some of the answers are drawn anew."""
    random = rng(6, *map(str, key))
    words = np.where(random.random(len(greedy)) < flips, KINDS[random.integers(0, 4, len(greedy))], greedy)
    return Answered(words.tolist(), (words == "A").tolist())


@pytest.mark.parametrize(
    ("flips", "same_machine"), [(0.0, True), (0.02, True), (0.04, True), (0.02, False), (0.15, False), (0.4, False)]
)
def test_honest_pairs_are_not_accused(flips: float, same_machine: bool) -> None:
    """Greedy decoding changes with the hardware, which the two new runs share; noisy decoding changes in all runs."""
    verdicts = []
    for number in range(200):
        greedy = model(number, 100, 0.5 + number % 50 / 100)
        again = (0.0, 0.0) if same_machine else (flips, flips)
        runs = [said(greedy, one, number, run, flips) for run, one in enumerate((flips, *again))]
        verdicts.append(judge(*runs).verdict)
    assert verdicts.count(REJECTED) <= 2
    if flips <= 0.02:
        assert verdicts.count(REPRODUCED) >= 196


@pytest.mark.parametrize("flips", [0.02, 0.15, 0.25])
def test_captions_that_other_hardware_words_differently_are_not_accused(flips: float) -> None:
    """A word changes the rest of a caption, and with it its objects."""
    verdicts, other = [], []
    for number in range(200):
        greedy = model(number, 100, 0.5 + number % 50 / 100)
        runs = [replace(said(greedy, one, number, run), hardware=0.3) for run, one in enumerate((flips, 0.0, 0.0))]
        verdicts.append(judge(*runs).verdict)
        unlike = said(KINDS[rng(8, str(number)).integers(0, 4, 100)], 0.0, number)
        other.append(judge(replace(unlike, hardware=0.3), *runs[1:]).verdict)
    assert verdicts.count(REJECTED) <= 2
    assert other.count(REJECTED) >= 196


def test_wording_is_no_difference(editions: dict[str, QuestionIndex]) -> None:
    asked = editions["ode-2.0.0"]
    captions = [place for place, row in enumerate(asked.rows) if row["kind"] == "caption"][:10]
    others = [place for place, row in enumerate(asked.rows) if row["kind"] != "caption"][:30]
    sample, said = asked.at(captions + others), []
    for form in ("{} in a picture.", "There is {}!"):
        shown = [form.format(" and ".join(row["objects"])) for row in sample.rows[:10]]
        said.append(Answered.of(sample, shown + [form.format(f"nothing that one could {form[3:5]}")] * 30))
    assert said[0] == said[1]
    assert said[0].hardware == pytest.approx(0.05 * 0.75 + 0.3 * 0.25)
    fewer = Answered.of(sample, ["A picture."] * 10 + ["yes"] * 30)
    assert not set(enumerate(fewer.meanings)) & set(enumerate(said[0].meanings))


def test_other_models_and_forged_entries_are_not_reproduced() -> None:
    other, forged = [], []
    for number in range(100):
        greedy = model(number, 100, 0.7)
        runs = [said(greedy, 0.01, number, run) for run in range(2)]
        other.append(judge(said(model(1000 + number, 100, 0.7), 0.0, number), *runs).verdict)
        better = np.where(rng(7, str(number)).random(100) < 0.6, "A", greedy)  # wrong answers that became right
        forged.append(judge(said(better, 0.0, number), *runs).verdict)
    assert other.count(REJECTED) >= 99
    assert forged.count(REJECTED) >= 90
    assert REPRODUCED not in forged + other


def test_a_noisy_entry_of_a_greedy_model_is_not_reproduced() -> None:
    greedy = model(1, 300, 0.7)
    runs = [said(greedy, 0.0, run) for run in range(2)]
    assert judge(said(greedy, 0.3, "noisy"), *runs).verdict == REJECTED


def test_the_verdict_has_the_numbers_behind_it() -> None:
    runs = [
        Answered(list(words), [word == "A" for word in words]) for words in ("AAAAAAAAAB", "AAAAAAAAAA", "AAAAAAAAAA")
    ]
    told = judge(*runs, digest="x")
    assert (told.sample, told.agreement, told.expected, told.entry) == (10, 90.0, 100.0, "x")
    assert told.interval[0] < 90 < told.interval[1]
    assert told.verdict == OPEN  # ten questions are too few


def test_a_verdict_is_void_for_another_model_card_or_provenance(
    board: Board, editions: dict[str, QuestionIndex]
) -> None:
    enter(board, editions["mioh-2.0.0"], "Aster", lambda row: "A", parameters=7)
    place = stored(board, "aster", editions["mioh-2.0.0"].edition)
    entry = place.read()
    write_verdict(place, judge(*[Answered(["A"] * 99, [True] * 99)] * 3, digest=entry.digest))
    about = {"benchmark": "mioh", "version": "2.0.0", "content_hash": "", "data": DataSource(kind="starter")}
    run = Provenance(task="mioh_hp", vhbench="2.0.0", lmms_eval="0.7.3", **about)  # type: ignore[arg-type]
    card: list[dict[str, Any]] = [
        {"name": "Aster 2"},
        {"organisation": "Lab"},
        {"parameters": 8},
        {"open_weights": True},
    ]
    for change in [*card, {"note": "x"}, {"answers": "0"}, {"repeats": 2}, {"provenance": (run,)}]:
        assert tier_of(place, replace(entry, **change), complete=False) == "self-reported"
    unchanged: list[dict[str, Any]] = [{}, {"scorer": "9.0.0"}, {"scores": {}}]
    for same in unchanged:
        assert tier_of(place, replace(entry, **same), complete=False) == REPRODUCED


def test_the_sample_depends_on_the_seed_and_spreads_over_clusters(editions: dict[str, QuestionIndex]) -> None:
    asked = editions["mioh-2.0.0"]
    one, other = draw(asked, 50, 1), draw(asked, 50, 2)
    assert one == draw(asked, 50, 1)
    assert one != other
    clusters = asked.main.clusters.numbers
    assert len(set(clusters[one].tolist())) == min(50, len(set(clusters.tolist())))


@pytest.mark.parametrize(("recorded", "asked"), [(("mioh",), ["mioh"]), (("mioh_selective",), None), ((), None)])
def test_all_tasks_are_asked_where_the_provenance_has_some(
    editions: dict[str, QuestionIndex],
    monkeypatch: pytest.MonkeyPatch,
    recorded: tuple[str, ...],
    asked: list[str] | None,
) -> None:
    questions, tasks = editions["mioh-2.0.0"], list[list[str]]()
    monkeypatch.setattr(reproducing, "_run", lambda folder, name, names, *_: tasks.append(names))
    monkeypatch.setattr(reproducing, "_answers", lambda *_: [])
    about = {"benchmark": "mioh", "version": "2.0.0", "content_hash": "", "data": DataSource(kind="starter")}
    runs = tuple(Provenance(task=task, vhbench="2.0.0", lmms_eval="0.7.3", **about) for task in recorded)  # type: ignore[arg-type]
    entry = BoardEntry(name="A", benchmark="mioh", version="2.0.0", content_hash="", answers="", provenance=runs)
    places = draw(questions, 30, 1)
    reproducing.ask(questions, places, entry, "hf", "")
    assert tasks == [asked or sorted({questions.configs[place] for place in places})] * 2


@pytest.mark.parametrize(("forged", "verdict"), [(False, REPRODUCED), (True, REJECTED)])
def test_all_repetitions_are_compared_with_new_runs(
    board: Board,
    editions: dict[str, QuestionIndex],
    sources: dict[str, Path],
    monkeypatch: pytest.MonkeyPatch,
    forged: bool,
    verdict: str,
) -> None:
    """Sampled at a temperature, a model's second repetition differs, but is none of the reference answers."""
    asked = editions["vhexpansion-2.0.0"]
    first = asked.rows[0]

    def say(run: int, row: Mapping[str, Any]) -> str:
        usual = rng(9, row["id"]).random() < 0.5
        return "yes" if usual != (rng(9, row["id"], str(run)).random() < 0.1) else "no"

    def forge(row: Mapping[str, Any]) -> str:
        """Answer one question incorrectly: a copy of all reference answers is not accepted."""
        wrong = "no" if first["answer"] == "yes" else "yes"
        return wrong if row["id"] == first["id"] else row["answer"]

    enter(
        board,
        asked,
        "A",
        lambda row: say(0, row),
        again=forge if forged else lambda row: say(1, row),
    )
    monkeypatch.setattr(
        reproducing,
        "ask",
        lambda questions, places, *_: [[say(run, questions.rows[at]) for at in places] for run in (2, 3)],
    )
    for seed in range(5):
        told, _ = reproduce(board, sources, f"a/{asked.edition.name}", sample=200, seed=seed, model="hf", model_args="")
        assert told.verdict == verdict


@pytest.fixture
def no_starts(lmms_eval: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """Run lmms-eval in this process, which spares its start of ten seconds; returns the commands."""
    commands = list[Sequence[str]]()

    def run(command: Sequence[str], *, env: Mapping[str, str], **_: Any) -> "subprocess.CompletedProcess[str]":
        commands.append(command)
        datasets.resolve.cache_clear()
        with pytest.MonkeyPatch.context() as patch:
            for name in ("VHBENCH_DATA", "VHBENCH_RELEASE"):
                patch.setenv(name, env[name])
            done = lmms_eval(*command[3:])
        datasets.resolve.cache_clear()
        return subprocess.CompletedProcess(list(command), done.code, done.out, done.err)

    monkeypatch.setattr(reproducing, "subprocess", SimpleNamespace(run=run))
    return commands


def test_a_model_is_asked_again_through_lmms_eval(
    board: Board, editions: dict[str, QuestionIndex], sources: dict[str, Path], no_starts: list[Sequence[str]]
) -> None:
    """An entry that the model did not give, and one that it gave."""
    asked, tier = editions["vhexpansion-2.0.0"], dict[str, str]()
    named = [word for folder in sources.values() for word in ("--splits", str(folder))]
    for name, say in (("Yes sayer", lambda row: "Yes."), ("Liar", lambda row: row["answer"])):
        enter(board, asked, name, say, reference="made up")
        place = stored(board, name.lower().replace(" ", "-"), asked.edition)
        words = ["leaderboard", "reproduce", place.title, "--board", str(board.folder), *named]
        done = CliRunner().invoke(app, [*words, "--model", "vhbench_yes", "--sample", "40", "--seed", "1"])
        assert done.exit_code == 0, (done.output, done.exception)
        tier[name] = check_entry(place, asked.source, board.rules, keep=False).tier
        told = read_verdict(place)
        assert told is not None
        assert (told.sample, told.seed, told.expected) == (40, 1, 100.0)
    assert tier == {"Yes sayer": "reproduced", "Liar": "not reproduced"}
    assert [command[:3] for command in no_starts] == [[sys.executable, "-m", "lmms_eval"]] * 4
