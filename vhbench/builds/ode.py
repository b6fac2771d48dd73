"""ODE build: concept graph, criteria, images, filter and questions, shard by shard."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.adapters import loaded_models
from vhbench.adapters.loaded_models import Pipeline
from vhbench.adapters.photo_pairs import UnlabelledPhotos, photo_files
from vhbench.benchmarks import ODE, Task
from vhbench.builds import ode_preview
from vhbench.builds.ode_calibration import Calibration
from vhbench.builds.ode_source_vocabulary import DrawnWorld, OpenWorld, PhotoWorld
from vhbench.builds.split_build import PART_HELP, SplitBuild, tail, version_option
from vhbench.files import file_sha256
from vhbench.generators.ode import criteria, graph_sources, questions, shards
from vhbench.generators.ode.attribute_checks import VerifierThresholds
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.detection import DetectionModels
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.generators.ode.shards import Recipe, Share
from vhbench.generators.scenes import SceneSource, read_part
from vhbench.options import check_numbers, option, options_of, values_of
from vhbench.protocols import ImageSource
from vhbench.schema import Rejection, Row, Scene, VhbenchError

PAIRS_PER_SHARD, SCENE_SIZE, SMALLEST = 20, 512, 64
_of_concepts, _of_images = partial(option, panel="Concept selection"), partial(option, panel="Images and filter")
_SURE, _BELIEF = DetectionThresholds(), VerifierThresholds()
_EXPECTED = "expected scenes, photos:INSTANCES.json=DIR, diffusers:NAME, photos:DIR"
_UNRECORDED = ("dry_run", "yes", "gpu_hour_price", "allow_missing")
_MODELS = ("revision", "steps", "guidance", "dtype", "device", "offload", "batch")


@dataclass(frozen=True, kw_only=True)
class OdeBuild(SplitBuild):
    """Build ODE: hallucinations in new images of concept pairs, from common to fictional.

    Concepts are sampled from a graph by four criteria (standard, long_tail, random, fictional) and shown in new images
    with caption, existence and attribute questions.

    Example: `vhbench build ode --out out --graph amber:AMBER --pairs 40 --workers 4`

    With a text-to-image model: `vhbench build ode --out out --images diffusers:black-forest-labs/FLUX.1-dev
    --detector IDEA-Research/grounding-dino-base --verifier openai/clip-vit-large-patch14 --offload model`. Images and
    detections are cached, so a rerun with a different `--keep` reuses them.
    """

    benchmark = "ode"

    graph: tuple[str, ...] = _of_concepts(
        "Concept graph: `starter` (default), `traffic` (an example domain), `amber:DIR` (AMBER's data), `coco:FILE` "
        "(instances JSON), or a .json or .graphml file. If repeated, graphs are merged: the union of the "
        "words, with co-occurrence counts summed.",
        ("starter",),
        repeat=True,
        show_default=False,
    )
    node_types: str = _of_concepts("For amber:DIR: JSON file mapping words to node types.", "", metavar="FILE")
    add: str = _of_concepts(
        "Extend a released benchmark: graph file with new words, edges and attributes, from which new pairs are built. "
        "Unlike merging, this leaves all existing pairs and questions unchanged.",
        "",
        metavar="GRAPH",
    )
    part: str = _of_concepts(PART_HELP, "", metavar="I/N")
    pairs: int = _of_concepts("Pairs per combination of criterion and pairing (8 in all).", 40, least=1, most=100_000)
    variants: int = _of_concepts("Images per pair.", 1, least=1, most=1_000)
    concepts: int = _of_concepts("Concepts combined in one image.", 2, least=2, most=criteria.LARGEST_GROUP)
    criteria: tuple[str, ...] = _of_concepts("Criteria to build.", tuple(criteria.CRITERIA))
    levels: tuple[str, ...] = _of_concepts("Question levels; `relation` is also available.", questions.LEVELS[:3])
    epsilon: float = _of_concepts(
        "Long tail: lower bound on co-occurrence (pairs that co-occur more than ε times); -1: 1, or 0 if too few "
        "pairs co-occur more than once.",
        -1,
        show_default=False,
    )
    delta: float = _of_concepts(
        "Long tail: upper bound (fewer than δ times); 0: just above the median of the counts above ε.",
        0,
        show_default=False,
    )
    likely: str = _of_concepts(
        "Source of likely hallucinations: `seen` (the graph's co-occurrences) or `both` (also hallucinations "
        "observed in models, from amber:DIR).",
        "both",
    )
    images: str = _of_images(
        "`scenes` (synthetic, exact ground truth), `diffusers:NAME`, e.g. "
        "`diffusers:black-forest-labs/FLUX.1-dev`, `photos:INSTANCES.json=DIR` (existing photos that show a "
        "pair according to COCO-format annotations), or `photos:DIR` (labelled by --detector and --verifier).",
        "scenes",
        model="diffusers:",
    )
    detector: str = _of_images(
        "Detector for generated images: a zero-shot model, e.g. `IDEA-Research/grounding-dino-base`, or "
        "`onnx:FILE` with fixed classes (YOLO family, YOLO-World exports). `NAME@REVISION` pins a commit.",
        "",
        metavar="NAME",
        model="",
    )
    verifier: str = _of_images(
        "Verifier for the colours, states and actions in a prompt: a CLIP-like model, e.g. "
        "`openai/clip-vit-large-patch14`, or `vqa:NAME`, e.g. `vqa:dandelin/vilt-b32-finetuned-vqa`. Without one,"
        " no questions are generated about them.",
        "",
        metavar="NAME",
        model="(?:vqa:)?",
    )
    calibration: str = _of_images(
        "Thresholds per word and attribute kind, as written by `vhbench calibrate`.", "", metavar="FILE"
    )
    size: int = _of_images(
        "Image side in pixels; 0: as the text-to-image model's authors recommend; 512 for scenes.",
        0,
        least=0,
        most=4096,
    )
    best_of: int = _of_images(
        "Candidate images per kept image; the one with the highest detector confidence is kept.", 1, least=1, most=100
    )
    retries: int = _of_images("Number of new seeds to try when an image is rejected.", 2, least=0)
    reserve: int = _of_images("Maximum number of candidate pairs per requested pair.", 10, least=1)
    keep: float = _of_images("Detection score at or above which an object counts as present.", _SURE.keep)
    absent: float = _of_images("Detection score below which an object counts as absent.", _SURE.absent)
    believe: float = _of_images("Verifier probability at or above which an attribute counts as present.", _BELIEF.keep)
    trust_prompt: bool = _of_images(
        "Generate questions about the prompt's colours, states and actions without verification, as the paper does.",
        False,
    )
    revision: str = _of_images("Branch, tag or commit of the text-to-image model.", "", metavar="NAME")
    steps: int = _of_images("Denoising steps; 0: as recommended by the model's authors.", 0, least=0)
    guidance: float = _of_images("Guidance scale; negative: as recommended by the model's authors.", -1)
    dtype: str = _of_images("Precision of the text-to-image model: auto, float32, float16 or bfloat16.", "auto")
    device: str = _of_images(
        "Device of the models: auto, cpu, cuda, cuda:1. With auto, `--workers` divides the visible GPUs.", "auto"
    )
    offload: str = _of_images("CPU offloading: none, model or sequential (less GPU memory, slower).", "none")
    batch: int = _of_images("Images generated and detected per batch.", 4, least=1)
    dry_run: bool = _of_concepts(
        "Print the prompts and the questions for images that match them perfectly, without building anything.", False
    )
    yes: bool = _of_images(
        "With a text-to-image model: skip the confirmation prompt after the pilot.", False, names=("--yes", "-y")
    )
    gpu_hour_price: float = _of_images(
        "Price of one hour on this machine, for the cost estimate of the pilot.", 0, least=0
    )
    allow_missing: bool = _of_images("Accept a split in which a criterion or pairing has no images.", False)
    version: str = version_option("2.0.0")
    thresholds: DetectionThresholds | None = None

    def check(self) -> None:
        """Validate all options before anything is built. Raises as :meth:`SplitBuild.check`."""
        check_numbers(self)
        for name, allowed in (("levels", questions.LEVELS), ("criteria", tuple(criteria.CRITERIA))):
            for value in getattr(self, name):
                if value not in allowed:
                    raise VhbenchError(f"--{name}: expected one of {', '.join(allowed)}, got {value!r}")
        if 0 < self.size < SMALLEST:
            raise VhbenchError(f"--size: expected 0, or at least {SMALLEST}, got {self.size}")
        if self.likely not in ("seen", "both"):
            raise VhbenchError(f"--likely: expected seen or both, got {self.likely!r}")
        kind, _, place = self.images.partition(":")
        if self.images != "scenes" and not (kind in ("diffusers", "photos") and place):
            raise VhbenchError(f"--images: {_EXPECTED}, got {self.images!r}")
        if kind == "photos" and "=" not in place and not (self.detector and Path(place).is_dir()):
            forms = "photos:INSTANCES.json=DIR, or photos:DIR with --detector NAME"
            raise VhbenchError(f"--images: expected {forms}; got {self.images}")
        if kind == "diffusers" and not self.detector:
            raise VhbenchError(f"--images {self.images} needs --detector NAME, which detects the objects in an image")
        read_part(self.part)
        self._check_additions()
        if self._labelled:
            _ = self._models, self._thresholds  # reads the calibration
        for criterion in self.criteria:
            criteria.select(self._graph, criterion, limit=self.pairs, seed=self.seed, **self._bounds)

    def _check_additions(self) -> None:
        """Raise if ``--add`` adds no pair of a criterion that can be shown: its release would repeat the older one."""
        if not self.add:
            return
        added = criteria.newest(self._graph, self.criteria, self.seed, **self._bounds)
        problems = set(map(self._world().problem, added))
        if "" not in problems:
            reason = "; ".join(sorted(problems)[:3]) or f"none is {' or '.join(self.criteria)}"
            raise VhbenchError(f"--add {self.add}: expected new pairs that can be shown, got none ({reason})")

    @property
    def on_gpu(self) -> bool:
        """Whether images are generated by a model, on any free GPU."""
        return self._painted and self.device in ("auto", "cuda")

    @property
    def config(self) -> Mapping[str, Any]:
        """All options that change the output, JSON types only, without local folders.

        Models are identified by their content or commit, with the versions of the libraries that run them.
        """
        words = {name: list(words) for name, words in self._world().vocabulary().items()}
        return {**self.stated, "options": self._models, "vocabulary": words}

    @property
    def stated(self) -> Mapping[str, Any]:
        """The part of :attr:`config` that needs neither graph nor models."""
        models = {**(self._pipeline.stated if self._painted else {}), "beliefs": asdict(self._beliefs)}
        named = {name: tail(getattr(self, name)) for name in ("node_types", "add", "images", "detector", "verifier")}
        elsewhere = {"seed", "version", "keep", "absent", "believe", "calibration", *_MODELS, *_UNRECORDED}
        return {
            **{name: value for name, value in values_of(self).items() if name not in elsewhere},
            **named,
            **self._bounds,
            "graph": [tail(name) for name in self.graph],
            "thresholds": asdict(self._thresholds),
            "options": models if self._labelled else {},
        }

    @property
    def sources(self) -> Mapping[str, str]:
        """Graph files and their SHA-256; repeated file names are prefixed with their folder."""
        files = [path for name in self.graph for path in graph_sources.files_of(name)]
        files += [Path(name) for name in (self.node_types, self.add, self.calibration) if name]
        files += [Path(self.images.partition(":")[2].rpartition("=")[0])] if self._annotated else []
        digests: dict[str, str] = {}
        for path in files:
            name = path.name if path.name not in digests else f"{path.resolve().parent.name}/{path.name}"
            digests[name] = file_sha256(path)
        return digests

    @property
    def shards(self) -> int:
        """One per twenty pairs of a criterion and pairing."""
        return len(self.plan)

    @cached_property
    def plan(self) -> tuple[Share, ...]:
        """Share of the split that each shard builds."""
        pairings = [p for p in criteria.PAIRINGS if p == "ee" or criteria.has_environments(self._graph)]
        step = -(-self.pairs // PAIRS_PER_SHARD)
        return tuple(
            Share(criterion, pairing, len(range(first, self.pairs, step)), first, step, version)
            for version in range(1, int(self._graph.graph["version"]) + 1)
            for criterion in self.criteria
            for pairing in pairings
            for first in range(step)
        )

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        """Yield a shard's rows, their scenes, and rejections."""
        return shards.make(self._recipe(), self.plan[shard])

    def prepare(self, echo: Callable[[str], None], *, pilot: bool = True) -> str | None:
        """Print a dry run and end, or run the pilot with models; raise VhbenchError if it keeps too few images."""
        if self.dry_run:
            planned = self._recipe(ode_preview.PlannedImages(), ode_preview.PLANNED_EYES, OpenWorld(self._graph))
            for line in ode_preview.dry_run(planned, self.plan):
                echo(line)
            return None
        if not self._painted:
            return ""
        if not self.calibration and not self.thresholds:
            echo(
                f"warning: --calibration missing; scores of {self.detector} are used uncalibrated (present from "
                f"{self.keep:g}, absent below {self.absent:g})"
            )
        if not pilot:
            return ""
        price, allowed = self.gpu_hour_price, self.allow_missing
        for line in ode_preview.pilot(self._recipe(), self.plan, price, allow_missing=allowed):
            echo(line)
        loaded_models.unload()  # worker processes load their own
        return "" if self.yes else "Start the build?"

    def gaps(self, split: Path) -> Sequence[str]:
        """Return the requested cells (criterion × pairing) without any question, and ``--add`` if it brought none."""
        if self.allow_missing:
            return ()
        rows = [row for _, row in splits.read_columns(split, ("criterion", "pairing", "scene_ids"))]
        filled = {(row["criterion"], row["pairing"]) for row in rows}
        requested = dict.fromkeys((share.criterion, criteria.PAIRINGS[share.pairing]) for share in self.plan)
        newest = max(Share.version_of(name) for row in rows for name in row["scene_ids"])
        added = [f"--add {self.add}"] if self.add and newest < self._graph.graph["version"] else []
        return [*(" × ".join(cell) for cell in requested if cell not in filled), *added]

    def outcome(self, split: Path) -> Sequence[Sequence[str]]:
        """Return per criterion the numbers requested, accepted, and rejected for each reason."""
        rejections = list(splits.read_rejections(split))
        rows = splits.read_manifest(split).rows
        table = [("criterion", "images requested", "images kept", "rejected, by reason")]
        for criterion in criteria.CRITERIA:
            levels = [count for name, count in rows.items() if name == f"ode_{criterion}_caption"]
            reasons = Counter(r.reason for r in rejections if r.item.startswith(f"{criterion}-"))
            by_reason = ", ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
            requested = self.variants * sum(share.pairs for share in self.plan if share.criterion == criterion)
            if levels or reasons:
                table.append((criterion, str(requested), str(sum(levels)) if levels else "?", by_reason or "none"))
        return table

    @property
    def _bounds(self) -> dict[str, Any]:
        """Bounds of the long tail; None where the graph determines one."""
        return {"epsilon": None if self.epsilon < 0 else self.epsilon, "delta": self.delta or None}

    @property
    def _painted(self) -> bool:
        return self.images.startswith("diffusers:")

    @property
    def _annotated(self) -> bool:
        return self.images.startswith("photos:") and "=" in self.images

    @property
    def _labelled(self) -> bool:
        """Whether a detector labels the images."""
        return self._painted or (self.images.startswith("photos:") and not self._annotated)

    @property
    def _thresholds(self) -> DetectionThresholds:
        return self.thresholds or Calibration(self.calibration).detection(self.keep, self.absent)

    @property
    def _pipeline(self) -> Pipeline:
        """Options of the text-to-image model."""
        values = {name: getattr(self, name) for name in _MODELS}
        values["steps"] = self.steps or None
        values["guidance"] = None if self.guidance < 0 else self.guidance
        return Pipeline(self.images.partition(":")[2], **values)

    @cached_property
    def _models(self) -> dict[str, Any]:
        """Model settings that images and filter depend on, besides thresholds; may be empty."""
        if not self._labelled:
            return {}
        looking = {name: loaded_models.model_of(getattr(self, name)) for name in ("detector", "verifier")}
        own = self._pipeline.depends_on if self._painted else {"photos": [f.name for f in photo_files(self._folder)]}
        return {**own, **looking, "beliefs": asdict(self._beliefs)}

    @property
    def _folder(self) -> Path:
        return Path(self.images.partition(":")[2])

    @property
    def _beliefs(self) -> VerifierThresholds:
        return Calibration(self.calibration).verification(self.believe, _BELIEF.absent)

    def _eyes(self) -> DetectionModels | None:
        """Return the models that check images, if they are not exact."""
        if not self._labelled:
            return None
        verifier = loaded_models.verifier(self.verifier, self.device) if self.verifier else None
        detector = loaded_models.detector(self.detector, self.device, 2 * self.batch)
        return DetectionModels(detector, verifier, self._thresholds, self._beliefs, trust_prompt=self.trust_prompt)

    def _recipe(
        self, images: ImageSource | None = None, eyes: DetectionModels | None = None, world: OpenWorld | None = None
    ) -> Recipe:
        """Return the recipe, by default with the image source and models of the options."""
        settings: dict[str, Any] = {
            "graph": self._graph,
            "size": self.size or (0 if self._painted else SCENE_SIZE),
            "part": read_part(self.part),
            "world": world or self._world(),
            "images": images or self._images(),
            "eyes": eyes or self._eyes(),
            **self._bounds,
            "imagined": None if self.likely == "seen" else graph_sources.hallucinations_of(self.graph),
        }
        options = {field.name for field in fields(Recipe)} & options_of(OdeBuild).keys()
        return Recipe(**{name: getattr(self, name) for name in options} | settings)

    def _images(self) -> ImageSource:
        if self.images == "scenes":
            return SceneSource()
        if self._annotated:
            return loaded_models.photos(self.images)
        if self._painted:
            return loaded_models.image_source(self._pipeline)
        if not self._labelled:
            raise VhbenchError(f"--images: {_EXPECTED}, got {self.images!r}")
        eyes, names = self._eyes(), sorted(set(map(self._world().name, self._graph)))
        assert eyes is not None, "unlabelled photos are labelled by a detector"
        limits = eyes.thresholds
        return UnlabelledPhotos(self._folder, eyes.detector, eyes.meanings(names), lambda word: limits.of(word)[0])

    @cached_property
    def _graph(self) -> ConceptGraph:
        graph = graph_sources.merged(self.graph, self.node_types, self.add)
        return graph_sources.restricted(graph, read_part(self.part), self._world(graph).name)

    def _world(self, whole: "ConceptGraph | None" = None) -> DrawnWorld | OpenWorld:
        graph = self._graph if whole is None else whole
        if self._annotated:
            return PhotoWorld(graph, loaded_models.photos(self.images).words)
        if self._labelled and not self._painted:
            return PhotoWorld(graph)
        return DrawnWorld(graph, read_part(self.part)) if self.images == "scenes" else OpenWorld(graph)


def tasks() -> Iterator[Task]:
    """Yield ODE's tasks: one per criterion and level, a group per criterion, and one of all."""
    families, paper = ODE.families, OdeBuild.levels
    for criterion in criteria.CRITERIA:
        group = f"ode_{criterion}"
        yield Task(group, members=tuple(f"{group}_{level}" for level in questions.LEVELS if level in paper))
        for level in questions.LEVELS:
            beyond = f"Beyond the paper, and so in no group: needs a split with --levels {level}."
            family = families["caption" if level == "caption" else "yes_no"]
            command = f"vhbench build ode --criteria {criterion} --levels {level}"
            about, holds = "" if level in paper else beyond, {"criterion": criterion, "task": level}
            yield Task(f"{group}_{level}", family, holds=holds, about=about, command=command)
    yield Task("ode", members=tuple(f"ode_{criterion}" for criterion in criteria.CRITERIA))
