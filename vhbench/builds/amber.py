"""AMBER build: its photos, annotations and questions (Wang et al. 2023, arXiv 2311.07397) as a split."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from vhbench import splits
from vhbench.benchmarks import Task, benchmark
from vhbench.builds.split_build import SplitBuild, tail, vocabulary_of
from vhbench.files import convert, file_sha256, is_inside, read_json, read_text
from vhbench.options import option, values_of
from vhbench.schema import Question, Row, VhbenchError

IMAGES_PER_SHARD = 32
FILES = ("annotations.json", "relation.json", "safe_words.txt", "query/query_all.json")

# words of ODE's vocabulary that AMBER lacks, and by which captions mean the image itself: "a picture of a dog"
_THE_IMAGE = frozenset({"picture"})
_GENERATIVE, _EXISTENCE = "generative", "discriminative-hallucination"


@dataclass(frozen=True, kw_only=True)
class AmberBuild(SplitBuild):
    """Build AMBER: captions and yes/no questions about its 1,004 photos.

    Example: `vhbench build amber --source AMBER/data --images AMBER/image --out out`
    """

    benchmark = "amber"

    source: str = option(
        f"Folder `data` of AMBER's repository, with {', '.join(FILES)}; or `ode:OUT/ode`, an ODE split to be scored "
        "like AMBER.",
        names=("--source", "-s"),
        metavar="DIR",
    )
    images: str = option("Folder of AMBER's photos (AMBER_1.jpg …).", "", metavar="DIR")
    limit: int = option("Use only the first N images; 0: all.", 0, least=0)

    @property
    def _read(self) -> "_Source":
        return _read_source(self.source, self.images, self.limit)

    @property
    def config(self) -> Mapping[str, Any]:
        """Every option, the words that are counted with their associations, and those that AMBER's own code counts."""
        names = {"source": tail(self.source), "images": Path(self.images).name}
        return {**values_of(self), **names, "vocabulary": self._read.words, "relation": self._read.relation}

    @property
    def sources(self) -> Mapping[str, str]:
        """Return the hashes of the files, or the content hash of the split."""
        if self.source.startswith("ode:"):
            return {"ode": splits.read_manifest(Path(self.source[4:])).content_hash}
        return {name: file_sha256(Path(self.source, name)) for name in FILES}

    @property
    def shards(self) -> int:
        """Return the number of shards."""
        return -(-len(self._read.groups) // IMAGES_PER_SHARD)

    def make(self, shard: int) -> Iterator[Row]:
        """Yield the questions about the images of a shard."""
        for group in self._read.groups[shard * IMAGES_PER_SHARD : (shard + 1) * IMAGES_PER_SHARD]:
            for question in group:
                yield Row(f"amber_{'generative' if question.kind == 'caption' else 'discriminative'}", question)


@dataclass(frozen=True, slots=True)
class _Source:
    """Questions by image, word → associated words, and the same with further words of the annotations."""

    groups: list[list[Question]]
    relation: Mapping[str, list[str]]
    words: Mapping[str, list[str]]


@lru_cache(maxsize=2)
def _read_source(source: str, images: str, limit: int) -> _Source:
    """Read AMBER's folder, or a split of ODE."""
    if source.startswith("ode:"):
        known = vocabulary_of(Path(source[4:]))
        relation = {name: [*forms] for name, forms in known.items() if name not in _THE_IMAGE}
        questions = list(_of_split(Path(source[4:])))
    else:
        relation = convert(read_json(file := Path(source, "relation.json")), dict[str, list[str]], str(file))
        questions = list(_of_amber(Path(source), Path(images), limit))
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(question.scene_ids[0], []).append(question)
    used = {word for question in questions for word in (*question.objects, *question.candidates)}
    words = {**relation, **{word: [] for word in sorted(used - relation.keys() - {*chain(*relation.values())})}}
    return _Source([*groups.values()][: limit or None], relation, words)


class _Query(TypedDict):
    id: int | str
    image: str
    query: str


class _Annotation(TypedDict):
    id: int | str
    type: str
    truth: NotRequired[Any]
    hallu: NotRequired[Any]


class _Words(TypedDict):
    truth: list[str]
    hallu: list[str]


def _rows(file: Path, kind: Any) -> Iterator[Any]:
    for number, row in enumerate(convert(read_json(file), list[Any], str(file)), start=1):
        yield convert(row, kind, f"{file}, row {number}")


def _of_amber(folder: Path, images: Path, limit: int) -> Iterator[Question]:
    """Yield all questions; of the photos, the first ``limit`` must be there."""
    photos: dict[str, Path | None] = {}
    queries = {row["id"]: row for row in _rows(folder / "query/query_all.json", _Query)}
    safe = tuple(filter(None, read_text(folder / "safe_words.txt").splitlines()))
    for row in _rows(folder / "annotations.json", _Annotation):
        place = f"{folder / 'annotations.json'}, id {row['id']}"
        if (query := queries.get(row["id"])) is None:
            raise VhbenchError(f"{place}: expected a query with this id in {folder / 'query/query_all.json'}")
        if (name := query["image"]) not in photos:
            photos[name] = images / name if 0 < limit <= len(photos) else is_inside(images, name)
        if (image := photos[name]) is None:
            raise VhbenchError(f"--images {images}: expected {name} ({place})")
        task, _, kind = row["type"].replace(_EXISTENCE, "existence").removeprefix("discriminative-").partition("-")
        shared: dict[str, Any] = {
            "id": str(row["id"]), "images": (image,), "scene_ids": (image.stem,), "question": query["query"],
            "benchmark": "amber", "source": "amber",
        }  # fmt: skip
        if row["type"] == _GENERATIVE:
            lists = convert(row, _Words, place)
            words: dict[str, Any] = {
                "objects": tuple(lists["truth"]), "candidates": tuple(lists["hallu"]), "neutral": safe,
            }  # fmt: skip
            yield Question(kind="caption", answer="", task="caption", question_type="caption", **shared, **words)
        elif row.get("truth") in ("yes", "no"):
            yield Question(kind="yes_no", answer=row["truth"], task=task, question_type=kind or task, **shared)
        else:
            raise VhbenchError(f"{place}: expected truth yes or no, got {row.get('truth')!r}")


def _of_split(path: Path) -> Iterator[Question]:
    columns = ("kind", "answer", "task", "question_type", "images", "scene_ids", "question")
    for question in splits.read_questions(path):
        words = ("objects", "candidates", "neutral") if question.kind == "caption" else ()
        own: dict[str, Any] = {name: getattr(question, name) for name in columns}
        own |= {name: tuple(word for word in getattr(question, name) if word not in _THE_IMAGE) for name in words}
        yield Question(question.id, benchmark="amber", source="ode", **own)


def tasks() -> Iterator[Task]:
    """Yield the captions, the yes/no questions, and the group of both."""
    families = benchmark("amber").families
    command = "vhbench build amber --source AMBER/data --images AMBER/image"
    yield Task("amber", members=("amber_generative", "amber_discriminative"))
    yield Task("amber_generative", families["caption"], command=command)
    yield Task("amber_discriminative", families["yes_no"], command=command)
