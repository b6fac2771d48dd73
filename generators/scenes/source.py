"""Scene image source: specs in, scenes with exact ground truth out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from vhbench.generators.scenes.catalog import Entry
from vhbench.generators.scenes.drawings.render import Silhouettes, silhouettes
from vhbench.generators.scenes.drawings.sprites import TooSmallError
from vhbench.generators.scenes.environments.backdrops import Backdrop, backdrop, is_mirrored
from vhbench.generators.scenes.layout import demands, plan
from vhbench.generators.scenes.layout.arrange import arrange
from vhbench.generators.scenes.layout.plan import Locale, Refusal
from vhbench.generators.scenes.layout.stage import Layout, mirror
from vhbench.generators.scenes.rasters import Pixels, one_thread
from vhbench.generators.scenes.truth import measuring, relations
from vhbench.generators.scenes.truth.known_words import known_words
from vhbench.opencv import cv2
from vhbench.schema import Rejection, Scene, SceneObject, SceneSpec, VhbenchError
from vhbench.seeding import rng

Objects = tuple[SceneObject, ...]

_TRIES = 14  # layout attempts per spec, with decreasing object sizes
_TRIES_PER_LOCALE = 4

_JPEG_QUALITY = 95


class SceneSource:
    """Renderer of specs; implements :class:`vhbench.protocols.ImageSource`.

    A scene depends only on the seed and its own spec, not on the order of specs or on other specs. Categories are the
    catalog's readable names: "couch" also if the spec has "sofa". JPEGs have quality 95 and no chroma subsampling
    (about 90 kB); PNGs are lossless (about 400 kB).
    """

    name = "scenes"
    exact = True

    def __init__(self, encoding: Literal["jpeg", "png"] = "jpeg") -> None:
        if encoding not in ("jpeg", "png"):
            raise VhbenchError(f"unknown image encoding {encoding!r}, expected jpeg or png")
        self.encoding = encoding

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield one scene or one rejection per spec, in order; raise VhbenchError if a spec is malformed."""
        for spec in specs:
            try:
                with one_thread():
                    outcome: Scene | Rejection = self._make_one(spec, seed)
            except Refusal as refusal:
                outcome = Rejection(spec.id, refusal.reason, refusal.detail)
            yield outcome

    def _make_one(self, spec: SceneSpec, seed: int) -> Scene:
        entries = plan.check(spec)
        failures: Counter[str] = Counter()
        for attempt in range(_TRIES):
            if attempt % _TRIES_PER_LOCALE == 0:  # failures are mostly due to the layout, and backdrops are expensive
                locale = plan.choose_locale(spec, entries, rng(seed, "setting", spec.id, attempt // _TRIES_PER_LOCALE))
            try:
                return self._attempt(spec, entries, locale, seed, attempt)
            except Refusal as refusal:
                failures[refusal.reason] += 1
        reason, _ = max(failures.items(), key=lambda item: (item[1], item[0]))
        raise Refusal(reason, tries=_TRIES, failures=dict(sorted(failures.items())))

    def _attempt(self, spec: SceneSpec, entries: list[Entry], locale: Locale, seed: int, attempt: int) -> Scene:
        random = rng(seed, "scenes", spec.id, attempt)
        plan.check_height(spec, entries, locale)
        wishes = plan.wishes(spec, entries, locale, random)
        stage = mirror(locale.environment) if is_mirrored(locale.variant) else locale.environment
        zoom, patience = _zoom(len(wishes), attempt), 1 - attempt / _TRIES
        # First require left/right pairs without overlap, which is unambiguous; later compare only their centres.
        layout = Layout(stage, spec.width, spec.height, random, zoom, spec.relations, apart=patience > 0.5)
        placed = arrange(layout, wishes + plan.occluders(spec, locale, wishes, random))
        requests, things = [wish for wish, _ in placed], [thing for _, thing in placed]
        try:
            owned = silhouettes(things, spec.width, spec.height)
        except TooSmallError as error:
            raise Refusal("too small", drawing=str(error)) from None
        seen = measuring.measure(owned)
        demands.check_visible(spec, requests, things, seen)
        scene = backdrop(locale.environment.name, locale.state, locale.variant, spec.width, spec.height)
        picture = demands.meet_contrast(requests, things, seen, scene, patience)
        objects = tuple(measuring.scene_object(i + 1, things[i], seen[i], picture) for i in range(len(things)))
        new_scene = self._scene(spec, seed, scene, objects, owned)
        demands.check_requests(spec, requests, new_scene)
        return replace(new_scene, image=_encode(picture, self.encoding))

    def _scene(self, spec: SceneSpec, seed: int, backdrop: Backdrop, objects: Objects, owned: Silhouettes) -> Scene:
        held, predicates = relations.judge(measuring.bodies(objects, owned))
        known, countable = known_words((o.category for o in objects), backdrop.areas)
        return Scene(
            id=f"{spec.id}-{seed}",
            image=b"",
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
            # All lists have one entry per object.
            provenance={
                "source": "scenes",
                "licence": "Apache-2.0",
                "seed": seed,
                "spec": [t.spec for t in owned.things],
                "hard": [list(spec.objects[t.spec].hard) if t.spec >= 0 else [] for t in owned.things],
                "depth": [round(t.depth, 4) for t in owned.things],
                "host": [t.host + 1 if t.host >= 0 else None for t in owned.things],
            },
        )


def _zoom(things: int, attempt: int) -> float:
    """Return the scale of all sizes: smaller for many objects and after failed attempts."""
    crowd = 1.0 if things <= 2 else 0.9 if things <= 4 else 0.75 if things <= 6 else 0.62
    return crowd * 0.84 ** (attempt // 2)


def _encode(picture: Pixels, encoding: str) -> bytes:
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    if encoding == "png":
        options, suffix = [cv2.IMWRITE_PNG_COMPRESSION, 6], ".png"
    else:
        sampling = (cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444)
        options, suffix = [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY, *sampling], ".jpg"
    done, data = cv2.imencode(suffix, bgr, options)
    if not done:
        raise VhbenchError(f"cannot encode an image of {picture.shape[1]}x{picture.shape[0]} pixels as {encoding}")
    return bytes(data)
