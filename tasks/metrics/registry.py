"""Registry of metrics, from which everything that reports, compares or shows scores derives.

To add a metric, write a function from an :class:`~vhbench.tasks.metrics.metric.Answer` to a
:class:`~vhbench.tasks.metrics.metric.Count`, and add an entry to a family of tasks.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from vhbench.benchmarks import pressure_family
from vhbench.schema import VhbenchError
from vhbench.tasks.metrics.metric import Answer, Count, Facts, Metric

LEFT_OUT_OF_AGGREGATE = ("hp+hn", "curve")  # families of pressures that MIOH's aggregate excludes


def _share(test: Callable[[Answer], bool]) -> Callable[[Answer, Facts], Count]:
    """Return a counter of responses that pass a test."""
    return lambda answer, facts: Count(test(answer))


def _precision(answer: Answer, facts: Facts) -> Count:
    predicted = answer.record.prediction == facts.positive
    return Count(predicted and answer.correct, predicted)


def _recall(answer: Answer, facts: Facts) -> Count:
    true = answer.record.answer == facts.positive
    return Count(true and answer.correct, true)


def _f1(answer: Answer, facts: Facts) -> Count:
    """2TP / (2TP + FP + FN), with TP + FP + FN trials."""
    predicted, true = answer.record.prediction == facts.positive, answer.record.answer == facts.positive
    return Count(2 * (predicted and true), predicted + true, predicted or true)


def _pressure(answer: Answer) -> tuple[str, str] | None:
    family = pressure_family(answer.record.pressure)
    return None if family in LEFT_OUT_OF_AGGREGATE else (answer.record.task, family)


def _symmetric(answer: Answer, facts: Facts) -> Count:
    assert answer.twin is not None
    return Count(answer.correct and answer.twin.correct)


def _new_case(answer: Answer, facts: Facts) -> Count:
    """Incorrect responses to negated questions or perturbed images, without failed requests and refusals."""
    record = answer.record
    return Count((record.negated or bool(record.perturbation)) and not record.failure and not answer.correct)


def _predicted(original: str = "", twin: str = "") -> Metric:
    """Return a counter of pairs with these predictions of original and twin; "" for any."""

    def count(answer: Answer, facts: Facts) -> Count:
        assert answer.twin is not None
        return Count(original in ("", answer.outcome) and twin in ("", answer.twin.outcome))

    return Metric(name=f"{original or 'any'}_then_{twin or 'any'}", count=count, units="pairs")


def blind(yes_then_no: float, no_then_yes: float, yes_share: float) -> float:
    """Return the expected symmetric accuracy of the same answer pairs, permuted across cases (permutation baseline).

    With independent answers to twins it equals that of guessing. Consistent answers give more: a coin toss per case
    with the opposite answer to the twin gets one half. The arguments are shares of the pairs: with yes to the original
    and no to the twin, with no and yes; and of the originals whose answer is yes.

    >>> blind(0.5, 0.5, 0.5), blind(0.25, 0.25, 0.5)
    (0.5, 0.25)
    """
    return yes_share * yes_then_no + (1 - yes_share) * no_then_yes


def guessed(yes: float, no: float, twin_yes: float, twin_no: float, yes_share: float) -> float:
    """Return the expected symmetric accuracy of independent answers to both questions (VHExpansion, Theorem 2).

    The arguments are shares: of originals answered yes and no, of twins answered yes and no, and of originals whose
    reference answer is yes.

    >>> guessed(0.3, 0.7, 0.3, 0.7, 0.9)  # both halves alike: p(1 - p), Theorem 2
    0.21
    >>> guessed(1.0, 0.0, 0.0, 1.0, 0.5)  # yes to originals, no to twins: half of the pairs are right
    0.5
    """
    return yes_share * yes * twin_no + (1 - yes_share) * no * twin_yes


def _claims(top: str, bottom: str) -> Callable[[Answer, Facts], Count]:
    """Return a counter of a caption's claims."""
    return lambda answer, facts: Count(getattr(answer.claims, top), getattr(answer.claims, bottom))


ACCURACY = Metric(name="accuracy", count=_share(lambda answer: answer.correct), bounded=True)
YES_RATE = Metric(
    name="yes_rate",
    title="share of yes",
    count=_share(lambda answer: answer.record.prediction == "yes"),
    higher_is_better=None,
)


def _without(name: str, test: Callable[[Answer], bool], *needs: str) -> Metric:
    """Return the metric for the share of responses without a prediction, for one reason."""
    return Metric(name=name, count=_share(test), higher_is_better=False, needs=needs, always=True, compared=False)


