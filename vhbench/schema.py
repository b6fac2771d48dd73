"""Data classes of vhbench, all frozen.

A :class:`Scene` is the ground truth of one image. A :class:`Question` is one row of a split. A :class:`Rejection` is a
rejected sample with its reason. A :class:`Manifest` describes a built split directory.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

CANARY = "vhbench:canary:6b0e1f0a-54b1-4c53-9d0c-6f7f6a2c8f3e"
"""A GUID in cards, manifests and rows: text that contains it must not be trained on."""

TIE = "~"
"""In a ``pair_id``: precedes the pair that this one is tied to, about the same images."""

Kind = Literal["caption", "yes_no", "multiple_choice"]
Failure = Literal["", "failed", "refused", "abstained"]
"""A response without an answer: a failed request or a refusal; "" for an answer."""

Box = tuple[float, float, float, float]
"""``(x, y, width, height)`` in pixels from the top left corner, as in COCO."""

ImageData = bytes | Path
"""An encoded image: its bytes, or its file (opened only when the bytes are needed)."""

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
    """One countable object in an image.

    Attributes:
        id: unique within its scene.
        category: the word that questions use, such as ``"dog"``.
        box: the visible part, clipped to the image.
        area: visible pixels; the box's area without a mask.
        mask: the visible part, or None if unknown.
        visible_fraction: unoccluded share of the in-frame silhouette, or None if unknown.
        in_frame_fraction: share of the whole silhouette inside the frame (truncation), or None if unknown.
        attributes: pairs (type, value): ``(("colour", "red"), ("action", "running"))``. A type may repeat.
        known_attributes: types for which both presence and absence of a value are known.
        crowd: the box covers a group of undistinguished members.
    """

    id: int
    category: str
    box: Box
    area: float
    mask: Mask | None = None
    visible_fraction: float | None = None
    in_frame_fraction: float | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    known_attributes: frozenset[str] = frozenset()
    crowd: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """``subject`` and ``object`` are ids of scene objects: (3, "left of", 5)."""

    subject: int
    predicate: str
    object: int


@dataclass(frozen=True, slots=True)
class Scene:
    """Ground truth of one image.

    Attributes:
        id: unique within its source.
        image: encoded image, or its file.
        width: in pixels, likewise ``height``.
        objects: countable objects.
        relations: between ids of ``objects``.
        environment: place ("kitchen"), or "" if unknown.
        environment_state: "sunny", "night" …, or "".
        areas: present but uncountable objects ("sky", "grass"): never counted, never asked as absent.
        known: categories whose presence and absence are known. Negative questions are restricted to it.
        countable: the part of ``known`` with exhaustively annotated instances.
        known_predicates: predicates whose absence between two annotated objects is known.
        provenance: source, generator seed, licence …; JSON types only.
    """

    id: str
    image: ImageData
    width: int
    height: int
    objects: tuple[SceneObject, ...]
    relations: tuple[Relation, ...] = ()
    environment: str = ""
    environment_state: str = ""
    areas: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    countable: frozenset[str] = frozenset()
    known_predicates: frozenset[str] = frozenset()
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def categories(self) -> frozenset[str]:
        """Return every category that is present, countable or not."""
        return frozenset(o.category for o in self.objects) | frozenset(self.areas)

    def count(self, category: str) -> int | None:
        """Return the number of instances of a category, or None if unknown."""
        if category not in self.countable:
            return None
        return sum(o.category == category for o in self.objects)


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """Requested objects of a scene: ``count`` instances of one category.

    Attributes:
        hard: requested hard positives: "small", "occluded", "truncated", "low_contrast".
        size: "", "tiny", "small", "medium" or "large".
    """

    category: str
    count: int = 1
    colour: str = ""
    size: str = ""
    action: str = ""
    state: str = ""
    hard: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SceneSpec:
    """Requested content of an image, for any image source.

    Attributes:
        id: becomes the scene's id, followed by the seed.
        objects: required objects.
        environment: place, or "" for the source's choice.
        state: of the environment ("night"), or "".
        relations: requested relations between indices of ``objects``.
        absent: words that must not be in the image.
        prompt: the same in words, for text-to-image models.
        negative_prompt: what a text-to-image model should avoid.
    """

    id: str
    objects: tuple[ObjectSpec, ...]
    environment: str = ""
    state: str = ""
    relations: tuple[tuple[int, str, int], ...] = ()
    absent: tuple[str, ...] = ()
    prompt: str = ""
    negative_prompt: str = ""
    width: int = 512
    height: int = 512


def _cell(default: Any = "") -> Any:
    """Return a column whose values define cells with separate scores."""
    return field(default=default, metadata={"cell": True})


@dataclass(frozen=True, slots=True)
class QuestionBase:
    """Common fields of a split's row and the record of its answer, for all benchmarks.

    An inapplicable field is "". Add new columns here; :mod:`vhbench.columns` derives the rest.

    Attributes:
        id: unique within the split.
        choices: "A" … in order, without their letters; empty for captions and yes/no questions.
        answer: "yes", "no", a letter, or "" for captions.
        task: e.g. "existence", "attribute", "counting", "position", "caption".
        mode: MIOH's reasoning mode: "comprehensive", "selective", "comparative". VHExpansion's template of the negated
            twin, in both rows of a pair: "natural", "wrapped", "llm", "source".
        pressure: MIOH's: "easy", "ni2", "ni4", "ni8", "ni10", "hp", "hn", "hp+hn".
        criterion: ODE's: "standard", "long_tail", "random", "fictional"; VHExpansion's "relabelled": the answer is a
            corrected label, the opposite of the published one.
        pairing: ODE's: "entity-entity", "entity-environment".
        question_type: MIOH's "E5"; ODE's "state", "action", "number", "existence", "caption".
        source: source of the images: "scenes", "coco", "pope" …
        perturbation: VHExpansion's, or "" for an unchanged image.
        pair_id: ties rows that are scored together or compared with one another.
        negated: the negated twin of another row.
        objects: present objects (ground truth of captions).
        candidates: likely hallucinations.
        neutral: words in captions that are not judged, because the scene leaves them open (a man may be called a boy; a
            person wears shoes). Empty for other kinds.
        scene_ids: one per image.
    """

    id: str
    _: KW_ONLY
    question: str = ""
    choices: tuple[str, ...] = ()
    answer: str = ""
    kind: str = ""
    benchmark: str = ""
    task: str = _cell()
    mode: str = _cell()
    pressure: str = _cell()
    criterion: str = _cell()
    pairing: str = _cell()
    question_type: str = _cell()
    source: str = ""
    perturbation: str = _cell()
    pair_id: str = ""
    negated: bool = _cell(default=False)
    objects: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    neutral: tuple[str, ...] = ()
    scene_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question(QuestionBase):
    """One row of a split; question, answer and kind are required.

    Attributes:
        images: encoded images in the order in which the question counts them.
    """

    question: str  # pyright: ignore[reportGeneralTypeIssues]
    answer: str  # pyright: ignore[reportGeneralTypeIssues]
    kind: Kind  # pyright: ignore[reportGeneralTypeIssues]
    images: tuple[ImageData, ...]
    benchmark_version: str = ""
    canary: str = CANARY


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(QuestionBase):
    """One answered question: input of metrics and analyses, logged per row by a task.

    As JSON it is a plain object with these names; metrics accept either form.

    Attributes:
        response: the model's response.
        prediction: parsed response: "yes", "no", a letter, or "" if unparsed; for a caption, the assertions that a
            judge listed.
        failure: "failed" for a failed request, "refused" for a refusal, "abstained" (set by metrics) for "I cannot
            tell"; "" for an answer, parsed or not.
        cut_off: whether the response is truncated: it reached the token limit, or its text breaks off
            (:func:`vhbench.language.parsing.cut_off`).
        tokens: number of generated tokens, with reasoning; 0 if unknown.
    """

    response: str = ""
    prediction: str = ""
    failure: Failure = ""
    cut_off: bool = False
    tokens: int = 0


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
    """Contents of a split directory; written last, which completes the split.

    Attributes:
        version: MAJOR.MINOR.PATCH; MAJOR changes when scores are no longer comparable.
        seed: of the build.
        config: every option of the build, JSON types only.
        sources: name → SHA-256 of an input.
        rows: rows per config.
        rejections: number per reason.
        files: relative path → SHA-256.
        content_hash: over image bytes, canonical row JSON, scenes and vocabulary; independent of row order and of the
            Parquet writer.
    """

    benchmark: str
    version: str
    seed: int
    config: Mapping[str, Any]
    sources: Mapping[str, str]
    rows: Mapping[str, int]
    rejections: Mapping[str, int]
    files: Mapping[str, str]
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
