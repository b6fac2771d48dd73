"""Intervals by hand, and what must hold of all of them."""

from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from vhbench.schema import VhbenchError
from vhbench.statistics import intervals
from vhbench.statistics.clustering import Clustering
from vhbench.statistics.intervals import WeightedRatio
from vhbench.statistics.wording import interval

CLUSTERS = st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=2, max_size=30)
"""Of each cluster how many are right, at most its size."""


def rows(clusters: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """Return the answers (right or not) of some clusters, and the cluster of each."""
    right = [int(place < hits) for hits, size in clusters for place in range(size)]
    return right, [number for number, (_, size) in enumerate(clusters) for _ in range(size)]


@pytest.mark.parametrize("trials", [1, 5, 60])
def test_all_alike_is_exact(trials: int) -> None:
    exact = stats.binomtest(trials, trials).proportion_ci(0.95, method="exact")
    assert intervals.mean([1] * trials) == pytest.approx((exact.low, 1.0, "exact binomial CI (all outcomes identical)"))
    wrong = intervals.mean([0] * trials)
    assert wrong is not None
    assert wrong.ends == pytest.approx((0.0, 1 - exact.low))


def test_all_alike_in_clusters_counts_clusters() -> None:
    # 50 right answers about 10 images are 10 trials; of sizes 4 and 1 they are (4 + 1)² / (16 + 1) = 25 / 17.
    even, uneven = (
        intervals.mean([1] * 50, clusters=np.arange(50) // 5),
        intervals.mean([1] * 5, clusters=list("aaaab")),
    )
    assert even is not None
    assert uneven is not None
    assert even.low == pytest.approx(0.025**0.1)
    assert uneven.low == pytest.approx(0.025 ** (17 / 25))


def test_an_accuracy_by_hand() -> None:
    # Four images with two answers each: 2, 1, 1, 0 right. Residuals (1, 0, 0, -1) / 8 / √(3/4), so Σu² = 2 / 48;
    # n = 0.25 · 24 = 6, which t of 3 degrees reduces to 6 · (1.960 / 3.182)² = 2.28: less than the four images.
    right, images = rows([(2, 2), (1, 2), (1, 2), (0, 2)])
    theirs = stats.binomtest(2, 4).proportion_ci(0.95, method="exact")
    assert intervals.mean(right, clusters=images) == pytest.approx((*theirs, "4 clusters"))


def test_an_accuracy_of_more_trials_than_clusters_by_hand() -> None:
    # Twelve images with four answers each, 3 or 2 right: residuals ± 1 / 96 / √(11/12), so Σu² = 1 / 704; p = 5/8, and
    # n = 15/64 · 704 = 165, at most the 48 answers; t of 11 degrees leaves 48 · (1.960 / 2.201)² = 38.06 trials.
    right, images = rows([(3, 4), (2, 4)] * 6)
    trials = 48 * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 11)) ** 2
    hits, misses = 30 / 48 * trials, 18 / 48 * trials
    low, high = stats.beta.ppf(0.025, hits, misses + 1), stats.beta.ppf(0.975, hits + 1, misses)
    assert intervals.mean(right, clusters=images) == pytest.approx((low, high, ""))


def test_many_answers_that_stand_alone_have_the_exact_interval() -> None:
    right = [1] * 1400 + [0] * 600
    theirs = stats.binomtest(1400, 2000).proportion_ci(0.95, method="exact")
    found = intervals.mean(right)
    assert found is not None
    assert found.ends == pytest.approx((theirs.low, theirs.high))


@pytest.mark.parametrize("size", [1, 2, 6, 40])
@pytest.mark.parametrize("count", [8, 20, 100, 300])
@pytest.mark.parametrize("spread", ["over the clusters", "within clusters", "anywhere"])
def test_each_error_lowers_both_ends(count: int, size: int, spread: str) -> None:
    numbers = np.repeat(np.arange(count), size)
    order = np.arange(count * size)
    if spread == "over the clusters":
        order = order.reshape(count, size).T.reshape(-1)
    if spread == "anywhere":
        order = np.random.default_rng(count + size).permutation(order)
    right, ends = np.ones(count * size), []
    for place in (-1, *order[:10].tolist()):
        right[place if place >= 0 else slice(0)] = 0
        found = intervals.mean(right, clusters=numbers)
        assert found is not None
        ends.append(found.ends)
    slack = 0.01 if spread == "anywhere" and count == 8 and size == 2 else 0.0006  # the estimated dependence varies
    for (low, high), (lower, less) in pairwise(ends):
        assert lower <= low + (0 if spread == "over the clusters" else slack)
        assert less <= high + (0 if spread == "over the clusters" else slack)


