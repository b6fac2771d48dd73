"""How an image is attacked: the settings of the paper, of its released code, and of its ablations."""

import math
from dataclasses import dataclass
from typing import Final, Literal

from vhbench.schema import VhbenchError

Direction = Literal["apart", "similar"]
Method = Literal["ifgsm", "pgd", "random_noise"]
Axis = Literal["auto", "tokens", "features"]

LEVEL: Final = 1 / 255
"""One grey level."""

NUDGE: Final = {"apart": 1 * LEVEL, "similar": 5 * LEVEL}
"""Random start: each value moves by this much, up or down by a fair coin. An unmoved image has nowhere to go: its
similarity is at the maximum, where the gradient is rounding noise."""

STEP_SIZES: Final[dict[str, tuple[float, float]]] = {
    "ifgsm": (0.5 * LEVEL, 0.5 * LEVEL),
    "pgd": (0.5 * LEVEL, 1.0),
    "random_noise": (0.0, 0.0),
}
"""Method → its step size, and that of the released code. The latter's PGD takes the raw gradient times 1.0, which moves
nothing in an image of many pixels; ours takes a gradient whose mean magnitude is one, so that both methods walk equally
far in the mean. Random noise takes no step: it is the control, a change of the same size that knows no model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackConfig:
    """How to attack; the defaults are the paper's.

    Attributes:
        method: "ifgsm" steps along the gradient's sign, "pgd" along the gradient, scaled to a mean magnitude of one;
            "random_noise" moves each value by epsilon, up or down by a fair coin, and asks no gradient.
        epsilon: the largest change of a value, in [0, 1]; it holds in the saved PNG.
        step_size: the paper's gamma, in [0, 1]; None for the method's own: 0.5/255.
        schedule: "constant", or "cosine" from ``step_size`` down to 1e-4.
        steps_apart: for cases that the model answers right.
        steps_similar: for cases that it already fails.
        start: how far each value moves before the first step, in [0, 1]; None for the paper's: see :data:`NUDGE`.
        stop_at: an image is finished once its similarity has come down (up) to this; None for all steps.
        axis: along which the cosine is taken: "features" compares each token, "tokens" each channel; "auto" is
            "features", and with ``compat`` the model's ``reference_axis``.
        batch_size: images of one size that are attacked together.
        compat: do as the released code: similarity along the model's ``reference_axis``, PGD steps along the raw
            gradient times 1.0, right cases start at the image itself, one update less than ``steps``, the cosine runs
            over ``steps_apart`` for both kinds, the last image counts and not the best, and the PNG is truncated
            instead of rounded, so that it may leave the ball by one grey level. (That code steps by the cosine
            schedule.)
    """

    method: Method = "ifgsm"
    epsilon: float = 8 * LEVEL
    step_size: float | None = None
    schedule: Literal["constant", "cosine"] = "constant"
    steps_apart: int = 500
    steps_similar: int = 100
    start: float | None = None
    stop_at: float | None = None
    axis: Axis = "auto"
    batch_size: int = 8
    compat: bool = False

    def __post_init__(self) -> None:
        """Refuse what makes no sense, naming the option."""
        for name, value, known in (
            ("method", self.method, tuple(STEP_SIZES)),
            ("schedule", self.schedule, ("constant", "cosine")),
            ("axis", self.axis, ("auto", "tokens", "features")),
        ):
            if value not in known:
                raise VhbenchError(f"attack {name} {value!r} is unknown; must be one of {', '.join(known)}")
        if not LEVEL <= self.epsilon <= 1:
            raise VhbenchError(f"attack epsilon {self.epsilon} must be between 1/255 (one grey level) and 1")
        if self.step_size is not None and not self.step_size > 0:
            raise VhbenchError(f"attack step_size {self.step_size} must be above 0")
        if self.start is not None and not 0 <= self.start <= self.epsilon:
            raise VhbenchError(f"attack start {self.start} must be between 0 and epsilon, which is {self.epsilon:.4f}")
        if self.stop_at is not None and not -1 <= self.stop_at <= 1:
            raise VhbenchError(f"attack stop_at {self.stop_at} is a cosine similarity: it must be between -1 and 1")
        for name in ("steps_apart", "steps_similar", "batch_size"):
            if getattr(self, name) < 1:
                raise VhbenchError(f"attack {name} {getattr(self, name)} must be 1 or more")

    def steps(self, direction: Direction) -> int:
        """Return the number of updates."""
        if self.method == "random_noise":
            return 0
        steps = self.steps_apart if direction == "apart" else self.steps_similar
        return steps - 1 if self.compat else steps

    def rate(self, step: int, direction: Direction) -> float:
        """Return the step size of an update, counted from 0."""
        alpha = STEP_SIZES[self.method][self.compat] if self.step_size is None else self.step_size
        if self.schedule == "constant":
            return alpha
        horizon = self.steps_apart if self.compat else self.steps(direction)
        return 1e-4 + (alpha - 1e-4) * (1 + math.cos(math.pi * step / horizon)) / 2

    def nudge(self, direction: Direction) -> float:
        """Return how far each value moves before the first step."""
        if self.method == "random_noise":
            return self.epsilon
        if self.start is not None:
            return self.start
        if self.compat:
            return 0.0 if direction == "apart" else NUDGE[direction]
        return min(NUDGE[direction], self.epsilon)
