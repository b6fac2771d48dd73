"""Pixel-level checks of what a spec requires and of general image requirements."""

from collections.abc import Sequence
from dataclasses import replace

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.drawings.render import Placed, paint
from vhbench.generators.scenes.environments.backdrops import Backdrop
from vhbench.generators.scenes.layout import plan
from vhbench.generators.scenes.layout.plan import Refusal, Wish
from vhbench.generators.scenes.rasters import Pixels
from vhbench.generators.scenes.truth import measuring
from vhbench.generators.scenes.truth.known_words import VOCABULARY
from vhbench.generators.scenes.truth.measuring import Extent
from vhbench.schema import Scene, SceneSpec

_LEAST_VISIBLE = 0.7  # minimum visible fraction without requested occlusion
_LEAST_VISIBLE_TIED = 0.45  # the same for objects hidden by a requested relation or by an object on them
_LEAST_IN_FRAME = 0.98  # minimum in-frame fraction without requested truncation
_MOST_HAZE = 0.66  # maximum blending of a low-contrast object that still counts as present


def check_visible(spec: SceneSpec, wishes: Sequence[Wish], things: Sequence[Placed], seen: Sequence[Extent]) -> None:
    """Refuse layouts with unrequested occlusion, truncation or tiny objects."""
    canvas = spec.width * spec.height
    tied = plan.tied(spec.relations)
    carriers = {thing.host for thing in things}
    for number, (wish, thing) in enumerate(zip(wishes, seen, strict=True)):
        least = measuring.LEAST_PART if {"occluded", "truncated"} & set(wish.hard) else measuring.LEAST_PIXELS
        if thing.area < least * canvas:
            raise Refusal("object hardly visible", category=wish.entry.name)
        fraction, share = thing.visible_fraction, thing.box[2] * thing.box[3] / canvas
        least = _LEAST_VISIBLE_TIED if wish.spec in tied or number in carriers else _LEAST_VISIBLE
        low, high = measuring.OCCLUDED if "occluded" in wish.hard else (least, 1.0)
        if not low <= fraction <= high:
            raise Refusal(
                "visible fraction out of range", category=wish.entry.name, fraction=fraction, wanted=[low, high]
            )
        low, high = measuring.TRUNCATED if "truncated" in wish.hard else (_LEAST_IN_FRAME, 1.0)
        if not low <= thing.in_frame_fraction <= high:
            raise Refusal("in-frame fraction out of range", category=wish.entry.name, fraction=thing.in_frame_fraction)
        if "small" in wish.hard and share > measuring.SMALL_BOX:
            raise Refusal("object not small enough", category=wish.entry.name, share=share)


def meet_contrast(
    wishes: Sequence[Wish], things: list[Placed], seen: Sequence[Extent], scene: Backdrop, patience: float
) -> Pixels:
    """Render the objects, blending low-contrast ones only as far as needed.

    ``patience`` is 1 at the first attempt and decreases; at or below 0.5, a lower contrast is accepted. Refuses an
    object that has low contrast without a request, or cannot be blended as requested.
    """
    least = measuring.LEAST_CONTRAST * (1.0 if patience > 0.5 else 0.6)
    picture = paint(things, scene)
    faded = list(things)
    for i, (wish, thing) in enumerate(zip(wishes, seen, strict=True)):
        difference = measuring.contrast(picture, thing)
        if "low_contrast" not in wish.hard and difference < least:
            raise Refusal("contrast too low", category=wish.entry.name, difference=round(difference, 1))
        if "low_contrast" in wish.hard and difference > measuring.LOW_CONTRAST:
            haze = 1 - 0.9 * measuring.LOW_CONTRAST / difference
            if haze > _MOST_HAZE:
                raise Refusal("contrast too high", category=wish.entry.name, difference=round(difference, 1))
            faded[i] = replace(things[i], haze=haze, tint=measuring.surroundings(picture, thing))
    if faded == things:
        return picture
    picture = paint(faded, scene)
    for wish, thing in zip(wishes, seen, strict=True):
        if "low_contrast" in wish.hard and measuring.contrast(picture, thing) > measuring.LOW_CONTRAST:
            raise Refusal("contrast too high", category=wish.entry.name)
    return picture


def check_requests(spec: SceneSpec, wishes: Sequence[Wish], scene: Scene) -> None:
    """Refuse a scene whose ground truth does not satisfy the spec."""
    for wish, thing in zip(wishes, scene.objects, strict=True):
        if wish.spec < 0:
            continue
        request, attributes = spec.objects[wish.spec], dict(thing.attributes)
        for name, value in (("colour", request.colour), ("size", request.size), ("state", request.state)):
            if value and attributes.get(name) != value:
                raise Refusal(
                    f"{name} not as requested", category=thing.category, asked=value, found=attributes.get(name, "")
                )
    absent = frozenset(map(catalog.readable, spec.absent)) & VOCABULARY
    doubtful = sorted(absent - (scene.known - scene.categories()))
    if doubtful:
        raise Refusal("word both present and absent", word=doubtful[0])
    held = {(r.subject, r.predicate, r.object) for r in scene.relations}
    for index, predicate, other in spec.relations:
        subjects = [o.id for o, w in zip(scene.objects, wishes, strict=True) if w.spec == index]
        anchors = [o.id for o, w in zip(scene.objects, wishes, strict=True) if w.spec == other]
        if not all(any((s, predicate, a) in held for a in anchors) for s in subjects):
            raise Refusal("relation not as requested", relation=[index, predicate, other])