def test_the_table_of_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "statistics.md").read_text(encoding="utf-8")
    for errors in range(11):
        ends = []
        for images in (8, 20, 100, 300):  # six questions each, the errors in different images
            right = np.arange(6 * images) >= errors
            found = intervals.mean(right, clusters=np.arange(6 * images) % images)
            assert found is not None
            ends.append(interval(found.ends, 100))
        assert f"| {errors} | {' | '.join(ends)} |\n" in page


def test_many_clusters_agree_with_the_bootstrap() -> None:
    generator = np.random.default_rng(4)
    bottom = generator.integers(1, 9, 600)
    top = generator.binomial(bottom, generator.beta(2, 5, 600))

    def quotient(a: Any, b: Any, axis: int) -> Any:
        return a.sum(axis=axis) / b.sum(axis=axis)

    theirs = stats.bootstrap(
        (top, bottom), quotient, paired=True, vectorized=True, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    found = intervals.ratio(top, bottom)
    assert found is not None
    assert found.ends == pytest.approx((theirs.low, theirs.high), abs=0.003)


def test_no_interval_knows_more_than_the_answers() -> None:
    # A constant yes makes every pair of twins 50 % exactly, so that nothing varies between clusters.
    found = intervals.mean([1, 0] * 20, clusters=np.arange(40) // 2)
    alone = intervals.mean([1, 0] * 20)
    assert found is not None
    assert alone is not None
    assert found.high - found.low >= 0.98 * (alone.high - alone.low)


def test_f1_rests_on_the_answers_that_it_counts() -> None:
    # Every cluster alike: TP 1, FP 1, FN 1, so F1 is 2/4; of ten clusters 30 answers count, and not 40.
    more = intervals.ratio([2] * 10, [4] * 10)
    found = intervals.ratio([2] * 10, [4] * 10, most=30)
    assert more is not None
    assert found is not None
    assert (found.high - found.low) / (more.high - more.low) == pytest.approx(sqrt(40 / 30), rel=0.1)


def test_a_mean_over_cells_by_hand() -> None:
    # Two cells of four clusters that stand alone: 1/4 and 3/4. Each cell's residuals are (3, 1, 1, 1) / 16 / √(3/4)
    # in size, halved by the weight: Σu² = 2 · 12 / 256 / 0.75 / 4 = 1 / 32; n = 0.25 · 32 = 8.
    # t of 7 degrees reduces that to 5.5, less than the eight clusters, of which four are right.
    cells = [
        WeightedRatio([1, 0, 0, 0], weight=0.5, places=np.arange(4)),
        WeightedRatio([0, 1, 1, 1], weight=0.5, places=np.arange(4, 8)),
    ]
    theirs = stats.binomtest(4, 8).proportion_ci(0.95, method="exact")
    assert intervals.mean_of_ratios(cells) == pytest.approx((*theirs, "8 clusters"))


def test_a_cell_of_one_cluster_counts_as_one_trial() -> None:
    wide = [
        WeightedRatio([1] * 20 + [0] * 20, weight=0.5, places=np.arange(40)),
        WeightedRatio([1] * 20, weight=0.5, places=np.arange(40, 60)),
    ]
    found = intervals.mean_of_ratios(wide, clusters=[*range(40), *[40] * 20])
    assert found is not None
    assert found.high - found.low > 0.5  # half of the mean rests on one trial


def test_a_difference_by_hand() -> None:
    # Twenty pairs, ten of which turned wrong: u = ± 0.5 / 20 / √(19/20), all of one size: 19 degrees.
    first, second = [1] * 20, [1, 0] * 10
    reach = stats.t.ppf(0.975, 19) * 0.5 / sqrt(19)
    assert intervals.difference(first, second) == pytest.approx((0.5 - reach, 0.5 + reach, ""))


def test_a_difference_of_few_clusters_is_no_narrower_than_its_two_shares_allow() -> None:
    # One of fifty turned wrong: the shares' own intervals reach below 0, so that it proves nothing.
    found = intervals.difference([1] * 50, [0] + [1] * 49)
    assert found is not None
    assert found.low < 0 < 0.02 < found.high
    assert found.note == "outcomes differ in 1 of 50 clusters"


@given(CLUSTERS, st.randoms())
def test_neither_the_order_of_rows_nor_the_names_of_clusters_matter(drawn: list[tuple[int, int]], random: Any) -> None:
    right, images = rows(drawn)
    order = random.sample(range(len(right)), len(right))
    found = intervals.mean(right, clusters=images)
    assert intervals.mean([right[i] for i in order], clusters=[f"image {images[i]}" for i in order]) == found


@given(CLUSTERS)
def test_an_interval_holds_its_score_and_mirrors(drawn: list[tuple[int, int]]) -> None:
    right, images = rows(drawn)
    found, mirrored = (intervals.mean(values, clusters=images) for values in (right, [1 - value for value in right]))
    assert found is not None
    assert mirrored is not None
    assert 0 <= found.low <= np.mean(right) <= found.high <= 1
    assert found.low < found.high
    assert mirrored.ends == pytest.approx((1 - found.high, 1 - found.low))


@given(CLUSTERS)
def test_a_difference_turns_round(drawn: list[tuple[int, int]]) -> None:
    right, images = rows(drawn)
    other = right[1:] + right[:1]
    one, two = intervals.difference(right, other, clusters=images), intervals.difference(other, right, clusters=images)
    assert one is not None
    assert two is not None
    assert one.ends == pytest.approx((-two.high, -two.low))


def test_clusters_widen_the_interval() -> None:
    right = np.repeat(np.random.default_rng(0).random(200) < 0.5, 5)
    widths = [
        found.high - found.low
        for clusters in (None, np.arange(1000) // 5)
        if (found := intervals.mean(right, clusters=clusters))
    ]
    assert widths[1] / widths[0] == pytest.approx(5**0.5, rel=0.1)


def test_notes_say_why_an_interval_is_wide() -> None:
    def note(values: list[int], **how: Any) -> str:
        found = intervals.mean(values, **how)
        assert found is not None
        return found.note

    assert note([1, 0] * 50) == ""
    assert note([1, 0, 1]) == "3 clusters"
    assert note([1, 0] * 50, clusters=[0] * 50 + [*range(1, 51)]) == "4 degrees of freedom"
    assert note([1] * 9) == "exact binomial CI (all outcomes identical)"
    assert note([1, 0], clusters=Clustering(np.array([3, 5]), "told")) == "2 clusters; told"


def test_a_length_has_an_interval_of_t() -> None:
    values = [10.0, 14.0, 9.0, 15.0] * 8
    reach = stats.t.ppf(0.975, 31) * np.std(values, ddof=1) / sqrt(32)
    found = intervals.lengths(values)
    assert found is not None
    assert found.low == pytest.approx(12 - reach)
    assert found.high == pytest.approx(12 * np.exp(reach / 12))  # t on logarithms is wider here


def test_undefined_is_none() -> None:
    assert intervals.mean([]) is None
    assert intervals.ratio([0, 0], [0, 0]) is None
    assert intervals.mean([0.5, 0.7], clusters=["one", "one"]) is None
    assert intervals.difference([1, 0], [0, 0], clusters=["one", "one"]) is None
    assert intervals.lengths([3, 4] * 30, clusters=["one"] * 60) is None
    with pytest.raises(VhbenchError, match="NaN or infinity"):
        intervals.mean([float("nan")])
    with pytest.raises(VhbenchError, match="a score from 0 to 1, not 2"):
        intervals.mean([1, 3])
    with pytest.raises(VhbenchError, match="1 clusters for 2 values"):
        intervals.mean([1, 0], clusters=["a"])
    with pytest.raises(VhbenchError, match="2 numerators for 1 denominators"):
        intervals.ratio([1, 0], [1])
    with pytest.raises(VhbenchError, match="2 values are paired with 1"):
        intervals.difference([1, 0], [1])


def test_the_composite_scores_have_intervals_too() -> None:
    from vhbench.tasks.metrics import amber, multiple_choice, symmetric_accuracy

    def asked(i: int, right: bool) -> dict[str, object]:
        task = ("existence", "counting")[i % 2]
        row = {"id": f"q{i}", "choices": ["1", "2"], "answer": "A", "prediction": "A" if right else "B"}
        return row | {"task": task, "pressure": ("easy", "ni8", "hp")[i % 3], "scene_ids": [f"s{i // 2}"]}

    result = multiple_choice.score([asked(i, i % 4 > 0) for i in range(120)])
    low, high = result["aggregate_interval"]
    assert low < result["aggregate"] < high
    perfect = multiple_choice.score([asked(i, True) for i in range(120)])
    assert perfect["aggregate_interval"] == pytest.approx((0.025 ** (1 / 60), 1.0))  # of 60 images

    pairs = [
        {"id": f"{i}{half}", "pair_id": str(i), "negated": half == "n", "answer": answer, "prediction": "yes"}
        for i in range(40)
        for half, answer in (("o", "yes" if i % 2 else "no"), ("n", "no" if i % 2 else "yes"))
    ]
    found = symmetric_accuracy.score(pairs)["intervals"]
    assert found["yes_rate"][1] == 1.0
    assert found["original_accuracy"][0] < 0.5 < found["original_accuracy"][1]

    captions = [
        {"id": f"c{i}", "kind": "caption", "response": "A dog." if i % 2 else "A cat.", "objects": ["dog"]}
        for i in range(40)
    ]
    answers = [
        {
            "id": f"a{i}",
            "kind": "yes_no",
            "answer": ("no", "yes")[i % 2],
            "prediction": "no",
            "question_type": "existence",
        }
        for i in range(40)
    ]
    scored = amber.score_records([*captions, *answers], relation={"dog": [], "cat": []})
    low, high = scored["intervals"]["AMBER"]["Score"]
    assert low < scored["scores"]["AMBER"]["Score"] < high


def test_an_accuracy_has_one_interval_also_where_rows_do_not_name_their_images() -> None:
    from vhbench.tasks.metrics import multiple_choice, symmetric_accuracy, yes_no

    generator = np.random.default_rng(6)
    rows = [
        {"id": f"{number}{case}{form}{half}", "pair_id": f"{number}{case}{form}", "perturbation": form[1:]}
        | {
            "negated": half == "n",
            "answer": "no" if half == "n" else "yes",
            "prediction": generator.choice(["yes", "no"]),
        }
        for case in range(30)
        for number in ("", "2#")
        for form in ("", "/jpeg")
        for half in ("", "n")
    ]
    found = symmetric_accuracy.score(rows)["intervals"]["accuracy"]
    assert found == yes_no.score_records(rows, positive="yes")["intervals"]["accuracy"]
    assert found == multiple_choice.score(rows)["interval"]
    right = [row["prediction"] == row["answer"] for row in rows]
    ours = intervals.mean(right, clusters=[i // 8 for i in range(len(rows))])
    assert ours is not None
    assert found == ours.ends


def test_an_interval_shrinks_as_answers_grow() -> None:
    widths = [f.high - f.low for n in (20, 80, 320, 1280) if (f := intervals.mean([1, 0, 1, 1] * (n // 4)))]
    assert all(wide / narrow == pytest.approx(2, rel=0.12) for wide, narrow in pairwise(widths))


@pytest.mark.parametrize("images", [2, 3, 8, 20])
@pytest.mark.parametrize("each", [1, 2, 6, 12])
def test_one_more_error_lowers_both_ends_where_images_have_equally_many(images: int, each: int) -> None:
    """The errors are spread evenly: the first answers about all images turn wrong, then the second ones."""
    right = np.ones((each, images))
    owner = np.tile(np.arange(images), each)
    ends = []
    for place in range(right.size):
        found = intervals.mean(right.ravel(), clusters=owner)
        ends += [found.ends] if found else []
        right.flat[place] = 0
    assert len(ends) >= right.size - 1
    assert all(after[end] <= before[end] for before, after in pairwise(ends) for end in (0, 1))


def test_with_unequally_many_questions_one_more_error_raises_an_end_a_little() -> None:
    """As docs/statistics.md says of 20 and 100 images with 1 to 12 questions each."""
    random = np.random.default_rng(1)
    for images, most in ((20, 0.006), (100, 0.0002)):
        owner = np.repeat(np.arange(images), random.integers(1, 13, images))
        right, ends = np.ones(len(owner)), []
        for place in random.permutation(len(owner)):
            right[place] = 0
            found = intervals.mean(right, clusters=owner)
            ends += [found.ends] if found else []
        raised = max(after[end] - before[end] for before, after in pairwise(ends) for end in (0, 1))
        assert raised <= most


def test_answers_that_are_all_alike_are_fewer_trials_where_images_tie_them() -> None:
    """Six facts in a ring, each sharing an image with the next: a third of six trials, not six."""
    ties = np.array([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]])
    ring = Clustering(np.arange(6), ties=ties)
    found = intervals.mean([1] * 6, clusters=ring)
    assert found is not None
    assert found.low == pytest.approx(0.025 ** (1 / 2))
    change = intervals.difference([1] * 6, [1] * 6, clusters=ring)
    assert change is not None
    assert change.high == pytest.approx(1 - 0.025 ** (1 / 2))
