"""CHAIR build: a pinned sample of COCO photos to describe (Rohrbach et al., EMNLP 2018, arXiv 1809.02156)."""

import csv
import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.benchmarks import Task, benchmark, load
from vhbench.builds.split_build import SplitBuild, tail, vocabulary_of
from vhbench.files import canonical, file_sha256, is_inside, read_json, read_text
from vhbench.language import synonyms
from vhbench.options import option, values_of
from vhbench.schema import ImageData, Question, Row, VhbenchError
from vhbench.seeding import rng

IMAGES_PER_SHARD = 50
LIMITS = (64, 512)  # token limits of the captions; the score depends on their length
# names under which published lists have their images; ``imgToEval`` in CHAIR's own output
_COLUMNS = ("image_id", "image_ids", "img_id", "image", "images", "image_path", "file_name", "imgToEval", "id")


@dataclass(frozen=True, kw_only=True)
class ChairBuild(SplitBuild):
    """Build CHAIR: captions of COCO photos with at most 64 and 512 new tokens.

    Example: `vhbench build chair --source coco:instances_val2014.json --captions captions_val2014.json --images
    val2014 --synonyms synonyms.txt --sample 500 --seed 0 --out out`
    """

    benchmark = "chair"

    source: str = option(
        "`coco:INSTANCES.json`, or `ode:OUT/ode` for the images of an ODE split.",
        names=("--source", "-s"),
        metavar="FORMAT:PATH",
    )
    captions: str = option(
        "COCO captions of the same images: objects that a reference caption names are present, as in CHAIR.",
        "",
        metavar="FILE",
    )
    images: str = option("Folder of the photos.", "", metavar="DIR")
    synonyms: str = option(
        "Vocabulary: CHAIR's synonyms.txt (in the repository LisaAnne/Hallucination), or JSON, object → other names, "
        "for any other set of objects. By default, the categories with vhbench's synonyms; scores then differ "
        "from those with CHAIR's list.",
        "",
        metavar="FILE",
    )
    sample: int = option("Number of images, sampled with --seed; 0 for all.", 500, least=0)
    ids: str = option(
        "File with the ids or file names of the images to use instead of a sample: one per line, comma-separated, a "
        "JSON list, JSON lines or a table with `image_id` or `image`, or CHAIR's own output.",
        "",
        metavar="FILE",
    )
    prompt: str = option("Prompt for the captions.", "Please describe this image in detail.")

    @property
    def _read(self) -> "_Photos":
        return _read_source(self.source, self.captions, self.images, self.synonyms)

    @property
    def _chosen(self) -> list[str]:
        """Return the image ids of a file, or of a random sample, each once, in the source and with a readable image."""
        read, known = self._read, sorted(self._read.images)
        if self.sample > len(known) and not self.ids:
            raise VhbenchError(f"--sample: expected at most {len(known)} (images in the source), got {self.sample}")
        drawn = rng(self.seed, "chair", "sample").permutation(len(known))[: self.sample or None]
        files: dict[str, str] = {}
        for image, file in read.images.items():
            if isinstance(file, str):  # a name that two images share names neither
                files[Path(file).name] = "" if Path(file).name in files else image
        listed = (_id_of(name, read.images.keys(), files) for name in _listed(self.ids)) if self.ids else ()
        names = [*dict.fromkeys(listed)] if self.ids else sorted(known[place] for place in drawn.tolist())
        if not names:
            raise VhbenchError(f"--ids {self.ids}: expected at least one image id")
        if unknown := [name for name in names if name not in read.images]:
            raise VhbenchError(f"--ids {self.ids}: expected ids of images in the source, got {unknown[0]!r}")
        for name in names:
            read.image(name)  # raises for a missing file
        return names

    @property
    def config(self) -> Mapping[str, Any]:
        """Every option, the ids of the images, and the vocabulary."""
        paths = {name: tail(getattr(self, name)) for name in ("source", "captions", "images", "synonyms", "ids")}
        other = self._read.reference_objects
        return {
            **values_of(self),
            "sample": 0 if self.ids else self.sample,
            **{name: Path(path).name if name != "source" else path for name, path in paths.items()},
            "image_ids": self._chosen,
            "vocabulary": self._read.vocabulary,
            "reference_objects": {name: other[name] for name in self._chosen if name in other},
        }

    @property
    def sources(self) -> Mapping[str, str]:
        """Return the hashes of the files and of the objects found in them."""
        form, _, path = self.source.partition(":")
        files = {"captions": self.captions, "synonyms": self.synonyms}
        digest = splits.read_manifest(Path(path)).content_hash if form == "ode" else file_sha256(Path(path))
        objects = hashlib.sha256(canonical(sorted(self._read.objects.items()))).hexdigest()
        return {form: digest, "objects": objects} | {name: file_sha256(Path(p)) for name, p in files.items() if p}

    @property
    def shards(self) -> int:
        """Return the number of shards."""
        return -(-len(self._chosen) // IMAGES_PER_SHARD)

    def make(self, shard: int) -> Iterator[Row]:
        """Yield the questions about the images of a shard, one per token limit."""
        read = self._read
        frequent = [word for word, _ in Counter(chain.from_iterable(read.objects.values())).most_common()]
        for name in self._chosen[shard * IMAGES_PER_SHARD : (shard + 1) * IMAGES_PER_SHARD]:
            objects = read.objects[name]
            absent = [word for word in frequent if word not in objects][: max(1, len(objects))]
            for limit in LIMITS:
                question = Question(
                    f"{name}-{limit}",
                    images=(read.image(name),),
                    question=self.prompt,
                    answer="",
                    kind="caption",
                    benchmark="chair",
                    task="caption",
                    question_type=f"{limit}_tokens",
                    source=self.source.partition(":")[0],
                    objects=tuple(objects),
                    candidates=tuple(absent),  # named by baselines; CHAIR has no Cog
                    scene_ids=(name,),
                )
                yield Row("chair_captions", question)


@dataclass(frozen=True, slots=True)
class _Photos:
    """Images with their objects."""

    folder: Path  # of the files
    images: Mapping[str, ImageData | str]  # image id → encoded image, or the name of its file
    objects: Mapping[str, Sequence[str]]  # image id → annotated objects, and those that a reference caption names
    vocabulary: Mapping[str, Sequence[str]]  # object → its other names
    reference_objects: Mapping[str, Sequence[str]]  # objects as CHAIR's code reads the captions, where they differ

    def image(self, name: str) -> ImageData:
        """Return an image, or its file; raise if it is missing or outside the folder."""
        if not isinstance(image := self.images[name], str):
            return image
        if (file := is_inside(self.folder, image)) is None:
            raise VhbenchError(f"--images {self.folder}: expected {image} (image {name})")
        return file


@lru_cache(maxsize=2)
def _read_source(source: str, captions: str, images: str, words: str) -> _Photos:
    form, _, place = source.partition(":")
    path = Path(place)
    if form not in ("coco", "ode") or not place:
        raise VhbenchError(f"--source {source}: expected coco:INSTANCES.json or ode:SPLIT")
    if form == "coco":
        return _of_coco(path, captions, Path(images), words)
    questions = {q.scene_ids[0]: q for q in splits.read_questions(path) if q.kind == "caption"}
    known = _vocabulary(words, vocabulary_of(path))
    objects = {name: [word for word in q.objects if word in known] for name, q in questions.items()}
    return _Photos(path, {name: q.images[0] for name, q in questions.items()}, objects, known, {})


def _of_coco(instances: Path, captions: str, folder: Path, words: str) -> _Photos:
    data = load("vhbench.tasks.metrics.chair:read_coco")(instances)
    known = _vocabulary(words, {row["name"]: () for row in data.get("categories", ()) if "name" in row})
    gold = load("vhbench.tasks.metrics.chair:gold_from_coco")  # its result is part of the fingerprint
    ours, other = (
        {name: sorted(objects) for name, objects in gold(data, captions or None, synonyms=known, compat=own).items()}
        for own in (False, True)
    )
    files: dict[str, ImageData | str] = {}
    for number, row in enumerate(data.get("images", ()), start=1):
        if "file_name" not in row:
            raise VhbenchError(f"{instances}, images, row {number}: expected 'file_name', got {row!r:.80}")
        files[str(row["id"])] = row["file_name"]
    return _Photos(folder, files, ours, known, {name: other[name] for name in ours if ours[name] != other[name]})


def _vocabulary(file: str, objects: Mapping[str, Sequence[str]]) -> Mapping[str, Sequence[str]]:
    """Return the vocabulary of a file, or the objects with vhbench's synonyms."""
    if not file:
        return synonyms.extended(objects)
    table = read_json(file) if file.endswith(".json") else Path(file)
    return {name: others for name, *others in load("vhbench.tasks.metrics.chair_captions:read_synonyms")(table)}


@lru_cache(maxsize=2)
def _listed(file: str) -> list[str]:
    """Return the image ids or file names in a file, in any of the formats in which papers publish them."""
    lines = [line for line in read_text(file).splitlines() if not line.lstrip().startswith("#")]
    text = "\n".join(lines)
    for parts in ([text], lines):
        with suppress(ValueError):
            return _names_in([json.loads(part) for part in parts if part.strip()])
    table = csv.DictReader(lines, delimiter="\t" if "\t" in text else ",")
    if column := next((name for name in _COLUMNS if name in (table.fieldnames or ())), ""):
        return [row[column] or "" for row in table]
    return [word for word in re.split(r"""[\s,;"'\[\]]+""", text) if word]


def _names_in(entry: Any) -> list[str]:
    if isinstance(entry, dict):
        lists = [value for name, value in entry.items() if isinstance(value, list) and not re.search(r"\d", name)]
        named = [entry[column] for column in _COLUMNS if column in entry]
        return _names_in((named or (lists if len(lists) == 1 else [[*entry]]))[0])  # a single list is of images
    return [*chain.from_iterable(map(_names_in, entry))] if isinstance(entry, list) else [str(entry)]


def _id_of(name: str, known: Collection[str], files: Mapping[str, str]) -> str:
    """Return the id of an image that a list names by id, by file, or as COCO names files; else the name.

    >>> names = ("42", "val/a.jpg", "COCO_val2014_000000000042.jpg", "000042", "b42.jpg")
    >>> [_id_of(name, {"42"}, {"a.jpg": "42"}) for name in names]
    ['42', '42', '42', '42', 'b42.jpg']
    """
    file = name.rpartition("/")[2]
    number = re.fullmatch(r"(?:COCO_\w+?_)?0*(\d+)(?:\.\w+)?", file)
    candidates = (name, files.get(file, ""), number[1] if number else "")
    return next((one for one in candidates if one in known), name)


def tasks() -> Iterator[Task]:
    """Yield a task per token limit, and the group of all."""
    families = benchmark("chair").families
    command = "vhbench build chair --source coco:instances_val2014.json --captions captions_val2014.json"
    yield Task("chair", members=tuple(f"chair_{limit}" for limit in LIMITS))
    for limit in LIMITS:
        keep = {"question_type": (f"{limit}_tokens",)}
        yield Task(f"chair_{limit}", families["caption"], keep, command=command, max_new_tokens=limit)
