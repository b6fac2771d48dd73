"""Two runs on the same questions, worked by hand: what differs, what is claimed, and what is refused."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.compare import differences, tables
from vhbench.compare.differences import RunComparison
from vhbench.compare.scored_runs import ScoredRun, measure
from vhbench.compare.scoring import Group
from vhbench.schema import Record, VhbenchError
from vhbench.seeding import rng
from vhbench.statistics import sums as adding_up
from vhbench.statistics.clustering import Clustering
from vhbench.tasks.metrics import registry
from vhbench.tasks.metrics.metric import Count, Metric

COMPARED = [metric.name for metric in registry.YES_NO if metric.compared and metric is not registry.TOKENS]
EXISTENCE = Group("ode_fictional_existence", "ode", "yes_no")
PAIRS = Group("vhexpansion_ode", "vhexpansion", "pairs")


def answers(said: Sequence[bool], **more: Any) -> list[Record]:
    """Existence questions, a yes and a no about each image; ``said`` tells which are answered rightly."""
    found = []
    for place, right in enumerate(said):
        answer = ("yes", "no")[place % 2]
        wrong = ("no", "yes")[place % 2]
        asked: dict[str, Any] = {"benchmark": "ode", "kind": "yes_no", "criterion": "fictional", "task": "existence"}
        asked |= {"pairing": "entity-entity", "question_type": "existence", "scene_ids": (f"s{place // 2:02}",)}
        asked |= {"question": f"Is there thing {place}?", "answer": answer, "prediction": answer if right else wrong}
        found.append(Record(f"q{place:02}", **{**asked, **more}))
    return found


def run(name: str, records: Sequence[Record], group: Group = EXISTENCE) -> ScoredRun:
    return ScoredRun(name, {group: measure(records, group)})


def score(found: RunComparison, name: str) -> differences.ComparedScore:
    (group,) = found.groups
    return next(score for score in group.headlines if score.name == name)


def test_a_difference_is_that_of_the_reports_and_pairs_by_question() -> None:
    # Of 40 questions about 20 images, A has 20 right; B has these and ten more, one in each of ten images.
    first = [place % 2 == 0 for place in range(40)]
    second = [right or place < 20 for place, right in enumerate(first)]
    found = differences.match([run("A", answers(first)), run("B", answers(second))])
    accuracy = score(found, "accuracy")
    assert [score.value for score in accuracy.scores] == [50, 75]
    (change,) = accuracy.differences
    assert change.value == 25
    assert change.discordant_clusters == 10
    assert change.p == pytest.approx(2 / 2**10)  # all ten images changed the same way
    assert change.p_family == pytest.approx(0.003, abs=0.002)
    assert change.significant
    low, high = change.interval or (0, 0)
    # t over 20 images with 25 ± 2.093 * 25.65 / sqrt(20) points, of which ten differ by 50 and ten by 0.
    assert (low, high) == (pytest.approx(25 - 12.0, abs=0.1), pytest.approx(25 + 12.0, abs=0.1))
    assert accuracy.ranks == [(2, 2), (1, 1)]
    assert tables.verdict_of(accuracy, change) == "better"


def test_a_difference_that_is_the_same_in_every_image_has_an_interval_in_every_score() -> None:
    found = differences.match([run("A", answers([True] * 40)), run("B", answers([False] * 40))])
    far = 100 * (1 - 0.025 ** (1 / 20))  # as of a share that was never seen in 20 images
    for name in ("accuracy", "precision", "recall", "f1"):
        (change,) = score(found, name).differences
        assert change.interval == pytest.approx((-100, -100 + far)), name
        assert change.note == "all clusters have the same outcome"
        assert score(found, name).ranks == [(1, 1), (2, 2)]


def test_the_aggregate_has_the_clusters_of_its_own_questions_wherever_runs_are_compared() -> None:
    """A question of the curve, which the aggregate leaves out, ties the image of one fact to the next fact."""
    asked = [("easy", place, place) for place in range(24)] + [("ni2", place, place + 1) for place in range(0, 22, 2)]
    group = Group("mioh", "mioh", "multiple_choice")

    def answered(step: int) -> list[Record]:
        shared: dict[str, Any] = {"benchmark": "mioh", "kind": "multiple_choice", "choices": ("x", "y"), "answer": "A"}
        return [
            Record(f"{pressure}{image}", task="existence", pressure=pressure, scene_ids=(f"s{image}",),
                   pair_id=f"f{fact}", prediction="B" if image % step == 0 else "A", **shared)
            for pressure, image, fact in asked
        ]  # fmt: skip

    runs = [run(name, answered(step), group) for name, step in (("A", 3), ("B", 5))]
    (change,) = score(differences.match(runs), "aggregate").differences
    sums = [one.groups[group].apart["aggregate"] for one in runs]
    interval = adding_up.difference(*sums, Clustering(np.arange(24)))
    assert interval is not None
    assert change.interval == (100 * interval.low, 100 * interval.high)


def test_few_clusters_that_differ_claim_nothing_and_say_so() -> None:
    first = [True] * 40
    second = [place >= 5 for place in range(40)]  # five answers about three images turn wrong
    (change,) = score(differences.match([run("A", answers(first)), run("B", answers(second))]), "accuracy").differences
    assert (change.value, change.p_family, change.significant) == (-12.5, None, False)
    assert change.note.startswith("n/a (3 discordant clusters, need 6)")


def test_the_same_answers_differ_in_nothing() -> None:
    said = [place % 3 > 0 for place in range(30)]
    found = differences.match([run("A", answers(said)), run("B", answers(said))])
    for one in found.groups[0].headlines:
        (change,) = one.differences
        assert (change.value, change.discordant_clusters, change.p) == (0, 0, 1)
        assert one.scores[0].value == one.scores[1].value
        assert one.higher_is_better is None or one.ranks == [(1, 2), (1, 2)]
    assert list(tables.summary(found)) == [
        "B vs. A",
        f"  all questions: {len(COMPARED)} differences: {len(COMPARED)} n/a",
        "  subsets: 4 differences: 4 n/a",
        "n/a: fewer than 6 discordant clusters, too few for a test",
    ]


@pytest.mark.parametrize("dead", ["A", "B"])
def test_a_run_whose_scores_are_withheld_has_no_difference_and_the_summary_says_so(dead: str) -> None:
    failed = [replace(record, prediction="", response="N/A") for record in answers([True] * 40)]
    found = differences.match([run(name, failed if name == dead else answers([True] * 40)) for name in "AB"])
    assert list(tables.summary(found)) == ["B vs. A", "  no difference: scores of a run are withheld or undefined"]


def test_of_shares_of_yes_neither_is_better() -> None:
    yes = [replace(record, prediction="yes") for record in answers([True] * 40)]
    found = score(differences.match([run("A", answers([True] * 40)), run("B", yes)]), "yes_rate")
    (change,) = found.differences
    assert (found.higher_is_better, found.ranks, tables.verdict_of(found, change)) == (None, (), "higher")


def test_cells_are_those_of_the_reports_and_tested_together() -> None:
    first = answers([True] * 80)
    first = [
        replace(record, pairing="entity-environment") if place >= 40 else record for place, record in enumerate(first)
    ]
    second = [
        replace(r, prediction="yes") if r.pairing == "entity-environment" and r.answer == "no" else r for r in first
    ]
    (group,) = differences.match([run("A", first), run("B", second)]).groups
    cell = group.cells[("pairing", "entity-environment"),]
    assert (cell.n, [one.value for one in cell.scores]) == (40, [100, 50])
    assert cell.differences[0].value == -50
    assert cell.differences[0].significant
    untouched = group.cells[("pairing", "entity-entity"),]
    assert (untouched.differences[0].value, untouched.differences[0].significant) == (0, False)


def test_beside_a_metric_is_the_number_of_questions_it_covers() -> None:
    found = differences.match([run("A", answers([True] * 40)), run("B", answers([False] * 40))])
    (group,) = found.groups
    numbers = {score.name: score.n for score in group.headlines}
    assert {
        "accuracy": 40,
        "precision": 40,
        "recall": 20,
        "f1": 40,
        "yes_rate": 40,
    }.items() <= numbers.items()  # 20 are yes
    assert list(numbers) == COMPARED
    title, (metric, *_) = list(tables.headlines(found))[4]
    assert (title, metric) == ("ode_fictional_existence: 40 questions, 20 clusters", "recall (20)")


def test_a_claim_survives_missing_predictions_that_are_right() -> None:
    """B lacks 30 of 80 predictions: it may be as good as A. With 5 of them it is worse however they are read."""

    def compared(missing: int) -> differences.ComparedScore:
        first = answers([True] * 80)
        wrong = [replace(r, prediction="yes" if r.answer == "no" else "no") for r in first[missing:30]]
        second = [replace(r, prediction="") for r in first[:missing]] + wrong + first[30:]
        return score(differences.match([run("A", first), run("B", second)]), "accuracy")

    [lost] = compared(30).differences
    assert (lost.value, lost.p_family, lost.significant) == (-37.5, 1, False)
    assert lost.note.startswith("not significant if the missing predictions of the run with the lower score were right")
    [untested] = compared(24).differences
    assert (untested.p_family, untested.significant) == (0.25, False), "three images that differ cannot claim anything"
    [few] = compared(5).differences
    assert (few.value, few.significant, few.note) == (-37.5, True, "")
    assert compared(30).ranks == [(1, 2), (1, 2)], "nor does a rank claim it"
    assert compared(5).ranks == [(1, 1), (2, 2)]


def test_bounds_and_tokens_are_beside_the_scores() -> None:
    first = [replace(record, tokens=10) for record in answers([True] * 20)]
    second = [replace(record, prediction="", tokens=0) for record in answers([True] * 5)] + first[5:15]
    second += [replace(record, tokens=100) for record in answers([True] * 15 + [False] * 5)[15:]]
    found = differences.match([run("A", first), run("B", second)])
    lines = {(line[0], line[1]): line[2] for _, line in tables.headlines(found)}
    assert lines["accuracy (20)", "A"].startswith("100.0 [")
    assert lines["accuracy (20)", "B"].endswith("] (50.0–75.0)")
    assert (lines["tokens_p95 (20)", "A"], lines["tokens_p95 (20)", "B"]) == ("10.0", "100.0")
    assert (lines["tokens_per_correct (20)", "A"], lines["tokens_per_correct (20)", "B"]) == ("10.0", "60.0")
    assert list(tables.summary(found))[-1].startswith(
        "in parentheses: the score with all missing predictions incorrect"
    )


def test_a_pair_counts_once() -> None:
    def pairs(right: Callable[[int], bool]) -> list[Record]:
        found = []
        for case in range(20):
            shared: dict[str, Any] = {
                "benchmark": "vhexpansion",
                "kind": "yes_no",
                "source": "ode",
                "pair_id": f"c{case}",
            }
            shared |= {"scene_ids": (f"s{case}",)}
            said = "no" if right(case) else "yes"
            found += [
                Record(f"c{case}", answer="yes", prediction="yes", **shared),
                Record(f"c{case}/n", answer="no", prediction=said, negated=True, **shared),
            ]
        return found

    runs = [run("A", pairs(lambda case: case < 15), PAIRS), run("B", pairs(lambda case: case < 5), PAIRS)]
    found = score(differences.match(runs), "symmetric_accuracy")
    assert [one.value for one in found.scores] == [75, 25]
    (change,) = found.differences
    assert (change.value, change.discordant_clusters, change.significant) == (-50, 10, True)


def test_what_is_not_the_same_is_refused() -> None:
    first = run("A", answers([True] * 20))
    with pytest.raises(VhbenchError, match=r"B lacks 4 of 20 questions .*first: 'q16'"):
        differences.match([first, run("B", answers([True] * 16))])
    other = [
        replace(record, answer="no", prediction="no") if record.id == "q02" else record
        for record in answers([True] * 20)
    ]
    with pytest.raises(VhbenchError, match=r"1 of 20 questions of B are not those of A.*'q02'.*different splits"):
        differences.match([first, run("B", other)])
    with pytest.raises(VhbenchError, match="no task in common"):
        differences.match([first, run("B", answers([True] * 20), Group("ode_random_existence", "ode", "yes_no"))])
    with pytest.raises(VhbenchError, match="expected two or more runs"):
        differences.match([first])


def test_what_was_asked_otherwise_is_said() -> None:
    said = answers([True] * 20)
    twice = said + [replace(record, id=f"2#{record.id}") for record in said]
    lost = [replace(record, prediction="", failure="failed") for record in said[:5]] + said[5:]
    notes = differences.match([run("A", said), run("B", twice), run("C", lost)]).notes
    assert any("different numbers of repetitions (A 1, B 2, C 1)" in note for note in notes)
    assert any(note.startswith("ode_fictional_existence, C: 5 of 20 requests failed") for note in notes)


def test_repetitions_are_one_question() -> None:
    said = answers([place % 2 == 0 for place in range(40)])
    again = [replace(record, id=f"2#{record.id}", prediction=record.answer) for record in said]
    found = score(differences.match([run("A", said), run("B", said + again)]), "accuracy")
    assert [one.value for one in found.scores] == [50, 75]
    assert found.differences[0].value == 25


@settings(max_examples=15)
@given(st.integers(0, 1000))
def test_no_order_of_answers_changes_anything(seed: int) -> None:
    random = rng(seed, "order")
    said = [(random.random(30) < share).tolist() for share in (0.5, 0.7)]
    runs = [run(name, answers(right)) for name, right in zip("AB", said, strict=True)]
    mixed = [run(name, random.permutation(answers(right)).tolist()) for name, right in zip("AB", said, strict=True)]
    assert tables.to_json(differences.match(runs)) == tables.to_json(differences.match(mixed))


def test_of_runs_that_are_alike_few_families_claim_anything() -> None:
    """Twenty-five comparisons of two coins: with 5 % false families, six or more come once in 800 times."""
    claimed = 0
    for seed in range(25):
        random = rng(seed, "null")
        runs = [run(name, answers((random.random(60) < 0.6).tolist())) for name in "AB"]
        (group,) = differences.match(runs, seed=seed).groups
        claimed += any(one.significant for score in group.headlines for one in score.differences)
    assert claimed <= 5


@pytest.fixture
def hostile() -> RunComparison:
    said = [place % 2 == 0 for place in range(40)]
    names = ["<b>|a_b</b>\n& 100 %", "B"]
    return differences.match([run(name, answers(said)) for name in names])


def test_names_do_no_harm(hostile: RunComparison) -> None:
    written = tables.markdown(hostile)
    assert "<b>" not in written
    assert r"&lt;b&gt;\|a\_b&lt;/b&gt; &amp; 100 %" in written
    rows = [line for line in tables.latex(hostile).splitlines() if line.endswith(r"\\")]
    assert all(row.count(" & ") == len(tables.HEADER) - 1 for row in rows if "multicolumn" not in row)
    assert r"$<$b$>$|a\_b$<$/b$>$ \& 100 \%" in tables.latex(hostile)


def test_everything_is_in_the_json(hostile: RunComparison) -> None:
    found: Mapping[str, Any] = tables.to_json(hostile)
    (group,) = found["groups"]
    assert (group["task"], group["questions"], group["clusters"]) == ("ode_fictional_existence", 40, 20)
    assert [score["name"] for score in group["headlines"]] == COMPARED
    assert {"accuracy", "precision", "recall", "f1", "yes_rate"} <= {*COMPARED}
    assert {"criterion": "fictional", "pairing": "entity-entity"}.items() <= group["cells"][1].items()
    (change,) = group["headlines"][0]["differences"]
    assert (change["verdict"], change["value"]) == ("n/a (0)", 0)


def test_a_whole_benchmark_has_the_interval_of_its_difference() -> None:
    """As above, of 40 questions 20 right and then ten more in ten of twenty images: 25 ± 12 points."""
    whole = Group("", "ode", "yes_no")
    first = [place % 2 == 0 for place in range(40)]
    second = [right or place < 20 for place, right in enumerate(first)]
    runs = [ScoredRun(name, {whole: measure(answers(said), whole)}) for name, said in (("A", first), ("B", second))]
    pool = differences.match(runs).groups[0]
    (accuracy,) = pool.headlines
    (change,) = accuracy.differences
    assert (accuracy.name, change.value, change.significant) == ("accuracy", 25, True)
    assert change.interval == (pytest.approx(13.0, abs=0.1), pytest.approx(37.0, abs=0.1))


@pytest.mark.parametrize(
    "wrong",
    [
        (0, 7, 8),  # images of 12 with a wrong answer: about A and B alone the t-test is certain, the interval is not
        (0, 0, 12),
        (0, 11, 12),
        (0, 4, 10),
    ],
)
def test_ranks_follow_from_the_verdicts_whichever_run_is_first(wrong: Sequence[int]) -> None:
    runs = [
        run(name, answers([place % 2 == 1 or place // 2 >= images for place in range(24)]))
        for name, images in zip("ABC", wrong, strict=True)
    ]
    ranks = [dict[str, Any](), dict[str, Any](), dict[str, Any]()]
    for first in range(3):
        order = [first, *(each for each in range(3) if each != first)]
        for one in differences.match([runs[each] for each in order]).groups[0].headlines:
            if one.higher_is_better is None:
                continue
            said = [tables.verdict_of(one, change) for change in one.differences]
            assert one.ranks[0] == (1 + said.count("better"), 3 - said.count("worse")), one.name
            for each, rank in zip(order, one.ranks, strict=True):
                assert ranks[each].setdefault(one.name, rank) == rank
    assert (ranks[0]["accuracy"] == (1, 1)) == (min(wrong[1:]) > 8)


def test_ranks_follow_the_direction_of_the_score(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Metric(
        name="wrong", title="wrong", brief=True, higher_is_better=False,
        count=lambda answer, facts: Count(answer.record.prediction != answer.record.answer),
    )  # fmt: skip
    monkeypatch.setitem(registry.METRICS, "yes_no", (*registry.METRICS["yes_no"], wrong))
    runs = [
        run(name, answers([right > place for place in range(60)]))
        for name, right in zip("ABC", (10, 60, 11), strict=True)
    ]
    found = differences.match(runs)
    for name, value in (("accuracy", 100), ("wrong", 0)):
        assert score(found, name).scores[1].value == value
        assert score(found, name).ranks == [(2, 3), (1, 1), (2, 3)]


@pytest.mark.parametrize("group", [EXISTENCE, Group("", "ode", "yes_no")])
def test_what_is_not_claimed_though_its_p_is_small_says_why(group: Group) -> None:
    """One more answer is wrong about six of seven images: p = 2 / 2^6, but the interval of so few is wide."""
    said = [True] * 14, [place % 2 == 1 or place == 12 for place in range(14)]
    found = differences.match(
        [ScoredRun(name, {group: measure(answers(own), group)}) for name, own in zip("AB", said, strict=True)]
    )
    accuracy = found.groups[0].headlines[0]
    [change] = accuracy.differences
    assert change.p_family is not None
    assert change.p_family <= 0.05
    low, high = change.interval or (1, 1)
    assert low < 0 < high
    assert (change.significant, tables.verdict_of(accuracy, change)) == (False, "not significant")
    assert accuracy.ranks == [(1, 2), (1, 2)]
    line = next(line for _, line in tables.headlines(found) if line[1] == "B")
    assert line[-2:] == ("not significant (CI contains 0)", "1–2")