LOST = (
    _without("unparsed", lambda answer: answer.outcome == "" and not answer.cut_off, "cut_off"),
    _without("abstained", lambda answer: answer.record.failure == "abstained"),
    _without("failed", lambda answer: answer.record.failure == "failed"),
    _without("refused", lambda answer: answer.record.failure == "refused"),
    _without("cut_off", lambda answer: answer.cut_off, "cut_off"),
)
"""Shares of responses without a prediction: reported even if scores are withheld."""

TOKENS = Metric(
    name="tokens",
    title="tokens a response",
    count=lambda answer, facts: Count(answer.record.tokens, answer.record.tokens > 0),
    higher_is_better=None,
    needs=("tokens",),
    fixed=False,
    scale="length",
    always=True,
    in_cells=False,
    listed=False,
)
_apart = partial(Metric, needs=("options",), in_cells=False, compared=False, listed=False)
PENALTY = _apart(
    name="penalty",
    count=lambda answer, facts: Count(
        0 if answer.correct or answer.outcome == "abstained" else 1 / ((answer.options or 2) - 1)
    ),
)
SELECTIVE = (
    _apart(
        name="answered_accuracy",
        title="accuracy on answered questions",
        count=lambda answer, facts: Count(answer.correct, bool(answer.record.prediction)),
        fixed=False,
    ),
    _apart(
        name="penalized_accuracy",
        title="accuracy minus 1/(options − 1) a wrong answer",
        parts=(ACCURACY, PENALTY),
        formula=lambda accuracy, penalty: accuracy - penalty,
    ),
)
"""Scores that do not punish an abstention as a wrong answer: guessing has a penalized accuracy of 0."""


def _none(test: Callable[[Answer], bool]) -> Callable[[Answer, Facts], Count | None]:
    """Return a counter among the questions whose answer is the option "none of the above"."""
    return lambda answer, facts: Count(test(answer)) if answer.none and answer.none == answer.record.answer else None


NONE_OPTION = (
    _apart(name="none_recall", count=_none(lambda answer: answer.correct), needs=("none",)),
    _apart(
        name="none_rejected",
        title="another option instead of none",
        count=_none(lambda answer: not answer.correct and bool(answer.record.prediction)),
        higher_is_better=False,
        needs=("none",),
    ),
)


def _consistent(answer: Answer, facts: Facts) -> Count | None:
    """Count the same option in all rotations; None if it did not move, so that its letter may have been chosen."""
    every = (answer, *answer.others)
    same = bool(answer.chosen) and len({one.chosen for one in every}) == 1
    return None if same and len({one.record.prediction for one in every}) == 1 else Count(same)


_of_rotations = partial(Metric, units="variants", variants="r", in_cells=False)
ROTATIONS = (
    _of_rotations(
        name="circular_accuracy",
        count=lambda answer, facts: Count(all(one.correct for one in (answer, *answer.others))),
        bounded=True,
    ),
    _of_rotations(name="consistency", needs=("options",), title="same option in all rotations", count=_consistent),
)
"""CircularEval (Liu et al., MMBench, ECCV 2024): a question is correct if it is correct in all rotations."""


def _worded(number: int) -> Metric:
    """Return the accuracy under one wording of the answer instruction."""
    count = lambda answer, facts: Count(answer.correct) if answer.wording == number else None  # noqa: E731
    return Metric(name=f"wording_{number}_accuracy", count=count, variants="w", in_cells=False, compared=False)


_WORDED = tuple(map(_worded, range(1, 4)))
BY_WORDING = (
    *_WORDED,
    Metric(
        name="wording_range",
        title="range of accuracy over wordings",
        parts=_WORDED,
        formula=lambda *values: max(values) - min(values),
        higher_is_better=None,
        variants="w",
        in_cells=False,
        compared=False,
    ),
)

YES_SHARE = Metric(name="gold_yes", count=lambda answer, facts: Count(answer.record.answer == "yes"), units="pairs")
_CONTRADICTING = (_predicted("yes", "no"), _predicted("no", "yes"), YES_SHARE)
_HALVES = (*(_predicted(**{half: word}) for half in ("original", "twin") for word in ("yes", "no")), YES_SHARE)

