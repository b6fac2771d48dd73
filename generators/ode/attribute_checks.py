"""Attribute verification: which prompted attributes an image shows.

A detector locates objects but does not report their appearance or actions. A verifier (CLIP or a VLM) therefore scores
each prompted attribute against its contraries, on the image crop of each object.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, floor

from vhbench.generators.ode import attribute_contraries, attribute_words, calibrating, prompts
from vhbench.generators.ode.environments import DEFAULT, Wording
from vhbench.generators.ode.questions import AttributeClaim
from vhbench.images import open_image, to_png
from vhbench.protocols import Verifier
from vhbench.schema import ObjectSpec, Scene, SceneObject, SceneSpec, VhbenchError

_MARGIN = 0.1  # crop margin around an object, as a fraction of its box sides
_MOST = 12  # maximum number of contraries scored against a prompted attribute

_STATES: Mapping[str, str] = {"at night": "night", "overcast": "gloomy"}
"""Prompted state of an environment → its state in a scene, if different."""


@dataclass(frozen=True, slots=True)
class VerifierThresholds:
    """Acceptance thresholds of a verifier."""

    keep: float = 0.8  # probability from which an attribute counts as present
    absent: float = 0.1  # probability below which a contrary counts as absent
    kinds: Mapping[str, float] = field(default_factory=dict)  # kind → its own ``keep``, from ``vhbench calibrate``

    def __post_init__(self) -> None:
        for name, value in (("keep", self.keep), ("absent", self.absent), *self.kinds.items()):
            if not 0 <= value <= 1:
                raise VhbenchError(f"threshold {name}: expected a number from 0 to 1, got {value}")

    def of(self, kind: str) -> float:
        """Return the probability from which an attribute of a kind counts as present."""
        return calibrating.reached(self.kinds[kind]) if kind in self.kinds else self.keep


@dataclass(frozen=True, slots=True)
class AttributeLook:
    """Prompted attribute and the objects to check it on; ``words``: English of the graph's concepts."""

    target: str
    kind: str
    value: str
    members: tuple[SceneObject, ...] = ()
    words: Wording = DEFAULT

    @property
    def others(self) -> tuple[str, ...]:
        """Contraries that the attribute is scored against."""
        own = sorted(self.words.opposites.get(self.value, ()))
        return tuple(dict.fromkeys([*own, *attribute_contraries.of(self.value)]))[:_MOST]

    def texts(self, place: str) -> list[str]:
        """Return the texts the verifier chooses from, the prompted one first."""
        return [f"a photo of {self._wording(value, place)}" for value in (self.value, *self.others)]

    def _wording(self, value: str, place: str) -> str:
        if not self.members:
            follows = attribute_words.follows(value)
            return f"{self.words.description(place)} {value}" if follows else self.words.description(place, value)
        doing = self.kind in attribute_words.BODILY
        thing = ObjectSpec(self.target, state="" if doing else value, action=value if doing else "")
        return prompts.phrase(thing, self.words)


def trust_prompt(scene: Scene, spec: SceneSpec, words: Wording = DEFAULT) -> tuple[Scene, tuple[AttributeClaim, ...]]:
    """Return the scene with all prompted attributes as ground truth, as the paper does."""
    looks = [(look, look.others) for look in _looks(scene, spec, words)]
    return _with_values(scene, looks), tuple(AttributeClaim(k.target, k.kind, k.value, others) for k, others in looks)


def verify_attributes(
    scenes: Sequence[tuple[Scene, SceneSpec]],
    images: Sequence[bytes],
    verifier: Verifier,
    limits: VerifierThresholds,
    words: Wording = DEFAULT,
) -> list[tuple[Scene, tuple[AttributeClaim, ...]]]:
    """Return scenes with the confirmed attributes as ground truth, and claims about them; calls the verifier once."""
    looks = [(i, look) for i, (scene, spec) in enumerate(scenes) for look in _looks(scene, spec, words)]
    crops = [
        (look, part, look.texts(scenes[i][0].environment)) for i, look in looks for part in parts_of(images[i], look)
    ]
    weights = verifier.probabilities([part for _, part, _ in crops], [texts for _, _, texts in crops]) if crops else []
    answers = iter(weights)
    held: list[list[tuple[AttributeLook, tuple[str, ...]]]] = [[] for _ in scenes]
    for i, look in looks:
        each = [next(answers) for _ in range(max(1, len(look.members)))]
        if min(scores[0] for scores in each) >= limits.of(look.kind):
            highest = [max(scores[1 + j] for scores in each) for j in range(len(look.others))]
            no = tuple(o for o, most in zip(look.others, highest, strict=True) if most < limits.absent)
            held[i].append((look, no))
    return [
        (_with_values(scene, own), tuple(AttributeClaim(k.target, k.kind, k.value, no) for k, no in own if no))
        for (scene, _), own in zip(scenes, held, strict=True)
    ]


def _looks(scene: Scene, spec: SceneSpec, words: Wording) -> Iterator[AttributeLook]:
    """Yield the prompted attributes of present objects and the setting that have contraries."""
    triples = []
    for thing in spec.objects:
        members = tuple(o for o in scene.objects if o.category == thing.category)
        values = (thing.colour, *thing.state.split(", "), thing.action) if members else ()
        triples += [(thing.category, value, members) for value in values]
    if scene.environment:
        triples.append((scene.environment, spec.state, ()))
    for target, value, members in triples:
        look = AttributeLook(target, attribute_words.kind_of(value) if value else "", value, members, words)
        if value and look.others:
            yield look


def parts_of(image: bytes, look: AttributeLook) -> list[bytes]:
    """Return the crops that show the objects, or the whole image for a setting."""
    if not look.members:
        return [image]
    picture = open_image(image)
    crops = []
    for x, y, width, height in (member.box for member in look.members):
        dx, dy = _MARGIN * width, _MARGIN * height
        left, top = min(floor(max(0, x - dx)), picture.width - 1), min(floor(max(0, y - dy)), picture.height - 1)
        right, bottom = min(picture.width, ceil(x + width + dx)), min(picture.height, ceil(y + height + dy))
        crops.append(to_png(picture.crop((left, top, max(right, left + 1), max(bottom, top + 1)))))
    return crops


def _with_values(scene: Scene, looks: Sequence[tuple[AttributeLook, tuple[str, ...]]]) -> Scene:
    own: dict[str, list[tuple[str, str]]] = {}
    state = ""
    for look, _ in looks:
        if look.members:
            own.setdefault(look.target, []).append((look.kind, look.value))
        else:
            state = _STATES.get(look.value, look.value)
    objects = tuple(
        replace(o, attributes=tuple(own[o.category]), known_attributes=frozenset(kind for kind, _ in own[o.category]))
        if o.category in own
        else o
        for o in scene.objects
    )
    return replace(scene, objects=objects, environment_state=state)
