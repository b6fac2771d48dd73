"""Attack settings: the paper's, the released code's, and ablations."""

import math
from dataclasses import dataclass
from typing import Final, Literal, get_args

from vhbench.schema import VhbenchError

Direction = Literal["apart", "similar"]
Method = Literal["ifgsm", "pgd", "apgd", "random_noise"]
Loss = Literal["embedding", "answer", "target"]
Schedule = Literal["constant", "cosine"]
Axis = Literal["auto", "tokens", "features"]

METHODS: Final[tuple[Method, ...]] = get_args(Method)
LEVEL: Final = 1 / 255  # one grey level

NUDGE: Final[dict[Direction, float]] = {"apart": 1 * LEVEL, "similar": 5 * LEVEL}
"""Random start: each value moves up or down by this much.

Without it, similarity is at its maximum, where the gradient is rounding noise.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttackConfig:
    """Attack settings; the defaults are the paper's."""

    # "ifgsm" steps along the gradient's sign, "pgd" along the gradient, scaled to a mean magnitude of 1, so that both
    # move equally far; "apgd" has momentum and an adaptive step (Croce and Hein 2020, not in the paper); "random_noise"
    # moves each value by epsilon without a gradient: the model-independent control.
    method: Method = "ifgsm"
    # "embedding", the paper's similarity of features; "answer", the negative log-likelihood of the response on the
    # clean image; "target", that of the opposite response, for cases that the model answers correctly.
    loss: Loss = "embedding"
    restarts: int = 1  # number of random starts, of which the best run counts; random noise is always a single draw
    draws: int = 49  # number of matched noise images that an attack is compared with; 49 suffice for p = 0.02
    epsilon: float = 8 * LEVEL  # largest change of a value, in [0, 1]; it holds in the saved PNG
    step_size: float | None = None  # the paper's gamma, in [0, 1]; None for the method's default of 0.5/255
    schedule: Schedule = "constant"  # or "cosine" from ``step_size`` down to 1e-4
    steps_apart: int = 500  # updates for cases that the model answers correctly
    steps_similar: int = 100  # updates for cases that it already fails
    start: float | None = None  # change of each value before the first step; None for the paper's, see :data:`NUDGE`
    # Axis of the cosine: "features" compares each token, "tokens" each channel; "auto" is "features", or with
    # ``compat`` the model's ``reference_axis``.
    axis: Axis = "auto"
    batch_size: int = 8  # number of equally sized images per batch
    # Reproduce the released code: similarity along the model's ``reference_axis``, PGD steps along the raw gradient
    # times 1.0 (which changes nothing in an image of many pixels), correct cases start at the image itself, one update
    # fewer than ``steps``, a cosine schedule over ``steps_apart`` for both directions, the last iterate instead of the
    # best, and a truncated instead of rounded PNG, which may leave the ball by one grey level. (The released code uses
    # the cosine schedule.)
    compat: bool = False

    def __post_init__(self) -> None:
        for name, kind in (("method", Method), ("schedule", Schedule), ("loss", Loss), ("axis", Axis)):
            if (value := getattr(self, name)) not in get_args(kind):
                raise VhbenchError(f"attack {name}: expected one of {', '.join(get_args(kind))}, got {value!r}")
        for name in ("steps_apart", "steps_similar", "batch_size", "restarts"):
            if getattr(self, name) < 1:
                raise VhbenchError(f"attack {name}: expected 1 or more, got {getattr(self, name)}")
        if not LEVEL <= self.epsilon <= 1:
            raise VhbenchError(f"attack epsilon: expected 1/255 (one grey level) to 1, got {self.epsilon}")
        if self.step_size is not None and not self.step_size > 0:
            raise VhbenchError(f"attack step_size: expected more than 0, got {self.step_size}")
        if self.start is not None and not 0 <= self.start <= self.epsilon:
            raise VhbenchError(
                f"--start {self.start * 255:g}: expected 0 to --epsilon, {self.epsilon * 255:g} grey levels"
            )

    def sign(self, direction: Direction) -> float:
        """Return 1 if the attack raises its objective, -1 if it lowers it."""
        return 1.0 if (self.loss, direction) in (("embedding", "similar"), ("answer", "apart")) else -1.0

    def steps(self, direction: Direction) -> int:
        """Return the number of updates."""
        if self.method == "random_noise":
            return 0
        return (self.steps_apart if direction == "apart" else self.steps_similar) - self.compat

    def rate(self, step: int, direction: Direction) -> float:
        """Return the step size of an update, counted from 0."""
        alpha = self.step_size or (1.0 if self.method == "pgd" and self.compat else 0.5 * LEVEL)
        if self.schedule == "constant":
            return alpha
        horizon = self.steps_apart if self.compat else self.steps(direction)
        return 1e-4 + (alpha - 1e-4) * (1 + math.cos(math.pi * step / horizon)) / 2

    def nudge(self, direction: Direction) -> float:
        """Return the change of each value before the first step."""
        if self.method == "random_noise":
            return self.epsilon
        if self.start is not None:
            return self.start
        return 0.0 if self.compat and direction == "apart" else min(NUDGE[direction], self.epsilon)
