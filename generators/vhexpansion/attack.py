"""White-box attacks on the image features of a vision-language model (VHExpansion, section 3.3).

A case that a model answers right is pushed away from its image's embedding, one that it already fails is kept
similar to it, both inside an L-infinity ball of pixels. (Equation 1 of the paper has the two cases swapped; its text
and its code say this.) The attack sees a model only as :class:`vhbench.protocols.WhiteBoxVLM`.
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
"""Digest of an image, and the direction in which it is driven."""

MIN_SIDE = 8
"""Pixels. A smaller image is less than one patch of any encoder."""

SIGN = {"apart": -1.0, "similar": 1.0}
"""Whether the similarity is descended or ascended."""

WORTH = {"apart": 1e-3, "similar": 0.05}
"""What an attack must do in the saved image to have achieved anything: lower the similarity by so much, or close this
share of the gap that the random start has torn."""


@dataclass(frozen=True, slots=True)
class AttackCase:
    """One image, RGB uint8 of shape (height, width, 3), and where to drive its features."""

    id: str
    image: Pixels
    direction: Direction


@dataclass(frozen=True, slots=True)
class AttackResult:
    """An attacked image.

    Attributes:
        id: of the case.
        png: the encoded image.
        direction: of the case.
        before: mean cosine similarity to the original's features at the start of the attack.
        after: of the result, before it is saved.
        saved: of the PNG, opened again and read as an evaluation reads it.
        achieved: whether the saved image is where the attack wanted it, or at least on the way.
        linf: the largest change of a value, in grey levels.
        steps: updates made.
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
        """Return everything but the image and the trace, as JSON types."""
        return {k: v for k, v in asdict(self).items() if k not in ("png", "trace")}


def attack(
    cases: Sequence[AttackCase],
    *,
    model: WhiteBoxVLM,
    config: AttackConfig | None = None,
    seed: int = 0,
    cache: Path | None = None,
) -> list[AttackResult | Rejection]:
    """Attack images; cases that share image and direction are attacked once.

    Equal arguments give equal bytes on one machine. Batches depend on the list of cases only, so that an interrupted
    attack resumes to the same result; another device or torch build may round gradients differently.

    Args:
        cases: what to attack.
        model: whose features are driven.
        config: how; the paper's settings by default.
        seed: of the random start.
        cache: a folder that keeps every finished image, keyed by content, so that an attack can be resumed.

    Returns:
        One result per case, in order, or a rejection: ``image_too_small``, ``unprocessable_image`` (the model's own
        image processor refuses it) or ``nan_gradient``.

    Raises:
        VhbenchError: for an image that is not RGB uint8, or a direction that does not exist.
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
    """Yield what came of each image of a batch; the whole batch is attacked if the cache lacks any of it."""

    def make(missing: Sequence[int]) -> list[dict[str, Any]]:
        every = _attack_batch(batch, keys, model=model, config=config, seed=seed)
        return [every[i] for i in missing]

    if cache is None:
        return make(range(len(keys)))
    # The neighbours in a batch change the last bits of a gradient, hence sign() and bytes: they are in the key.
    settings = [seed, model.name, model.fingerprint, asdict(config), keys]
    return cached("attacks", ([settings, key] for key in keys), make, folder=cache)


def _digest(image: Pixels) -> str:
    """Return the SHA-256 of an image's shape and pixels."""
    return hashlib.sha256(str(image.shape).encode() + np.ascontiguousarray(image).tobytes()).hexdigest()


def batches(cases: dict[Key, AttackCase], *, size: int) -> Iterator[list[Key]]:
    """Yield the keys of cases that can be attacked together: of one size and one direction."""
    alike: dict[tuple[tuple[int, ...], str], list[Key]] = {}
    for key, case in cases.items():
        alike.setdefault((case.image.shape, case.direction), []).append(key)
    for keys in alike.values():
        for start in range(0, len(keys), size):
            yield keys[start : start + size]


