"""The image source: specs in, scenes with exact truth out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import cv2
import numpy as np

from vhbench.generators.scenes import catalog, environments, plan, relations, truth
from vhbench.generators.scenes.environments import Backdrop
from vhbench.generators.scenes.layout import Layout, arrange, view
from vhbench.generators.scenes.plan import Refusal, Setting, Wish
from vhbench.generators.scenes.render import Placed, Silhouettes, is_mirrored, paint, scenery, silhouettes
from vhbench.generators.scenes.sprites import Look, Pixels
from vhbench.schema import Rejection, Scene, SceneObject, SceneSpec, VhbenchError
from vhbench.seeding import rng

TRIES = 14
"""Layouts tried before a spec is refused; with smaller and smaller things."""

OCCLUDERS = ("bush", "tree", "box", "car", "rock", "cabinet", "sofa", "bench", "bookshelf", "umbrella")
"""Things that may be added, in this order of preference by chance, to hide another where the spec names none."""

_TRIES_PER_SETTING = 4

_JPEG_QUALITY = 95

_MOST_HAZE = 0.66
"""How far a low-contrast thing may be blended into its surroundings and still be there."""


class SceneSource:
    """Draws specs; implements :class:`vhbench.protocols.ImageSource`.

    A scene depends on the seed and its own spec only: the order of the specs, and who else is asked for, do not
    matter. Categories are the catalog's readable names ("couch" also where the spec said "sofa"; see
    :func:`canonical`).

    Args:
        encoding: "jpeg" (quality 95, no chroma subsampling: about 90 kB) or "png" (lossless, about 400 kB).
    """

    name = "scenes"
    exact = True

    def __init__(self, encoding: Literal["jpeg", "png"] = "jpeg") -> None:
        if encoding not in ("jpeg", "png"):
            raise VhbenchError(f"unknown image encoding {encoding!r}: must be jpeg or png")
        self.encoding = encoding

    def can_show(self, concept: str) -> bool:
        """Tell whether a word can be drawn, as an object or as (part of) an environment."""
        if catalog.lookup(concept) is not None:
            return True
        return environments.find_environment(concept) is not None or concept in environments.AREAS

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield one scene or one rejection per spec, in order.

        Raises:
            VhbenchError: if a spec is malformed (an unknown relation, a count of 0).
        """
        for spec in specs:
            try:
                yield self._make_one(spec, seed)
            except Refusal as refusal:
                yield Rejection(spec.id, refusal.reason, refusal.detail)

    def _make_one(self, spec: SceneSpec, seed: int) -> Scene:
        entries = plan.check(spec)
        failures: Counter[str] = Counter()
        for attempt in range(TRIES):
            # A few tries share a setting: what failed is mostly the layout, and paintings are dear.
            setting = plan.choose_setting(spec, entries, rng(seed, "setting", spec.id, attempt // _TRIES_PER_SETTING))
            random = rng(seed, "scenes", spec.id, attempt)
            wishes = plan.wishes(spec, entries, setting, random)
            try:
                return self._attempt(spec, seed, setting, wishes, random, zoom=_zoom(len(wishes), attempt))
            except Refusal as refusal:
                failures[refusal.reason] += 1
        reason, _ = max(failures.items(), key=lambda item: (item[1], item[0]))
        raise Refusal(reason, tries=TRIES, failures=dict(sorted(failures.items())))

    def _attempt(
        self, spec: SceneSpec, seed: int, setting: Setting, wishes: list[Wish], random: np.random.Generator, zoom: float
    ) -> Scene:
        stage = view(environments.ENVIRONMENTS[setting.name], mirrored=is_mirrored(setting.variant))
        layout = Layout(stage, spec.width, spec.height, random, zoom, spec.relations)
        placed = arrange(layout, wishes + _occluders(spec, setting, wishes, random))
        who, things = [wish for wish, _ in placed], [thing for _, thing in placed]
        owned = silhouettes(things, spec.width, spec.height)
        seen = truth.measure(owned, things)
        _check_visible(who, things, seen, spec)
        scene = scenery(setting.name, setting.state, setting.variant, spec.width, spec.height)
        picture = paint(things, scene)
        things, picture = _fade(who, things, seen, picture, scene)
        objects = tuple(truth.scene_object(i + 1, things[i], seen[i], picture) for i in range(len(things)))
        made = self._scene(spec, seed, scene, objects, things, owned, picture)
        _check_requests(spec, who, made)
        return made

    def _scene(
        self,
        spec: SceneSpec,
        seed: int,
        backdrop: Backdrop,
        objects: tuple[SceneObject, ...],
        things: Sequence[Placed],
        owned: Silhouettes,
        picture: Pixels,
    ) -> Scene:
        held, predicates = relations.judge(truth.bodies(objects, things, owned))
        known, countable = truth.known_words((o.category for o in objects), backdrop.areas)
        return Scene(
            id=f"{spec.id}-{seed}",
            image=_encode(picture, self.encoding),
            width=spec.width,
            height=spec.height,
            objects=objects,
            relations=held,
            environment=backdrop.name,
            environment_state=backdrop.state,
            areas=backdrop.areas,
            known=known,
            countable=countable,
            known_predicates=predicates,
            provenance=_provenance(spec, seed, things, objects),
        )


def canonical(word: str) -> str:
    """Return the name under which scenes know a word: "couch" for "sofa"; unknown words come back as they are."""
    return plan.readable(word)


def _zoom(things: int, attempt: int) -> float:
    """Return the scale of all sizes: smaller for crowds, and smaller again after failed tries."""
    crowd = 1.0 if things <= 2 else 0.9 if things <= 4 else 0.75 if things <= 6 else 0.62
    return crowd * 0.84 ** (attempt // 2)


def _occluders(spec: SceneSpec, setting: Setting, wishes: list[Wish], random: np.random.Generator) -> list[Wish]:
    """Add something to hide behind, for every occluded wish that no other wish is large enough to hide."""
    free = [w for w in wishes if not w.hard]
    needed = 0
    for wish in wishes:
        if "occluded" in wish.hard:
            cover = next((w for w in free if w.entry.size_m >= 0.5 * wish.entry.size_m and w.spec != wish.spec), None)
            if cover:
                free.remove(cover)
            else:
                needed += 1
    return [_occluder(spec, setting, wishes, random) for _ in range(needed)]


def _occluder(spec: SceneSpec, setting: Setting, wishes: list[Wish], random: np.random.Generator) -> Wish:
    taken = {wish.entry.name for wish in wishes} | set(map(plan.readable, spec.absent))
    areas = environments.ENVIRONMENTS[setting.name].areas(setting.state)
    taken |= {*areas, *map(plan.readable, areas)}
    entries = []
    for word in OCCLUDERS:
        entry = catalog.lookup(word)
        free = entry and entry.name not in taken and not truth.rivals(entry.name) & taken
        if entry and free and plan.place_of(entry, setting) == "ground":
            entries.append(entry)
    if not entries:
        raise Refusal("nothing to hide behind", environment=setting.name)
    entry = entries[int(random.integers(len(entries)))]
    return Wish(-1, entry, "ground", Look(entry.word, flip=entry.flip and bool(random.integers(2))))


def _check_visible(
    wishes: Sequence[Wish], things: Sequence[Placed], seen: Sequence[truth.Measured], spec: SceneSpec
) -> None:
    """Refuse a layout in which something is hidden, cut or tiny without having been asked to be."""
    canvas = spec.width * spec.height
    tied = {i for a, predicate, b in spec.relations if predicate in ("on", "in front of", "behind") for i in (a, b)}
    carriers = {thing.host for thing in things}
    for number, (wish, thing) in enumerate(zip(wishes, seen, strict=True)):
        box = thing.box
        least = truth.LEAST_PART if {"occluded", "truncated"} & set(wish.hard) else truth.LEAST_PIXELS
        if box is None or thing.area < least * canvas:
            raise Refusal("hardly visible", category=wish.entry.name)
        fraction, share = thing.visible_fraction, box[2] * box[3] / canvas
        least = 0.45 if wish.spec in tied or number in carriers else 0.7
        low, high = truth.OCCLUDED if "occluded" in wish.hard else (least, 1.0)
        if not low <= fraction <= high:
            raise Refusal("visible fraction missed", category=wish.entry.name, fraction=fraction, wanted=[low, high])
        low, high = truth.TRUNCATED if "truncated" in wish.hard else (0.98, 1.0)
        if not low <= thing.in_frame_fraction <= high:
            raise Refusal("in-frame fraction missed", category=wish.entry.name, fraction=thing.in_frame_fraction)
        if "small" in wish.hard and share > truth.SMALL_BOX:
            raise Refusal("not small enough", category=wish.entry.name, share=share)


def _fade(
    wishes: Sequence[Wish], things: list[Placed], seen: Sequence[truth.Measured], picture: Pixels, scene: Backdrop
) -> tuple[list[Placed], Pixels]:
    """Blend low-contrast things towards what surrounds them, just as far as needed, and paint again.

    Raises:
        Refusal: if a thing that was not asked to blend in does so, or one that was asked cannot.
    """
    faded = list(things)
    for i, wish in enumerate(wishes):
        box = seen[i].box
        if box is None:
            continue
        difference, rim = truth.contrast(picture, seen[i].visible, box)
        if "low_contrast" not in wish.hard and difference < truth.LEAST_CONTRAST:
            raise Refusal("contrast too low", category=wish.entry.name, difference=round(difference, 1))
        if "low_contrast" in wish.hard and difference > truth.LOW_CONTRAST:
            haze = 1 - 0.9 * truth.LOW_CONTRAST / difference
            if haze > _MOST_HAZE:
                raise Refusal("contrast too high", category=wish.entry.name, difference=round(difference, 1))
            faded[i] = replace(things[i], haze=haze, tint=rim)
    return faded, paint(faded, scene) if faded != things else picture


def _check_requests(spec: SceneSpec, wishes: Sequence[Wish], scene: Scene) -> None:
    """Refuse a scene whose truth does not hold what the spec asked for."""
    for wish, thing in zip(wishes, scene.objects, strict=True):
        if wish.spec < 0:
            continue
        asked, found = spec.objects[wish.spec], dict(thing.attributes)
        for name, value in (("colour", asked.colour), ("size", asked.size)):
            if value and found.get(name) != value:
                raise Refusal(f"{name} missed", category=thing.category, asked=value, found=found.get(name, ""))
    present = Counter(scene.categories() & frozenset(map(plan.readable, spec.absent)))
    if present:
        raise Refusal("present and absent", word=sorted(present)[0])
    held = {(r.subject, r.predicate, r.object) for r in scene.relations}
    for index, predicate, other in spec.relations:
        subjects = [o.id for o, w in zip(scene.objects, wishes, strict=True) if w.spec == index]
        anchors = [o.id for o, w in zip(scene.objects, wishes, strict=True) if w.spec == other]
        if not all(any((s, predicate, a) in held for a in anchors) for s in subjects):
            raise Refusal("relation missed", relation=[index, predicate, other])


def _encode(picture: Pixels, encoding: str) -> bytes:
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    if encoding == "png":
        options, suffix = [cv2.IMWRITE_PNG_COMPRESSION, 6], ".png"
    else:
        sampling = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
        options, suffix = [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY, *sampling], ".jpg"
    done, data = cv2.imencode(suffix, bgr, options)
    if not done:
        raise VhbenchError(f"cannot encode a picture of {picture.shape[1]}x{picture.shape[0]} pixels as {encoding}")
    return bytes(data)


def _provenance(spec: SceneSpec, seed: int, things: Sequence[Placed], objects: Sequence[SceneObject]) -> dict[str, Any]:
    """Return where a scene comes from; ``hard`` and ``spec`` list one entry per object."""
    hard = [list(spec.objects[t.spec].hard) if t.spec >= 0 else [] for t in things]
    return {
        "source": "scenes",
        "licence": "Apache-2.0",
        "seed": seed,
        "spec": [t.spec for t in things],
        "hard": hard,
        "depth": [round(t.depth, 4) for t in things],
        "host": [t.host + 1 if t.host >= 0 else None for t in things],
    }
