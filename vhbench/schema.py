"""Data classes of vhbench, all frozen.

A :class:`Scene` is the ground truth of one image. A :class:`Question` is one row of a split. A :class:`Rejection` is a
rejected sample with its reason. A :class:`Manifest` describes a built split directory.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

# A GUID in cards, manifests and rows: text that contains it must not be trained on
CANARY = "vhbench:canary:6b0e1f0a-54b1-4c53-9d0c-6f7f6a2c8f3e"
TIE = "~"  # in a ``pair_id``: precedes the pair that this one is tied to, about the same images
Kind = Literal["caption", "yes_no", "multiple_choice"]
# A response without an answer: a failed request or a refusal; "" for an answer
Failure = Literal["", "failed", "refused", "abstained"]
Box = tuple[float, float, float, float]  # ``(x, y, width, height)`` in pixels from the top left corner, as in COCO
ImageData = bytes | Path  # an encoded image: its bytes, or its file (opened only when the bytes are needed)
_LONGEST_LINE, _END = 2000, 500  # maximum characters of an error, and those kept at its end (expected values)


class VhbenchError(Exception):
    """Invalid input: one line that names the value, its location and the expected values."""

    def __str__(self) -> str:
        """Return the line; line ends and long texts from files are cut."""
        return in_one_line(super().__str__())


def in_one_line(text: str) -> str:
    r"""Return a text without line ends; of a long one, its beginning and its end.

    >>> in_one_line("one\ntwo"), len(in_one_line("A" * 2_000_000))
    ('one two', 2003)
    """
    if len(text) > _LONGEST_LINE:
        text = f"{text[: _LONGEST_LINE - _END]} … {text[-_END:]}"
    return " ".join(text.splitlines())


class VhbenchWarning(UserWarning):
    """A caveat that does not stop the work."""


@dataclass(frozen=True, slots=True)
class Mask:
    """A COCO run-length mask: ``size`` is (height, width), ``counts`` the compressed string."""

    size: tuple[int, int]
    counts: str


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One countable object in an image."""

    id: int  # unique within its scene
    category: str  # the word that questions use, such as ``"dog"``
    box: Box  # the visible part, clipped to the image
    area: float  # visible pixels; the box's area without a mask
    mask: Mask | None = None  # the visible part, or None if unknown
    visible_fraction: float | None = None  # unoccluded share of the in-frame silhouette, or None if unknown
    # share of the whole silhouette inside the frame (truncation), or None if unknown
    in_frame_fraction: float | None = None
    # pairs (type, value): ``(("colour", "red"), ("action", "running"))``. A type may repeat
    attributes: tuple[tuple[str, str], ...] = ()
    known_attributes: frozenset[str] = frozenset()  # types for which both presence and absence of a value are known
    crowd: bool = False  # the box covers a group of undistinguished members


@dataclass(frozen=True, slots=True)
class Relation:
    """``subject`` and ``object`` are ids of scene objects: (3, "left of", 5)."""

    subject: int
    predicate: str
    object: int


@dataclass(frozen=True, slots=True)
class Scene:
    """Ground truth of one image."""

    id: str  # unique within its source
    image: ImageData  # encoded image, or its file
    width: int  # in pixels, likewise ``height``
    height: int
    objects: tuple[SceneObject, ...]  # countable objects
    relations: tuple[Relation, ...] = ()  # between ids of ``objects``
    environment: str = ""  # place ("kitchen"), or "" if unknown
    environment_state: str = ""  # "sunny", "night" …, or ""
    # present but uncountable objects ("sky", "grass"): never counted, never asked as absent
    areas: tuple[str, ...] = ()
    # categories whose presence and absence are known. Negative questions are restricted to it
    known: frozenset[str] = frozenset()
    countable: frozenset[str] = frozenset()  # the part of ``known`` with exhaustively annotated instances
    known_predicates: frozenset[str] = frozenset()  # predicates whose absence between two annotated objects is known
    provenance: Mapping[str, Any] = field(default_factory=dict)  # source, generator seed, licence …; JSON types only

    def categories(self) -> frozenset[str]:
        """Return every category that is present, countable or not."""
        return frozenset(o.category for o in self.objects) | frozenset(self.areas)

    def count(self, category: str) -> int | None:
        """Return the number of instances of a category, or None if unknown."""
        if category not in self.countable:
            return None
        return sum(o.category == category for o in self.objects)

    def shared_value(self, category: str, kind: str) -> str:
        """Return the known value that all instances of a category share (colour "red"), or ""."""
        members = (o for o in self.objects if o.category == category)
        values = {dict(o.attributes).get(kind, "") if kind in o.known_attributes else "" for o in members}
        return values.pop() if len(values) == 1 else ""


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """Requested objects of a scene: ``count`` instances of one category."""

    category: str
    count: int = 1
    colour: str = ""
    size: str = ""  # "", "tiny", "small", "medium" or "large"
    action: str = ""
    state: str = ""
    hard: tuple[str, ...] = ()  # requested hard positives: "small", "occluded", "truncated", "low_contrast"


