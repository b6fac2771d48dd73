"""White-box attacks on a VLM (VHExpansion, section 3.3): one loop, and an objective and an update as its hooks.

For a case that the model answers correctly, the attack lowers the similarity to the clean image's features. For a case
it already fails, it keeps them similar. Both stay inside an L-infinity ball of pixels. (Equation 1 of the paper swaps
the two cases; its text and code do not.) Not in the paper: APGD (Croce and Hein 2020), losses on the answer, several
models at once, and a test against matched noise. The attack accesses models only through
:class:`vhbench.protocols.WhiteBoxVLM`.
"""

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from PIL import Image
from torch import Tensor

from vhbench.files import cached
from vhbench.generators.vhexpansion.attack_config import NUDGE, AttackConfig, Direction
from vhbench.generators.vhexpansion.attack_updates import Apgd, Fixed, per_image
from vhbench.images import open_image, to_png
from vhbench.protocols import WhiteBoxVLM
from vhbench.schema import Rejection, VhbenchError
from vhbench.seeding import rng

Pixels = npt.NDArray[np.uint8]
Models = Sequence[WhiteBoxVLM]
Key = tuple[str, ...]
"""Image digest, attack direction and, for a loss on the answer, question and response."""

Objective = Callable[[Tensor], Tensor]
"""Images → one value per image, which an attack raises or lowers."""

MIN_SIDE = 8
"""Minimum side in pixels; a smaller image is less than one patch of any encoder."""

