"""The data that flows through vhbench: frozen dataclasses, and nothing else.

A :class:`Scene` is the truth about one image. A :class:`Question` is one row of a split. A :class:`Rejection` says
why something was left out. A :class:`Manifest` describes a built split directory.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Any, Literal

CANARY = "vhbench:canary:6b0e1f0a-54b1-4c53-9d0c-6f7f6a2c8f3e"
"""One fixed GUID, in every card, manifest and row: text that holds it must not be trained on."""

TIE = "~"
"""In a ``pair_id``: what stands behind it is the pair that this one was asked after, about the same images."""

Kind = Literal["caption", "yes_no", "multiple_choice"]
Failure = Literal["", "failed", "refused"]
"""What a response is that is no answer: a request that failed, or a model that refuses; "" for an answer."""

Box = tuple[float, float, float, float]
"""``(x, y, width, height)`` in pixels from the top left corner, as in COCO."""

ImageData = bytes | Path
"""An encoded image: its bytes, or the file that holds them (opened only when the bytes are needed)."""


_LONGEST_LINE, _END = 2000, 500
"""Characters of an error, and of those the ones at its end, which say what is allowed."""


class VhbenchError(Exception):
    """A fault of the input: one line that names the value, the place and what is allowed."""

    def __str__(self) -> str:
        """Return the line; what somebody's file made of it, with line ends or millions of characters, is cut."""
        return in_one_line(super().__str__())


def in_one_line(text: str) -> str:
    r"""Return a text for people without line ends; of a long one, its beginning and its end.

    >>> in_one_line("one\ntwo"), len(in_one_line("A" * 2_000_000))
    ('one two', 2003)
    """
    if len(text) > _LONGEST_LINE:
        text = f"{text[: _LONGEST_LINE - _END]} … {text[-_END:]}"
    return " ".join(text.splitlines())


class VhbenchWarning(UserWarning):
    """Something worth a look that does not stop the work."""


@dataclass(frozen=True, slots=True)
class Mask:
    """A COCO run-length encoded mask: ``size`` is (height, width), ``counts`` the compressed string."""

    size: tuple[int, int]
    counts: str


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One countable thing in an image.

    Attributes:
        id: unique within its scene.
        category: the word that questions use, such as ``"dog"``.
        box: the visible part, clipped to the image.
        area: visible pixels; the box's area where no mask is known.
        mask: the visible part, or None if unknown.
        visible_fraction: share of the in-frame silhouette that nothing hides (occlusion), or None if unknown.
        in_frame_fraction: share of the whole silhouette inside the frame (truncation), or None if unknown.
        attributes: pairs (type, value): ``(("colour", "red"), ("action", "running"))``. A type may repeat.
        known_attributes: the types about which both presence and absence of a value are known.
        crowd: the box covers a group whose members are not told apart.
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
    """The truth about one image.

    Attributes:
        id: unique within its source.
        image: encoded image, or the file that holds it.
        width: pixels.
        height: pixels.
        objects: the countable things.
        relations: between ids of ``objects``.
        environment: where it is ("kitchen"), or "" if unknown.
        environment_state: "sunny", "night" …, or "".
        areas: things that are present but not countable ("sky", "grass"): never counted, never asked as absent.
        known: the categories about which both presence and absence are known. A negative question is asked only
            inside it.
        countable: the part of ``known`` whose instances are all listed one by one.
        known_predicates: the predicates whose absence between two listed objects is known.
        provenance: where it comes from: source, generator seed, licence …; JSON types only.
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
        """Return the number of instances of a category, or None where that is not known."""
        if category not in self.countable:
            return None
        return sum(o.category == category for o in self.objects)


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """What a scene to be made shall show: ``count`` things of one category.

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
    """What an image shall show, for any image source.

    Attributes:
        id: becomes the scene's id, with the seed's number behind it.
        objects: what must be there.
        environment: where, or "" for the source's choice.
        state: of the environment ("night"), or "".
        relations: requested relations between indices of ``objects``.
        absent: words that must not be in the picture.
        prompt: the same in words, for text-to-image models.
        negative_prompt: what a text-to-image model shall avoid.
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
    """A column whose values sort questions into cells, for which scores are given."""
    return field(default=default, metadata={"cell": True})


@dataclass(frozen=True, slots=True)
class QuestionBase:
    """What a row of a split and a record of its answer share; the same for all benchmarks.

    A field that does not apply is "". A new column is added here, and :mod:`vhbench.columns` tells everybody.

    Attributes:
        id: unique within the split.
        choices: "A" … in order, without their letters; empty for captions and yes/no questions.
        answer: "yes", "no", a letter, or "" for captions.
        task: e.g. "existence", "attribute", "counting", "position", "caption".
        mode: MIOH's reasoning mode: "comprehensive", "selective", "comparative". VHExpansion's wording of the negated
            twin, in both rows of a pair: "natural", "quoted", "llm", "source".
        pressure: MIOH's: "easy", "ni2", "ni4", "ni8", "ni10", "hp", "hn", "hp+hn".
        criterion: ODE's: "standard", "long_tail", "random", "fictional".
        pairing: ODE's: "entity-entity", "entity-environment".
        question_type: MIOH's "E5"; ODE's "state", "action", "number", "existence", "caption".
        source: which data the images come from: "scenes", "coco", "pope" …
        perturbation: VHExpansion's, or "" for an unchanged image.
        pair_id: ties rows that are scored together or compared with one another.
        negated: the negated twin of another row.
        objects: what is present (for captions: the truth).
        candidates: what a model is likely to hallucinate.
        neutral: words that a caption may use without being judged, because the scene does not say whether they
            are there (a man may be called a boy; a person wears shoes). Empty for other kinds.
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
    """One row of a split; the question, its answer and its kind may not be missing.

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
    """One answered question: what metrics and analyses read, and what a task logs per row.

    As JSON it is a plain object with these names; metrics accept either form.

    Attributes:
        response: the model's words.
        prediction: what the parser made of them: "yes", "no", a letter, or "" where it could not tell.
        failure: "failed" where no answer came, "refused" where the model gave none; "" for an answer, readable or not.
        cut_off: whether the words end before the answer does, see :func:`vhbench.language.parsing.cut_off`.
    """

    response: str = ""
    prediction: str = ""
    failure: Failure = ""
    cut_off: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """A question and the config (the part of the split) that it belongs to."""

    config: str
    question: Question


@dataclass(frozen=True, slots=True)
class Rejection:
    """Something that was asked for and left out, with the reason and what led to it."""

    item: str
    reason: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a split directory holds; written last, so that a directory without one is unfinished.

    Attributes:
        benchmark: "ode", "mioh" or "vhexpansion".
        version: MAJOR.MINOR.PATCH; MAJOR changes when scores are no longer comparable.
        seed: of the build.
        config: every option of the build, JSON types only.
        sources: name → SHA-256 of what was read.
        rows: rows per config.
        rejections: number per reason.
        files: path below the directory → SHA-256.
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
