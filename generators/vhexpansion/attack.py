"""White-box attacks on the image features of a VLM (VHExpansion, section 3.3).

For a case that the model answers correctly, the attack lowers the similarity to the clean image's features. For a case
it already fails, it keeps them similar. Both stay inside an L-infinity ball of pixels. (Equation 1 of the paper swaps
the two cases; its text and code do not.) The attack accesses a model only through
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
from vhbench.generators.vhexpansion.attack_config import AttackConfig, Direction
from vhbench.images import open_image, to_png
from vhbench.protocols import WhiteBoxVLM
from vhbench.schema import Rejection, VhbenchError
from vhbench.seeding import rng

Pixels = npt.NDArray[np.uint8]
Key = tuple[str, str]
"""Image digest and attack direction."""

MIN_SIDE = 8
"""Minimum side in pixels; a smaller image is less than one patch of any encoder."""

SIGN = {"apart": -1.0, "similar": 1.0}
"""Sign of the step along the similarity gradient."""

WORTH = {"apart": 1e-3, "similar": 0.05}
"""Minimum effect in the saved image.

"apart" must lower the similarity by this much; "similar" must close this fraction of the gap that the random start
opened.
"""


@dataclass(frozen=True, slots=True)
class AttackCase:
    """RGB uint8 image of shape (height, width, 3) with its attack direction."""

    id: str
    image: Pixels
    direction: Direction


@dataclass(frozen=True, slots=True)
class AttackResult:
    """Attacked image.

    Attributes:
        id: case id.
        png: encoded image.
        direction: attack direction.
        before: mean cosine similarity to the original's features at the start of the attack.
        after: the similarity of the result before saving.
        saved: the similarity of the PNG, decoded as an evaluation decodes it.
        achieved: whether the saved image moved in the attack direction by the minimum effect.
        linf: largest change of a value, in grey levels.
        steps: number of updates.
        trace: similarity before each update.
    """

    id: str
    png: bytes
    direction: Direction
    before: float
    after: float
    saved: float
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
    model: WhiteBoxVLM,
    config: AttackConfig | None = None,
    seed: int = 0,
    cache: Path | None = None,
) -> list[AttackResult | Rejection]:
    """Attack images; cases with the same image and direction are attacked once.

    Equal arguments give equal bytes on one machine. Batches depend only on the list of cases, so an interrupted attack
    resumes to the same result. Another device or torch build may round gradients differently.

    Args:
        cases: images and directions.
        model: model under attack.
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
    members: dict[Key, list[int]] = {}
    for index, case in enumerate(cases):
        _check(case)
        members.setdefault((_digest(case.image), case.direction), []).append(index)
    done: list[AttackResult | Rejection | None] = [None] * len(cases)
    for keys in batches({key: cases[where[0]] for key, where in members.items()}, size=config.batch_size):
        batch = [cases[members[key][0]] for key in keys]
        found = _attacked(batch, keys, model=model, config=config, seed=seed, cache=cache)
        for key, fields in zip(keys, found, strict=True):
            for index in members[key]:
                done[index] = _finished(cases[index], fields)
    return [result for result in done if result is not None]


def _attacked(
    batch: Sequence[AttackCase],
    keys: Sequence[Key],
    *,
    model: WhiteBoxVLM,
    config: AttackConfig,
    seed: int,
    cache: Path | None,
) -> Iterable[dict[str, Any]]:
    """Yield the result fields per image; a batch is recomputed unless fully cached."""

    def make(missing: Sequence[int]) -> list[dict[str, Any]]:
        every = _attack_batch(batch, keys, model=model, config=config, seed=seed)
        return [every[i] for i in missing]

    if cache is None:
        return make(range(len(keys)))
    # Other images of a batch change the last bits of a gradient, hence sign() and bytes, so they are part of the key.
    settings = [seed, model.name, model.fingerprint, asdict(config), keys]
    return cached("attacks", ([settings, key] for key in keys), make, folder=cache)


def _digest(image: Pixels) -> str:
    """Return the SHA-256 of an image's shape and pixels."""
    return hashlib.sha256(str(image.shape).encode() + np.ascontiguousarray(image).tobytes()).hexdigest()


