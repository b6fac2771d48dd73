import numpy as np
import pytest
from scipy import stats

from vhbench.schema import VhbenchError
from vhbench.tasks.metrics import intervals


@pytest.mark.parametrize(("right", "trials"), [(0, 1), (1, 1), (3, 7), (50, 100), (99, 100), (3, 2000)])
def test_few_trials_are_exact(right: int, trials: int) -> None:
    exact = stats.binomtest(right, trials).proportion_ci(0.95, method="exact")
    assert intervals.binomial(right, trials) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_few_clusters_are_enumerated() -> None:
    # Three images with 1 of 2, 2 of 2 and 0 of 2 right: 27 resamples, worked with numpy here.
    values, images = [1, 0, 1, 1, 0, 0], list("aabbcc")
    picks = np.array(np.meshgrid(*[range(3)] * 3)).reshape(3, -1).T
    means = np.array([1, 2, 0])[picks].sum(axis=1) / 6
    low, high = (np.quantile(means, q, method="inverted_cdf") for q in (0.025, 0.975))
    assert intervals.mean(values, clusters=images) == pytest.approx((low, high))


def test_many_clusters_agree_with_scipy() -> None:
    values = np.random.default_rng(1).random(60)
    theirs = stats.bootstrap((values,), np.mean, method="percentile", rng=np.random.default_rng(2)).confidence_interval
    assert intervals.mean(values) == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_frequent_and_rare_clusters_together_agree_with_scipy() -> None:
    # Captions without a mention, captions with one wrong mention, and captions that no other is like.
    generator = np.random.default_rng(4)
    top = np.concatenate([np.zeros(300), np.ones(200), generator.integers(0, 9, 100)])
    bottom = np.concatenate([np.zeros(300), np.ones(200), 9 + generator.random(100)])

    def ratio(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return a.sum(axis=axis) / b.sum(axis=axis)

    theirs = stats.bootstrap(
        (top, bottom), ratio, paired=True, vectorized=True, method="percentile", rng=np.random.default_rng(5)
    ).confidence_interval
    assert intervals.ratio(top, bottom) == pytest.approx((theirs.low, theirs.high), abs=0.005)


def test_a_resample_has_as_many_clusters_as_there_are() -> None:
    kinds = np.column_stack([np.ones(41), np.arange(41.0)])
    count = np.array([500, *[1] * 40])
    totals = intervals._some_resamples(kinds, count, seed=0, draws=1000)
    assert (totals[:, 0] == 540).all()
    assert totals[:, 1].mean() == pytest.approx((kinds[:, 1] * count).sum(), rel=0.02)


def test_clusters_widen_the_interval() -> None:
    right = np.repeat(np.random.default_rng(0).random(200) < 0.5, 5)
    low, high = intervals.mean(right) or (0, 0)
    wide_low, wide_high = intervals.mean(right, clusters=np.repeat(np.arange(200), 5).tolist()) or (0, 0)
    assert (wide_high - wide_low) / (high - low) == pytest.approx(5**0.5, rel=0.1)


def test_an_interval_covers_the_truth_95_times_in_100() -> None:
    generator = np.random.default_rng(3)
    covered = 0
    for _ in range(300):
        sizes = generator.integers(1, 4, 150)
        rates = generator.beta(7, 3, 150)
        right, images = generator.binomial(sizes, rates), list(range(150))
        low, high = intervals.ratio(right, sizes, clusters=images, draws=500) or (0, 0)
        covered += low <= 0.7 <= high
    assert 0.91 <= covered / 300 <= 0.985


def test_same_seed_same_interval_whatever_the_order() -> None:
    values = np.random.default_rng(0).random(50)
    assert intervals.mean(values) == intervals.mean(values[::-1])
    assert intervals.mean(values) != intervals.mean(values, seed=1)


def test_undefined_is_none() -> None:
    assert intervals.mean([]) is None
    assert intervals.ratio([0, 0], [0, 0]) is None
    assert intervals.mean([0.5, 0.7], clusters=["one", "one"]) is None
    with pytest.raises(VhbenchError, match="NaN or infinity"):
        intervals.mean([float("nan")])
    with pytest.raises(VhbenchError, match="1 clusters for 2 values"):
        intervals.mean([1, 0], clusters=["a"])


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
    assert perfect["aggregate_interval"] == (1.0, 1.0)

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
    assert found == intervals.mean(right, clusters=[i // 8 for i in range(len(rows))])