@dataclass(frozen=True, slots=True)
class SceneSpec:
    """Requested content of an image, for any image source."""

    id: str  # becomes the scene's id, followed by the seed
    objects: tuple[ObjectSpec, ...]  # required objects
    environment: str = ""  # place, or "" for the source's choice
    state: str = ""  # of the environment ("night"), or ""
    relations: tuple[tuple[int, str, int], ...] = ()  # requested relations between indices of ``objects``
    absent: tuple[str, ...] = ()  # words that must not be in the image
    prompt: str = ""  # the same in words, for text-to-image models
    negative_prompt: str = ""  # what a text-to-image model should avoid
    width: int = 512
    height: int = 512


def _cell(default: Any = "") -> Any:
    """Return a column whose values define cells with separate scores."""
    return field(default=default, metadata={"cell": True})


@dataclass(frozen=True, slots=True)
class QuestionBase:
    """Common fields of a split's row and the record of its answer, for all benchmarks.

    An inapplicable field is "". Add new columns here; :mod:`vhbench.columns` derives the rest.
    """

    id: str  # unique within the split
    _: KW_ONLY
    question: str = ""
    choices: tuple[str, ...] = ()  # "A" … in order, without their letters; empty for captions and yes/no questions
    answer: str = ""  # "yes", "no", a letter, or "" for captions
    kind: str = ""
    benchmark: str = ""
    task: str = _cell()  # e.g. "existence", "attribute", "counting", "position", "caption"
    # MIOH's reasoning mode: "comprehensive", "selective", "comparative". VHExpansion's template of the negated twin, in
    # both rows of a pair: "natural", "wrapped", "llm", "source"
    mode: str = _cell()
    pressure: str = _cell()  # MIOH's: "easy", "ni2", "ni4", "ni8", "ni10", "hp", "hn", "hp+hn"
    # ODE's: "standard", "long_tail", "random", "fictional"; VHExpansion's "relabelled": the answer is a corrected
    # label, the opposite of the published one
    criterion: str = _cell()
    pairing: str = _cell()  # ODE's: "entity-entity", "entity-environment"
    question_type: str = _cell()  # MIOH's "E5"; ODE's "state", "action", "number", "existence", "caption"
    source: str = ""  # source of the images: "scenes", "coco", "pope" …
    perturbation: str = _cell()  # VHExpansion's, or "" for an unchanged image
    pair_id: str = ""  # ties rows that are scored together or compared with one another
    negated: bool = _cell(default=False)  # the negated twin of another row
    objects: tuple[str, ...] = ()  # present objects (ground truth of captions)
    candidates: tuple[str, ...] = ()  # likely hallucinations
    # words in captions that are not judged, because the scene leaves them open (a man may be called a boy; a person
    # wears shoes). Empty for other kinds
    neutral: tuple[str, ...] = ()
    scene_ids: tuple[str, ...] = ()  # one per image


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(QuestionBase):
    """One row of a split; question, answer and kind are required."""

    question: str  # pyright: ignore[reportGeneralTypeIssues]
    answer: str  # pyright: ignore[reportGeneralTypeIssues]
    kind: Kind  # pyright: ignore[reportGeneralTypeIssues]
    images: tuple[ImageData, ...]  # encoded images in the order in which the question counts them
    benchmark_version: str = ""
    canary: str = CANARY


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(QuestionBase):
    """One answered question: input of metrics and analyses, logged per row by a task.

    As JSON it is a plain object with these names; metrics accept either form.
    """

    response: str = ""  # the model's response
    # parsed response: "yes", "no", a letter, or "" if unparsed; for a caption, the assertions that a judge listed
    prediction: str = ""
    # "failed" for a failed request, "refused" for a refusal, "abstained" (set by metrics) for "I cannot tell"; "" for
    # an answer, parsed or not
    failure: Failure = ""
    # whether the response is truncated: it reached the token limit, or its text breaks off
    # (:func:`vhbench.language.parsing.cut_off`)
    cut_off: bool = False
    tokens: int = 0  # number of generated tokens, with reasoning; 0 if unknown


@dataclass(frozen=True, slots=True)
class Row:
    """A question and its config."""

    config: str
    question: Question


@dataclass(frozen=True, slots=True)
class Rejection:
    """A requested sample that was left out, with the reason and its details."""

    item: str
    reason: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """Contents of a split directory; written last, which completes the split."""

    benchmark: str
    version: str  # MAJOR.MINOR.PATCH; MAJOR changes when scores are no longer comparable
    seed: int  # of the build
    config: Mapping[str, Any]  # every option of the build, JSON types only
    sources: Mapping[str, str]  # name → SHA-256 of an input
    rows: Mapping[str, int]  # rows per config
    rejections: Mapping[str, int]  # number per reason
    files: Mapping[str, str]  # relative path → SHA-256
    # over image bytes, canonical row JSON, scenes and vocabulary; independent of row order and of the Parquet writer
    content_hash: str
    canary: str = CANARY
    extra: Mapping[str, Any] = field(default_factory=dict)


def iou(a: Box, b: Box) -> float:
    """Return the intersection over union of two boxes (x, y, width, height).

    >>> iou((0, 0, 2, 2), (1, 0, 2, 2))
    0.3333333333333333
    """
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    shared = max(width, 0.0) * max(height, 0.0)
    union = a[2] * a[3] + b[2] * b[3] - shared
    return shared / union if union > 0 else 0.0