YES_NO = (
    ACCURACY,
    Metric(name="precision", count=_precision, fixed=False),
    Metric(name="recall", count=_recall),
    Metric(
        name="f1",
        title="F1",
        count=_f1,
        fixed=False,
        defined=lambda answer, facts: answer.record.answer == facts.positive,
        brief=True,
    ),
    YES_RATE,
    *BY_WORDING,
    *SELECTIVE,
    *LOST,
    TOKENS,
)
MULTIPLE_CHOICE = (
    ACCURACY,
    Metric(
        name="aggregate",
        count=_share(lambda answer: answer.correct),
        needs=("task", "pressure"),
        stratum=_pressure,
        in_cells=False,
        brief=True,
        bounded=True,
    ),
    Metric(
        name="chance",
        count=lambda answer, facts: Count(1 / (answer.options or 2)),
        needs=("options",),
        higher_is_better=None,
        scale="constant",
        compared=False,
    ),
    *ROTATIONS,
    *BY_WORDING,
    *SELECTIVE,
    *NONE_OPTION,
    *LOST,
    TOKENS,
)
_of_pairs = partial(Metric, needs=("negated",), in_cells=False)
_level = partial(_of_pairs, higher_is_better=None, units="pairs", scale="constant", compared=False)
PAIRS = (
    replace(ACCURACY, brief=True),
    _of_pairs(
        name="original_accuracy",
        title="accuracy, not negated",
        count=lambda answer, facts: None if answer.record.negated else Count(answer.correct),
    ),
    _of_pairs(name="symmetric_accuracy", count=_symmetric, units="pairs", headline=True, bounded=True),
    YES_RATE,
    _level(name="permutation_baseline", title="permutation baseline", parts=_CONTRADICTING, formula=blind, brief=True),
    _level(name="chance", parts=_HALVES, formula=guessed),
    *BY_WORDING,
    _of_pairs(name="new_cases", count=_new_case, higher_is_better=False, scale="count", compared=False),
    *LOST,
    TOKENS,
)

_imagined = partial(Metric, higher_is_better=False, needs=("claims",), fixed=False)
CAPTION = (
    _imagined(name="chair_i", title="CHAIR", count=_claims("hallucinated", "mentions"), brief=True),
    _imagined(name="chair_s", title="CHAIR of captions", count=_claims("hallucinating", "captions")),
    Metric(name="cover", title="Cover", count=_claims("covered", "objects"), needs=("claims",), brief=True),
    _imagined(name="cog", title="Cog", count=_claims("candidates", "concepts")),
    Metric(
        name="not_judged",
        title="mentions not judged",
        count=lambda answer, facts: Count(answer.claims.not_judged, answer.claims.not_judged + answer.claims.mentions),
        higher_is_better=None,
        needs=("claims",),
        fixed=False,
        compared=False,
    ),
    Metric(
        name="words",
        title="words a caption",
        count=_claims("words", "given"),
        higher_is_better=None,
        needs=("words",),
        fixed=False,
        scale="length",
        always=True,
        brief=True,
    ),
    *(replace(metric, needs=(*metric.needs, "caption")) for metric in LOST[2:]),  # captions have no prediction
    TOKENS,
)

METRICS: Mapping[str, tuple[Metric, ...]] = {
    "yes_no": YES_NO,
    "multiple_choice": MULTIPLE_CHOICE,
    "pairs": PAIRS,
    "caption": CAPTION,
}
"""Family of tasks (:class:`vhbench.benchmarks.Family`) → its metrics. lmms-eval's table uses this order."""


def metrics_of(family: str) -> tuple[Metric, ...]:
    """Return the metrics of a family; raise if there is no such family."""
    if family not in METRICS:
        raise VhbenchError(f"expected a family of {', '.join(METRICS)}; got '{family}'")
    return METRICS[family]


def listed(family: str, variants: str = "") -> tuple[Metric, ...]:
    """Return the metrics in lmms-eval's table of a task; ``variants`` is the kind of its questions' variants."""
    return tuple(metric for metric in metrics_of(family) if metric.listed and metric.variants in ("", variants))


def board_metrics(family: str) -> tuple[Metric, ...]:
    """Return the metrics on the leaderboard: the compared ones and their baselines."""
    return tuple(metric for metric in listed(family) if metric.compared or metric.brief)


def headline_of(family: str) -> Metric:
    """Return the metric that ranks models.

    >>> headline_of("pairs").name, headline_of("yes_no").name
    ('symmetric_accuracy', 'accuracy')
    """
    metrics = metrics_of(family)
    return next((metric for metric in metrics if metric.headline), metrics[0])
