"""White-box attacks on a VLM (VHExpansion, section 3.3): one loop, and an objective and an update as its hooks.

For a case that the model answers correctly, the attack lowers the similarity to the clean image's features. For a case
it already fails, it keeps them similar. Both stay inside an L-infinity ball of pixels. (Equation 1 of the paper swaps
the two cases; its text and code do not.) Not in the paper: APGD (Croce and Hein 2020), losses on the answer, several
models at once, and a test against matched noise. The attack accesses models only through
:class:`vhbench.protocols.WhiteBoxVLM`.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import Tensor

from vhbench.adapters.attack_config import NUDGE, AttackConfig, Direction
from vhbench.adapters.attack_updates import Apgd, Fixed, per_image
from vhbench.adapters.loading import batches
from vhbench.files import cached
from vhbench.images import open_image, to_png
from vhbench.protocols import WhiteBoxVLM
from vhbench.schema import Rejection, VhbenchError
from vhbench.seeding import rng

Pixels = npt.NDArray[np.uint8]
Models = Sequence[WhiteBoxVLM]
Key = tuple[str, ...]  # image digest, attack direction and, for a loss on the answer, question and response
Objective = Callable[[Tensor], Tensor]  # images → one value per image, which an attack raises or lowers
ALPHA = 0.02  # an attack achieved something if matched noise does as well with at most this probability


@dataclass(frozen=True, slots=True)
class AttackCase:
    """RGB uint8 image of shape (height, width, 3) with its attack direction.

    A loss on the answer needs the question and the response whose likelihood changes.
    """

    id: str
    image: Pixels
    direction: Direction
    question: str = ""
    response: str = ""


@dataclass(frozen=True, slots=True)
class AttackResult:
    """Attacked image."""

    id: str
    png: bytes
    direction: Direction
    # Objective at the start of the attack: mean cosine similarity to the original's features, or with a loss on the
    # answer the response's negative log-likelihood.
    before: float
    after: float  # the objective of the result before saving
    saved: float  # the objective of the PNG, decoded as an evaluation decodes it
    # Mean objective of matched noise on the same image: the same changes, shuffled, with random signs.
    noise: float | None
    p: float  # share of matched noise that reaches the objective of the PNG, the PNG counted among it
    achieved: bool  # whether ``p`` is at most :data:`ALPHA`
    linf: int  # largest change of a value, in grey levels
    trace: Sequence[float]  # objective before each update

    def report(self) -> dict[str, Any]:
        """Return everything except the image and the trace, as JSON types."""
        return {k: v for k, v in asdict(self).items() if k not in ("png", "trace")}


def attack(
    cases: Sequence[AttackCase],
    *,
    model: WhiteBoxVLM | Models,
    config: AttackConfig | None = None,
    seed: int = 0,
    cache: Path | None = None,
) -> list[AttackResult | Rejection]:
    """Attack images; cases with the same image and direction are attacked once.

    Equal arguments give equal bytes on one machine. Batches depend only on the list of cases, so an interrupted attack
    resumes to the same result from the finished images in ``cache``. Another device or torch build may round gradients
    differently. Several models are attacked together.

    Returns:
        One result per case, in order, or a rejection: ``unprocessable_image`` (rejected by the model's processor) or
        ``nan_gradient``.

    Raises:
        VhbenchError: for an image that is not RGB uint8, or an unknown direction.
    """
    config, models = config or AttackConfig(), model if isinstance(model, Sequence) else [model]
    keys = [_key(case, config) for case in cases]
    unique, results = dict(zip(keys, cases, strict=True)), dict[Key, Mapping[str, Any]]()
    alike: dict[tuple[tuple[int, ...], str], list[Key]] = {}
    for key, case in unique.items():
        alike.setdefault((case.image.shape, case.direction), []).append(key)
    for batch in chain.from_iterable(batches(own, config.batch_size) for own in alike.values()):
        results |= zip(batch, _attacked(batch, unique, models, config, seed, cache), strict=True)
    return [
        Rejection(case.id, fields["reason"], {"direction": case.direction, **fields["detail"]})
        if "reason" in (fields := results[key])
        else AttackResult(id=case.id, direction=case.direction, **fields)
        for key, case in zip(keys, cases, strict=True)
    ]


def _key(case: AttackCase, config: AttackConfig) -> Key:
    """Return what an attack depends on: the SHA-256 of shape and pixels, the direction, and the prompt."""
    image = case.image
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise VhbenchError(f"case {case.id}: expected RGB uint8 (H, W, 3), got {image.dtype} of shape {image.shape}")
    if case.direction not in NUDGE:
        raise VhbenchError(f"case {case.id}: expected direction {' or '.join(NUDGE)}, got {case.direction!r}")
    digest = hashlib.sha256(str(image.shape).encode() + np.ascontiguousarray(image).tobytes()).hexdigest()
    return digest, case.direction, *(() if config.loss == "embedding" else (case.question, case.response))


def _attacked(
    keys: Sequence[Key],
    cases: Mapping[Key, AttackCase],
    models: Models,
    config: AttackConfig,
    seed: int,
    cache: Path | None,
) -> Iterable[dict[str, Any]]:
    """Return the result fields per image of a batch, which is recomputed unless fully cached."""

    def make(missing: Sequence[int]) -> list[dict[str, Any]]:
        every = _attack_batch([cases[key] for key in keys], keys, models=models, config=config, seed=seed)
        return [every[i] for i in missing]

    if cache is None:
        return make(range(len(keys)))
    # Other images of a batch change the last bits of a gradient, hence sign() and bytes, so they are part of the key.
    settings = [seed, [[model.name, model.fingerprint] for model in models], asdict(config), keys]
    return cached("attacks", ([settings, key] for key in keys), make, folder=cache)


def _attack_batch(
    batch: Sequence[AttackCase], keys: Sequence[Key], *, models: Models, config: AttackConfig, seed: int
) -> list[dict[str, Any]]:
    """Attack images of one size and direction; return result fields or a rejection per image."""
    direction, images, device = batch[0].direction, [case.image for case in batch], models[0].device
    draws = [rng(seed, "vhexpansion", "attack", *key) for key in keys]
    try:
        objective = objective_of(batch, models, config)
        clean, best = to_tensor(images, device) / 255, None
        # Of several random starts, each image's best run counts; a control is one draw, not the best of several.
        for _ in range(1 if config.method == "random_noise" else config.restarts):
            starts = [start(i, direction, generator=g, config=config) for i, g in zip(images, draws, strict=True)]
            x, history = run(torch.stack(starts).to(device), clean, direction, objective, config)
            if best is not None:
                worse = config.sign(direction) * (best[1][-1] - history[-1]) >= 0
                x, history = torch.where(per_image(worse), best[0], x), torch.where(worse, best[1], history)
            best = x, history
        assert best is not None
        x, history = best
        levels = to_levels(x.nan_to_num(), images, epsilon=config.epsilon, compat=config.compat)
        pngs = [to_png(Image.fromarray(level)) for level in levels]
        opened = [np.asarray(open_image(png)) for png in pngs]
        with torch.no_grad():
            saved = objective(to_tensor(opened, device))
            shuffled = ([*map(_matched_noise, images, opened, draws)] for _ in range(config.draws))
            noises = [objective(to_tensor(pixels, device)) for pixels in shuffled]
    except ValueError as error:  # a limit of the image processor, such as the aspect ratio
        return [{"reason": "unprocessable_image", "detail": {"error": str(error)}}] * len(batch)
    except torch.OutOfMemoryError as error:
        raise VhbenchError(f"{len(batch)} images of one size at once need too much memory; lower --batch") from error
    drawn = torch.stack(noises).T.tolist() if noises else [[]] * len(batch)
    each = zip(images, opened, pngs, history.T.tolist(), saved.tolist(), drawn, strict=True)
    return [_fields(*case, sign=config.sign(direction)) for case in each]


def _fields(
    image: Pixels, opened: Pixels, png: bytes, history: list[float], saved: float, noise: list[float], *, sign: float
) -> dict[str, Any]:
    if broken := [step for step, value in enumerate(history) if not math.isfinite(value)]:
        return {"reason": "nan_gradient", "detail": {"step": broken[0]}}
    p = (1 + sum(sign * value >= sign * saved for value in noise)) / (1 + len(noise))
    return {
        "png": png,
        "before": history[0],
        "after": history[-1],
        "saved": saved,
        "noise": sum(noise) / len(noise) if noise else None,
        "p": p,
        "achieved": p <= ALPHA,
        "linf": int(np.abs(opened.astype(np.int16) - image).max()),
        "trace": [round(value, 6) for value in history[:-1]],
    }


def run(
    x: Tensor, clean: Tensor, direction: Direction, objective: Objective, config: AttackConfig
) -> tuple[Tensor, Tensor]:
    """Run the attack on one batch: the one loop of all methods.

    Start images and originals are floats in [0, 1] of shape (batch, 3, height, width). Returns the best iterate, since
    steps of a fixed size oscillate around a maximum, or with ``compat`` the last; and the objective before each update
    and of the result, shape (updates + 1, batch).
    """
    sign, trace = config.sign(direction), []
    best, score = x, torch.full(x.shape[:1], -math.inf, device=x.device)
    update = (Apgd if config.method == "apgd" else Fixed)(x, clean, direction, config)
    for step in range(config.steps(direction)):
        values, gradient = value_and_gradient(x, objective)
        trace.append(values)
        best, score = _better(best, score, x, sign * values)
        x = update(step, x, sign * gradient, sign * values, best, score)
    with torch.no_grad():
        last = sign * objective(x)
    best, score = (x, last) if config.compat else _better(best, score, x, last)
    return best, torch.stack([*trace, sign * score])


def _better(best: Tensor, score: Tensor, x: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Return, per image, the candidate of the higher value, and that value; NaN is never the higher one."""
    improved = value > score
    return torch.where(per_image(improved), x, best), torch.where(improved, value, score)


def value_and_gradient(x: Tensor, objective: Objective) -> tuple[Tensor, Tensor]:
    """Return value and gradient per image; the value is NaN for a non-finite gradient."""
    x = x.detach().requires_grad_()
    values = objective(x)
    (gradient,) = torch.autograd.grad(values.sum(), x)  # images are independent, so each has its own gradient
    whole = gradient.isfinite().flatten(1).all(dim=1)
    return torch.where(whole, values.detach(), math.nan), gradient


def objective_of(batch: Sequence[AttackCase], models: Models, config: AttackConfig) -> Objective:
    """Return the mean over models of the similarity to the originals, or of the loss on the responses."""
    if config.loss != "embedding":
        questions, responses = [case.question for case in batch], [case.response for case in batch]
        return lambda x: torch.stack([model.answer_loss(x, questions, responses) for model in models]).mean(dim=0)
    originals = to_tensor([case.image for case in batch], models[0].device)
    with torch.no_grad():
        pairs = [(model, model.features(originals)) for model in models]
    return lambda x: torch.stack([similarity(m.features(x), r, model=m, config=config) for m, r in pairs]).mean(dim=0)


def similarity(features: Tensor, reference: Tensor, *, model: WhiteBoxVLM, config: AttackConfig) -> Tensor:
    """Return the mean cosine per image for features of shape (batch, tokens, dimension).

    The cosine runs over the features of each token; with ``compat``, over the axis of the released code.
    """
    axis = config.axis if config.axis != "auto" else model.reference_axis if config.compat else "features"
    cosines = torch.nn.functional.cosine_similarity(features, reference, dim=1 if axis == "tokens" else 2)
    return cosines.mean(dim=1)


def start(image: Pixels, direction: Direction, *, generator: np.random.Generator, config: AttackConfig) -> Tensor:
    """Return the start of an attack, shape (3, height, width): near the image, or the image."""
    clean = image.transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    coin = generator.integers(0, 2, size=clean.shape, dtype=np.int8) * 2 - 1
    return torch.from_numpy(np.clip(clean + coin * np.float32(config.nudge(direction)), 0, 1))


def _matched_noise(image: Pixels, attacked: Pixels, generator: np.random.Generator) -> Pixels:
    """Return an image with the changes of the attacked one in another order, and where both signs fit, random ones.

    Changes of nearly black and of nearly white values stay among these: elsewhere they would be clipped once more, and
    the noise weaker than the changes.
    """
    change = attacked.astype(np.int16) - image
    most = int(np.abs(change).max())
    coin = generator.integers(0, 2, size=image.shape, dtype=np.int16) * 2 - 1
    free = (image >= most) & (image <= 255 - most)
    for group in (free, image < most, image > 255 - most):
        change[group] = generator.permutation(change[group])
    change[free] *= coin[free]
    noise: Pixels = np.clip(image + change, 0, 255).astype(np.uint8)
    return noise


def to_levels(x: Tensor, images: Sequence[Pixels], *, epsilon: float, compat: bool) -> list[Pixels]:
    """Return uint8 images within epsilon of the originals.

    Rounding may exceed epsilon, so the ball is applied again to whole levels. The released code truncates and does not
    (``compat``).
    """
    values = x.permute(0, 2, 3, 1).cpu().numpy() * np.float32(255)
    if compat:
        return list(values.astype(np.uint8))
    radius, clean = math.floor(epsilon * 255 + 1e-6), np.stack(images).astype(np.int16)
    inside = np.clip(np.rint(values), np.maximum(clean - radius, 0), np.minimum(clean + radius, 255))
    return list(inside.astype(np.uint8))


def to_tensor(images: Sequence[Pixels], device: Any) -> Tensor:
    """Stack (height, width, 3) images into one uint8 tensor (batch, 3, height, width)."""
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).contiguous().to(device)