def run(
    images: Sequence[Pixels], starts: Tensor, direction: Direction, *, model: WhiteBoxVLM, config: AttackConfig
) -> tuple[Tensor, Tensor, Tensor]:
    """The attack itself.

    Args:
        images: originals of one size, RGB uint8.
        starts: where to start, float in [0, 1], shape (batch, 3, height, width).
        direction: of all of them.
        model: whose features are driven.
        config: how.

    Returns:
        The attacked images (as ``starts``): the best that was seen, for steps of a fixed size circle around a maximum,
        or with ``compat`` the last; the similarities before each update and those of the result, shape
        (updates + 1, batch); the features of the originals, shape (batch, tokens, dimension).
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
    """Return, image by image, whichever is further in the wanted direction, and its similarity."""
    improved = ~(sign * (score - similarities) >= 0)  # not a number counts, and stays
    return torch.where(per_image(improved), x, best), torch.where(improved, similarities, score)


def per_image(mask: Tensor) -> Tensor:
    """Return one value per image in a shape that spreads over its pixels."""
    return mask[:, None, None, None]


def ascent_of(config: AttackConfig) -> Callable[[Tensor], Tensor]:
    """Return what becomes of a gradient before it is stepped along."""
    if config.method == "ifgsm":
        return torch.sign
    return torch.clone if config.compat else evened


def evened(gradient: Tensor) -> Tensor:
    """Return gradients scaled to a mean magnitude of one per image; the step no longer depends on its size."""
    return gradient / gradient.abs().mean(dim=(1, 2, 3), keepdim=True).clamp_min(torch.finfo(gradient.dtype).tiny)


def similarity(features: Tensor, reference: Tensor, *, model: WhiteBoxVLM, config: AttackConfig) -> Tensor:
    """Return the mean cosine per image, shape (batch,), of features of shape (batch, tokens, dimension).

    Each token is compared over its features; with ``compat``, along the axis of the released code, which for some
    models are the tokens.
    """
    axis = config.axis if config.axis != "auto" else model.reference_axis if config.compat else "features"
    cosines = torch.nn.functional.cosine_similarity(features, reference, dim=1 if axis == "tokens" else 2)
    return cosines.mean(dim=1)


def similarity_and_gradient(
    x: Tensor, reference: Tensor, *, model: WhiteBoxVLM, config: AttackConfig
) -> tuple[Tensor, Tensor]:
    """Return the similarity of each image, not a number where its gradient is none, and that gradient."""
    x = x.detach().requires_grad_()
    similarities = similarity(model.features(x), reference, model=model, config=config)
    (gradient,) = torch.autograd.grad(similarities.sum(), x)  # images do not mix: each has its own gradient
    whole = gradient.isfinite().flatten(1).all(dim=1)
    return torch.where(whole, similarities.detach(), math.nan), gradient


def project(x: Tensor, clean: Tensor, *, epsilon: float) -> Tensor:
    """Return the nearest images within epsilon of the clean ones and within [0, 1]."""
    return torch.clamp(clean + torch.clamp(x - clean, -epsilon, epsilon), 0, 1)


def start(image: Pixels, direction: Direction, *, generator: np.random.Generator, config: AttackConfig) -> Tensor:
    """Return where an attack starts, shape (3, height, width): near the image, or at it (``compat``, apart)."""
    clean = image.transpose(2, 0, 1).astype(np.float32) / np.float32(255)
    if not (nudge := config.nudge(direction)):
        return torch.from_numpy(clean)
    coin = generator.integers(0, 2, size=clean.shape, dtype=np.int8) * 2 - 1
    return torch.from_numpy(np.clip(clean + coin * np.float32(nudge), 0, 1))


def unfinished(similarities: Tensor, direction: Direction, config: AttackConfig) -> Tensor:
    """Tell per image whether the similarity is still short of ``stop_at``."""
    if config.stop_at is None:
        return torch.ones_like(similarities, dtype=torch.bool)
    return SIGN[direction] * (similarities - config.stop_at) < 0


def to_levels(x: Tensor, images: Sequence[Pixels], *, epsilon: float, compat: bool) -> list[Pixels]:
    """Return images in grey levels, uint8, no further than epsilon from the originals.

    Rounding alone may step over epsilon, so the ball is applied once more to whole levels; the released code
    truncates and leaves it there (``compat``).
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
    """Return images of shape (height, width, 3) as one uint8 tensor (batch, 3, height, width)."""
    return torch.from_numpy(np.stack(images)).permute(0, 3, 1, 2).contiguous().to(device)


def _attack_batch(
    batch: Sequence[AttackCase], keys: Sequence[Key], *, model: WhiteBoxVLM, config: AttackConfig, seed: int
) -> list[dict[str, Any]]:
    """Attack images of one size and direction; per image the fields of a result, or a reason and its detail."""
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
    except ValueError as error:  # a processor's own limit, such as the aspect ratio
        return [{"reason": "unprocessable_image", "detail": {"error": str(error)}}] * len(batch)
    except torch.OutOfMemoryError as error:
        raise VhbenchError(f"{len(batch)} images of one size at once need too much memory; lower --batch") from error
    return [
        _fields(image, png, curve, value, direction, config)
        for image, png, curve, value in zip(images, pngs, history.T.tolist(), saved.tolist(), strict=True)
    ]


def achieved(before: float, saved: float, direction: Direction) -> bool:
    """Tell whether an attack moved the saved image's similarity by what :data:`WORTH` asks."""
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