def batches(cases: dict[Key, AttackCase], *, size: int) -> Iterator[list[Key]]:
    """Yield batches of keys whose cases have the same size and direction."""
    alike: dict[tuple[tuple[int, ...], str], list[Key]] = {}
    for key, case in cases.items():
        alike.setdefault((case.image.shape, case.direction), []).append(key)
    for keys in alike.values():
        for start in range(0, len(keys), size):
            yield keys[start : start + size]


def run(
    images: Sequence[Pixels], starts: Tensor, direction: Direction, *, model: WhiteBoxVLM, config: AttackConfig
) -> tuple[Tensor, Tensor, Tensor]:
    """Run the attack on one batch.

    Args:
        images: originals of one size, RGB uint8.
        starts: start images, float in [0, 1], shape (batch, 3, height, width).
        direction: attack direction of the batch.
        model: model under attack.
        config: attack settings.

    Returns:
        The attacked images (as ``starts``): the best iterate, since steps of a fixed size oscillate around a maximum,
        or with ``compat`` the last; the similarities before each update and of the result, shape (updates + 1, batch);
        the features of the originals, shape (batch, tokens, dimension).
    """
    original, sign = to_tensor(images, model.device), SIGN[direction]
    ascent = ascent_of(config)
    clean, x, trace = original / 255, starts.to(model.device), []
    with torch.no_grad():
        reference = model.features(original)
    best, score = x, torch.full(x.shape[:1], -sign * math.inf, device=x.device)
    for step in range(config.steps(direction)):
        similarities, gradient = similarity_and_gradient(x, reference, model=model, config=config)
        trace.append(similarities)
        best, score = better(best, score, x, similarities, sign)
        active = unfinished(similarities, direction, config)
        moved = x + sign * config.rate(step, direction) * ascent(gradient)
        x = torch.where(per_image(active), project(moved, clean, epsilon=config.epsilon), x)
        if config.stop_at is not None and not active.any():
            break
    with torch.no_grad():
        last = similarity(model.features(x), reference, model=model, config=config)
    best, score = (x, last) if config.compat else better(best, score, x, last, sign)
    return best, torch.stack([*trace, score]), reference


def better(best: Tensor, score: Tensor, x: Tensor, similarities: Tensor, sign: float) -> tuple[Tensor, Tensor]:
    """Return, per image, the candidate further in the attack direction, and its similarity."""
    improved = ~(sign * (score - similarities) >= 0)  # NaN counts as an improvement and stays
    return torch.where(per_image(improved), x, best), torch.where(improved, similarities, score)


def per_image(mask: Tensor) -> Tensor:
    """Reshape one value per image to broadcast over its pixels."""
    return mask[:, None, None, None]


def ascent_of(config: AttackConfig) -> Callable[[Tensor], Tensor]:
    """Return the function that turns a gradient into a step direction."""
    if config.method == "ifgsm":
        return torch.sign
    return torch.clone if config.compat else evened


def evened(gradient: Tensor) -> Tensor:
    """Return gradients scaled to a mean magnitude of 1 per image, independent of image size."""
    return gradient / gradient.abs().mean(dim=(1, 2, 3), keepdim=True).clamp_min(torch.finfo(gradient.dtype).tiny)


def similarity(features: Tensor, reference: Tensor, *, model: WhiteBoxVLM, config: AttackConfig) -> Tensor:
    """Return the mean cosine per image for features of shape (batch, tokens, dimension).

    The cosine runs over the features of each token; with ``compat``, over the released code's axis, which for some
    models is the token axis.
    """
    axis = config.axis if config.axis != "auto" else model.reference_axis if config.compat else "features"
    cosines = torch.nn.functional.cosine_similarity(features, reference, dim=1 if axis == "tokens" else 2)
    return cosines.mean(dim=1)


def similarity_and_gradient(
    x: Tensor, reference: Tensor, *, model: WhiteBoxVLM, config: AttackConfig
) -> tuple[Tensor, Tensor]:
    """Return similarity and gradient per image; similarity is NaN for a non-finite gradient."""
    x = x.detach().requires_grad_()
    similarities = similarity(model.features(x), reference, model=model, config=config)
    (gradient,) = torch.autograd.grad(similarities.sum(), x)  # images are independent, so each has its own gradient
    whole = gradient.isfinite().flatten(1).all(dim=1)
    return torch.where(whole, similarities.detach(), math.nan), gradient