ALPHA = 0.02
"""An attack achieved something if matched noise does as well with at most this probability."""


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
    """Attacked image.

    Attributes:
        id: case id.
        png: encoded image.
        direction: attack direction.
        before: objective at the start of the attack: mean cosine similarity to the original's features, or with a loss
            on the answer the response's negative log-likelihood.
        after: the objective of the result before saving.
        saved: the objective of the PNG, decoded as an evaluation decodes it.
        noise: mean objective of matched noise on the same image: the same changes, shuffled and with random signs.
        p: share of matched noise that reaches the objective of the PNG, the PNG counted among it.
        achieved: whether ``p`` is at most :data:`ALPHA`.
        linf: largest change of a value, in grey levels.
        steps: number of updates.
        trace: objective before each update.
    """

    id: str
    png: bytes
    direction: Direction
    before: float
    after: float
    saved: float
    noise: float | None
    p: float
    achieved: bool
    linf: int
    steps: int
    trace: tuple[float, ...]

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
    resumes to the same result. Another device or torch build may round gradients differently.

    Args:
        cases: images and directions.
        model: model under attack, or several that are attacked together.
        config: attack settings; defaults to the paper's.
        seed: random seed of the start.
        cache: folder for finished images, keyed by content, to resume an attack.

    Returns:
        One result per case, in order, or a rejection: ``image_too_small``, ``unprocessable_image`` (rejected by the
        model's image processor) or ``nan_gradient``.

    Raises:
        VhbenchError: for an image that is not RGB uint8, or an unknown direction.
    """
    config = config or AttackConfig()
    models = model if isinstance(model, Sequence) else [model]
    members: dict[Key, list[int]] = {}
    for index, case in enumerate(cases):
        _check(case)
        members.setdefault(_key(case, config), []).append(index)
    done: list[AttackResult | Rejection | None] = [None] * len(cases)
    for keys in batches({key: cases[where[0]] for key, where in members.items()}, size=config.batch_size):
        batch = [cases[members[key][0]] for key in keys]
        found = _attacked(batch, keys, models=models, config=config, seed=seed, cache=cache)
        for key, fields in zip(keys, found, strict=True):
            for index in members[key]:
                done[index] = _finished(cases[index], fields)
    return [result for result in done if result is not None]


def _attacked(
    batch: Sequence[AttackCase],
    keys: Sequence[Key],
    *,
    models: Models,
    config: AttackConfig,
    seed: int,
    cache: Path | None,
) -> Iterable[dict[str, Any]]:
    """Yield the result fields per image; a batch is recomputed unless fully cached."""

    def make(missing: Sequence[int]) -> list[dict[str, Any]]:
        every = _attack_batch(batch, keys, models=models, config=config, seed=seed)
        return [every[i] for i in missing]

    if cache is None:
        return make(range(len(keys)))
    # Other images of a batch change the last bits of a gradient, hence sign() and bytes, so they are part of the key.
    settings = [seed, [[model.name, model.fingerprint] for model in models], asdict(config), keys]
    return cached("attacks", ([settings, key] for key in keys), make, folder=cache)


def _key(case: AttackCase, config: AttackConfig) -> Key:
    """Return what an attack depends on: the SHA-256 of shape and pixels, the direction, and what is asked."""
    digest = hashlib.sha256(str(case.image.shape).encode() + np.ascontiguousarray(case.image).tobytes()).hexdigest()
    return digest, case.direction, *(() if config.loss == "embedding" else (case.question, case.response))


def batches(cases: dict[Key, AttackCase], *, size: int) -> Iterator[list[Key]]:
    """Yield batches of keys whose cases have the same size and direction."""
    alike: dict[tuple[tuple[int, ...], str], list[Key]] = {}
    for key, case in cases.items():
        alike.setdefault((case.image.shape, case.direction), []).append(key)
    for keys in alike.values():
        for start in range(0, len(keys), size):
            yield keys[start : start + size]


def run(
    x: Tensor, clean: Tensor, direction: Direction, objective: Objective, config: AttackConfig
) -> tuple[Tensor, Tensor]:
    """Run the attack on one batch: the one loop of all methods.

    Args:
        x: start images, float in [0, 1], shape (batch, 3, height, width).
        clean: originals, likewise.
        direction: attack direction of the batch.
        objective: value per image.
        config: attack settings.

    Returns:
        The attacked images: the best iterate, since steps of a fixed size oscillate around a maximum, or with
        ``compat`` the last; the objective before each update and of the result, shape (updates + 1, batch).
    """
    sign, trace = config.sign(direction), []
    best, score = x, torch.full(x.shape[:1], -sign * math.inf, device=x.device)
    update = (Apgd if config.method == "apgd" else Fixed)(x, clean, direction, config)
    for step in range(config.steps(direction)):
        values, gradient = value_and_gradient(x, objective)
        trace.append(values)
        best, score = better(best, score, x, values, sign)
        active = unfinished(values, sign, config)
        moved = update(step, x, sign * gradient, sign * values, best, sign * score)
        x = torch.where(per_image(active), moved, x)
        if config.stop_at is not None and not active.any():
            break
    with torch.no_grad():
        last = objective(x)
    best, score = (x, last) if config.compat else better(best, score, x, last, sign)
    return best, torch.stack([*trace, score])


def better(best: Tensor, score: Tensor, x: Tensor, similarities: Tensor, sign: float) -> tuple[Tensor, Tensor]:
    """Return, per image, the candidate further in the attack direction, and its similarity."""
    improved = ~(sign * (score - similarities) >= 0)  # NaN counts as an improvement and stays
    return torch.where(per_image(improved), x, best), torch.where(improved, similarities, score)


def similarity(features: Tensor, reference: Tensor, *, model: WhiteBoxVLM, config: AttackConfig) -> Tensor:
    """Return the mean cosine per image for features of shape (batch, tokens, dimension).

    The cosine runs over the features of each token; with ``compat``, over the released code's axis, which for some
    models is the token axis.
    """
    axis = config.axis if config.axis != "auto" else model.reference_axis if config.compat else "features"
    cosines = torch.nn.functional.cosine_similarity(features, reference, dim=1 if axis == "tokens" else 2)
    return cosines.mean(dim=1)


def objective_of(batch: Sequence[AttackCase], models: Models, config: AttackConfig) -> Objective:
    """Return the mean over models of the similarity to the originals, or of the loss on the responses."""
    if config.loss == "embedding":
        originals = to_tensor([case.image for case in batch], models[0].device)
        with torch.no_grad():
            references = [model.features(originals) for model in models]

        def resemblance(x: Tensor) -> Tensor:
            pairs = zip(models, references, strict=True)
            return torch.stack([similarity(m.features(x), r, model=m, config=config) for m, r in pairs]).mean(dim=0)

        return resemblance
    asked, said = [case.question for case in batch], [case.response for case in batch]
    return lambda x: torch.stack([model.answer_loss(x, asked, said) for model in models]).mean(dim=0)


def value_and_gradient(x: Tensor, objective: Objective) -> tuple[Tensor, Tensor]:
    """Return value and gradient per image; the value is NaN for a non-finite gradient."""
    x = x.detach().requires_grad_()
    values = objective(x)
    (gradient,) = torch.autograd.grad(values.sum(), x)  # images are independent, so each has its own gradient
    whole = gradient.isfinite().flatten(1).all(dim=1)
    return torch.where(whole, values.detach(), math.nan), gradient


def start(image: Pixels, direction: Direction, *, generator: np.random.Generator, config: AttackConfig) -> Tensor:
    """Return the start of an attack, shape (3, height, width): near the image, or the image."""
    clean = image.transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    if not (nudge := config.nudge(direction)):
        return torch.from_numpy(clean)
    coin = generator.integers(0, 2, size=clean.shape, dtype=np.int8) * 2 - 1
    return torch.from_numpy(np.clip(clean + coin * np.float32(nudge), 0, 1))


def unfinished(values: Tensor, sign: float, config: AttackConfig) -> Tensor:
    """Return per image whether the objective has not yet reached ``stop_at``."""
    if config.stop_at is None:
        return torch.ones_like(values, dtype=torch.bool)
    return sign * (values - config.stop_at) < 0


def to_levels(x: Tensor, images: Sequence[Pixels], *, epsilon: float, compat: bool) -> list[Pixels]:
    """Return uint8 images within epsilon of the originals.

    Rounding may exceed epsilon, so the ball is applied again to whole levels. The released code truncates and does not
    (``compat``).
    """
    values = x.permute(0, 2, 3, 1).cpu().numpy() * np.float32(255)
    if compat:
        return list(values.astype(np.uint8))
    radius = math.floor(epsilon * 255 + 1e-6)
    clean = np.stack(images).astype(np.int16)
    return list(
        np.clip(np.rint(values), np.maximum(clean - radius, 0), np.minimum(clean + radius, 255)).astype(np.uint8)
    )


def to_tensor(images: Sequence[Pixels], device: Any) -> Tensor:
    """Stack (height, width, 3) images into one uint8 tensor (batch, 3, height, width)."""
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).contiguous().to(device)


def _attack_batch(
    batch: Sequence[AttackCase], keys: Sequence[Key], *, models: Models, config: AttackConfig, seed: int
) -> list[dict[str, Any]]:
    """Attack images of one size and direction; return result fields or a rejection per image."""
    direction, images = batch[0].direction, [case.image for case in batch]
    if min(images[0].shape[:2]) < MIN_SIDE:
        size = f"{images[0].shape[1]}x{images[0].shape[0]}"
        return [{"reason": "image_too_small", "detail": {"size": size, "smallest side": MIN_SIDE}}] * len(batch)
    generators = [rng(seed, "vhexpansion", "attack", *key) for key in keys]
    try:
        objective = objective_of(batch, models, config)
        x, history = _best_of_restarts(images, generators, direction, objective, models[0].device, config)
        levels = to_levels(x.nan_to_num(), images, epsilon=config.epsilon, compat=config.compat)
        pngs = [to_png(Image.fromarray(level)) for level in levels]
        opened = [np.asarray(open_image(png)) for png in pngs]
        with torch.no_grad():
            saved = objective(to_tensor(opened, models[0].device))
            noises = [
                objective(to_tensor(_shuffled(images, opened, generators), x.device)) for _ in range(config.draws)
            ]
    except ValueError as error:  # a limit of the image processor, such as the aspect ratio
        return [{"reason": "unprocessable_image", "detail": {"error": str(error)}}] * len(batch)
    except torch.OutOfMemoryError as error:
        raise VhbenchError(f"{len(batch)} images of one size at once need too much memory; lower --batch") from error
    drawn = torch.stack(noises).T.tolist() if noises else [[]] * len(batch)
    told = zip(images, opened, pngs, history.T.tolist(), saved.tolist(), strict=True)
    return [_fields(*case, noise, config.sign(direction), config) for case, noise in zip(told, drawn, strict=True)]


def _best_of_restarts(
    images: Sequence[Pixels],
    generators: Sequence[np.random.Generator],
    direction: Direction,
    objective: Objective,
    device: Any,
    config: AttackConfig,
) -> tuple[Tensor, Tensor]:
    """Return each image's best run from several random starts."""
    clean = to_tensor(images, device) / 255
    found: tuple[Tensor, Tensor] | None = None
    for _ in range(1 if config.method == "random_noise" else config.restarts):  # a control is one draw
        starts = [start(i, direction, generator=g, config=config) for i, g in zip(images, generators, strict=True)]
        x, history = run(torch.stack(starts).to(device), clean, direction, objective, config)
        if found is not None:
            worse = config.sign(direction) * (found[1][-1] - history[-1]) >= 0
            length = max(len(found[1]), len(history))
            old, new = (torch.cat([h[:-1], h[-1:].expand(length + 1 - len(h), -1)]) for h in (found[1], history))
            x, history = torch.where(per_image(worse), found[0], x), torch.where(worse, old, new)
        found = x, history
    assert found is not None
    return found


def _shuffled(
    images: Sequence[Pixels], attacked: Sequence[Pixels], generators: Sequence[np.random.Generator]
) -> list[Pixels]:
    """Return matched noise: each image's changes in another order and with random signs."""
    found = []
    for image, changed, generator in zip(images, attacked, generators, strict=True):
        size = generator.permutation(np.abs(changed.astype(np.int16) - image).reshape(-1)).reshape(image.shape)
        coin = generator.integers(0, 2, size=image.shape, dtype=np.int16) * 2 - 1
        found.append(np.clip(image + coin * size, 0, 255).astype(np.uint8))
    return found


def _fields(
    image: Pixels,
    opened: Pixels,
    png: bytes,
    history: list[float],
    saved: float,
    noise: list[float],
    sign: float,
    config: AttackConfig,
) -> dict[str, Any]:
    if not all(map(math.isfinite, history)):
        first = next(step for step, value in enumerate(history) if not math.isfinite(value))
        return {"reason": "nan_gradient", "detail": {"step": first}}
    trace = history[:-1]
    finished = unfinished(torch.tensor(trace), sign, config).tolist()
    steps = finished.index(False) if False in finished else len(trace)
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
        "steps": steps,
        "trace": [round(value, 6) for value in trace[:steps]],
    }


def _finished(case: AttackCase, fields: dict[str, Any]) -> AttackResult | Rejection:
    if "reason" in fields:
        return Rejection(
            item=case.id, reason=fields["reason"], detail={"direction": case.direction, **fields["detail"]}
        )
    return AttackResult(id=case.id, direction=case.direction, **{**fields, "trace": tuple(fields["trace"])})


def _check(case: AttackCase) -> None:
    image = case.image
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or 0 in image.shape:
        raise VhbenchError(
            f"case {case.id}: an image to attack is RGB uint8 of shape (height, width, 3), "
            f"not {image.dtype} of shape {image.shape}"
        )
    if case.direction not in NUDGE:
        raise VhbenchError(
            f"case {case.id}: direction {case.direction!r} is unknown; must be one of {', '.join(NUDGE)}"
        )