def project(x: Tensor, clean: Tensor, *, epsilon: float) -> Tensor:
    """Project images onto the epsilon ball around the clean ones and onto [0, 1]."""
    return torch.clamp(clean + torch.clamp(x - clean, -epsilon, epsilon), 0, 1)


def start(image: Pixels, direction: Direction, *, generator: np.random.Generator, config: AttackConfig) -> Tensor:
    """Return the start of an attack, shape (3, height, width): near the image, or the image."""
    clean = image.transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    if not (nudge := config.nudge(direction)):
        return torch.from_numpy(clean)
    coin = generator.integers(0, 2, size=clean.shape, dtype=np.int8) * 2 - 1
    return torch.from_numpy(np.clip(clean + coin * np.float32(nudge), 0, 1))


def unfinished(similarities: Tensor, direction: Direction, config: AttackConfig) -> Tensor:
    """Return per image whether the similarity has not yet reached ``stop_at``."""
    if config.stop_at is None:
        return torch.ones_like(similarities, dtype=torch.bool)
    return SIGN[direction] * (similarities - config.stop_at) < 0


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
    batch: Sequence[AttackCase], keys: Sequence[Key], *, model: WhiteBoxVLM, config: AttackConfig, seed: int
) -> list[dict[str, Any]]:
    """Attack images of one size and direction; return result fields or a rejection per image."""
    direction, images = batch[0].direction, [case.image for case in batch]
    if min(images[0].shape[:2]) < MIN_SIDE:
        size = f"{images[0].shape[1]}x{images[0].shape[0]}"
        return [{"reason": "image_too_small", "detail": {"size": size, "smallest side": MIN_SIDE}}] * len(batch)
    generators = [rng(seed, "vhexpansion", "attack", *key) for key in keys]
    starts = [start(i, direction, generator=g, config=config) for i, g in zip(images, generators, strict=True)]
    try:
        x, history, reference = run(images, torch.stack(starts), direction, model=model, config=config)
        levels = to_levels(x.nan_to_num(), images, epsilon=config.epsilon, compat=config.compat)
        pngs = [to_png(Image.fromarray(level)) for level in levels]
        opened = to_tensor([np.asarray(open_image(png)) for png in pngs], model.device)
        with torch.no_grad():
            saved = similarity(model.features(opened), reference, model=model, config=config)
    except ValueError as error:  # a limit of the image processor, such as the aspect ratio
        return [{"reason": "unprocessable_image", "detail": {"error": str(error)}}] * len(batch)
    except torch.OutOfMemoryError as error:
        raise VhbenchError(f"{len(batch)} images of one size at once need too much memory; lower --batch") from error
    return [
        _fields(image, png, curve, value, direction, config)
        for image, png, curve, value in zip(images, pngs, history.T.tolist(), saved.tolist(), strict=True)
    ]


def achieved(before: float, saved: float, direction: Direction) -> bool:
    """Return whether the saved image's similarity moved by at least :data:`WORTH`."""
    if direction == "apart":
        return before - saved >= WORTH["apart"]
    return saved - before >= WORTH["similar"] * (1 - before) > 0


def _fields(
    image: Pixels, png: bytes, history: list[float], saved: float, direction: Direction, config: AttackConfig
) -> dict[str, Any]:
    if not all(map(math.isfinite, history)):
        first = next(step for step, value in enumerate(history) if not math.isfinite(value))
        return {"reason": "nan_gradient", "detail": {"step": first}}
    trace = history[:-1]
    finished = unfinished(torch.tensor(trace), direction, config).tolist()
    steps = finished.index(False) if False in finished else len(trace)
    change = np.abs(np.asarray(open_image(png)).astype(np.int16) - image)
    return {
        "png": png,
        "before": history[0],
        "after": history[-1],
        "saved": saved,
        "achieved": achieved(history[0], saved, direction) if trace else achieved(1.0, saved, "apart"),
        "linf": int(change.max()),
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
    if case.direction not in SIGN:
        raise VhbenchError(f"case {case.id}: direction {case.direction!r} is unknown; must be one of {', '.join(SIGN)}")
