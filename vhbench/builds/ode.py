"""ODE build: concept graph, criteria, images, filter and questions, shard by shard."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.benchmarks import ODE, Task
from vhbench.builds import ode_models, ode_preview
from vhbench.builds.ode_models import Calibration, Pipeline
from vhbench.builds.ode_preview import PlannedImages
from vhbench.builds.ode_source_vocabulary import DrawnWorld, OpenWorld, PhotoWorld
from vhbench.builds.split_build import SplitBuild, part_option, tail, version_option
from vhbench.files import file_sha256
from vhbench.generators.ode import criteria, graph_sources, held_out, questions, shards
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
_DRAW, _IMAGES = "Concept selection", "Images and filter"
_SURE, _BELIEF = DetectionThresholds(), VerifierThresholds()
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
    detections are cached: a run with another `--keep` reuses them.
    """

    benchmark = "ode"

    graph: tuple[str, ...] = option(
        "Concept graph: `starter` (default), `traffic` (an example domain), `amber:DIR` (AMBER's data), `coco:FILE` "
        "(instances JSON), or a .json or .graphml file. If repeated, graphs are merged: words are united and "
        "co-occurrence counts added.",
        ("starter",),
        panel=_DRAW,
        repeat=True,
        show_default=False,
    )
    node_types: str = option("For amber:DIR: JSON file mapping words to kinds.", "", metavar="FILE", panel=_DRAW)
    add: str = option(
        "Extend a released benchmark: a graph file whose new words, edges and attributes form the graph's next "
        "version, with their own pairs. Unlike merging, it keeps all existing pairs and questions unchanged.",
        "",
        metavar="GRAPH",
        panel=_DRAW,
    )
    part: str = part_option(_DRAW)
    pairs: int = option("Pairs per criterion and pairing (8 of them).", 40, least=1, most=100_000, panel=_DRAW)
    variants: int = option("Images per pair.", 1, least=1, most=1_000, panel=_DRAW)
    concepts: int = option("Concepts combined in one image.", 2, least=2, most=criteria.LARGEST_GROUP, panel=_DRAW)
    criteria: tuple[str, ...] = option("Criteria to build.", tuple(criteria.CRITERIA), panel=_DRAW)
    levels: tuple[str, ...] = option("Question levels; `relation` can be added.", questions.LEVELS[:3], panel=_DRAW)
    epsilon: float = option(
        "Long tail: lower bound on co-occurrence (pairs seen together more than ε times); -1 for 1, or 0 if few "
        "pairs are seen more often.",
        -1,
        panel=_DRAW,
        show_default=False,
    )
    delta: float = option(
        "Long tail: upper bound (less than δ times); 0 for just above the median of the counts above ε.",
        0,
        panel=_DRAW,
        show_default=False,
    )
    likely: str = option(
        "Source of likely hallucinations: `seen` (the graph's co-occurrences) or `both` (also hallucinations of "
        "models, from amber:DIR).",
        "both",
        panel=_DRAW,
    )
    images: str = option(
        "`scenes` (synthetic, exact ground truth), `diffusers:NAME`, e.g. "
        "`diffusers:black-forest-labs/FLUX.1-dev`, `photos:INSTANCES.json=DIR` (existing photos that show a "
        "pair, by COCO-format annotations), or `photos:DIR` (labelled by --detector and --verifier).",
        "scenes",
        panel=_IMAGES,
    )
    detector: str = option(
        "Detector for generated images: a zero-shot model, e.g. `IDEA-Research/grounding-dino-base`, or "
        "`onnx:FILE` with fixed classes (YOLO family, YOLO-World exports). `NAME@REVISION` pins a commit.",
        "",
        metavar="NAME",
        panel=_IMAGES,
    )
    verifier: str = option(
        "Verifier of a prompt's colours, states and actions: a CLIP-like model, e.g. "
        "`openai/clip-vit-large-patch14`, or `vqa:NAME`, e.g. `vqa:dandelin/vilt-b32-finetuned-vqa`. Without one,"
        " no questions are generated about them.",
        "",
        metavar="NAME",
        panel=_IMAGES,
    )
    calibration: str = option(
        "Thresholds per word and attribute kind, as written by `vhbench calibrate`.",
        "",
        metavar="FILE",
        panel=_IMAGES,
    )
    size: int = option(
        "Image side in pixels; 0 for that of the text-to-image model's authors, 512 in scenes.",
        0,
        least=0,
        most=4096,
        panel=_IMAGES,
    )
    best_of: int = option(
        "Candidate images per kept image; the one with the highest detector confidence is kept.",
        1,
        least=1,
        most=100,
        panel=_IMAGES,
    )
    retries: int = option("New seeds for a rejected image.", 2, least=0, panel=_IMAGES)
    reserve: int = option("Maximum number of candidate pairs per requested pair.", 10, least=1, panel=_IMAGES)
    keep: float = option("Detection score at or above which an object counts as present.", _SURE.keep, panel=_IMAGES)
    absent: float = option("Detection score below which an object counts as absent.", _SURE.absent, panel=_IMAGES)
    believe: float = option(
        "Verifier probability at or above which an attribute counts as present.", _BELIEF.keep, panel=_IMAGES
    )
    trust_prompt: bool = option(
        "Generate questions about the prompt's colours, states and actions without verification, as the paper does.",
        False,
        panel=_IMAGES,
    )
    revision: str = option("Branch, tag or commit of the text-to-image model.", "", metavar="NAME", panel=_IMAGES)
    steps: int = option("Denoising steps; 0 for those of the model's authors.", 0, least=0, panel=_IMAGES)
    guidance: float = option("Guidance scale; negative for that of the model's authors.", -1, panel=_IMAGES)
    dtype: str = option(
        "Precision of the text-to-image model: auto, float32, float16 or bfloat16.", "auto", panel=_IMAGES
    )
    device: str = option(
        "Device of the models: auto, cpu, cuda, cuda:1. With auto, `--workers` divides the visible GPUs.",
        "auto",
        panel=_IMAGES,
    )
    offload: str = option("CPU offloading: none, model or sequential (less GPU memory, slower).", "none", panel=_IMAGES)
    batch: int = option("Images generated and detected per batch.", 4, least=1, panel=_IMAGES)
    dry_run: bool = option(
        "Print the prompts and the questions that perfect images would get, and build nothing.",
        False,
        names=("--dry-run",),
        panel=_DRAW,
    )
    yes: bool = option(
        "With a text-to-image model: start after the pilot without asking.", False, names=("--yes", "-y"), panel=_IMAGES
    )
    gpu_hour_price: float = option(
        "Price of an hour on this machine, for the cost that the pilot projects.", 0, least=0, panel=_IMAGES
    )
    allow_missing: bool = option(
        "Keep a split in which a criterion or pairing has no image.", False, names=("--allow-missing",), panel=_IMAGES
    )
    version: str = version_option("2.0.0")
    thresholds: DetectionThresholds | None = None

    def check(self) -> None:
        """Validate all options before anything is built.

        Raises:
            VhbenchError: naming the option, its value and the allowed values.
        """
        check_numbers(self)
        for name, allowed in (("levels", questions.LEVELS), ("criteria", tuple(criteria.CRITERIA))):
            for value in getattr(self, name):
                if value not in allowed:
                    raise VhbenchError(f"--{name} {value!r}: must be among {', '.join(allowed)}")
        if 0 < self.size < SMALLEST:
            raise VhbenchError(f"--size {self.size}: must be 0, or at least {SMALLEST}")
        if self.likely not in ("seen", "both"):
            raise VhbenchError(f"--likely {self.likely!r}: must be seen or both")
        kind, _, place = self.images.partition(":")
        if self.images != "scenes" and not (kind in ("diffusers", "photos") and place):
            raise VhbenchError(f"unknown image source {self.images!r}: {ode_models.ALLOWED}")
        if kind == "photos" and "=" not in place and not (self.detector and Path(place).is_dir()):
            forms = "photos:INSTANCES.json=DIR, or photos:DIR with --detector NAME"
            raise VhbenchError(f"--images {self.images}: must be {forms}")
        if kind == "diffusers" and not self.detector:
            raise VhbenchError(f"--images {self.images} needs --detector NAME, which detects the objects in an image")
        read_part(self.part)
        self._check_additions()
        if self._labelled:
            _ = self._models, self._eyes(look=False)
        for criterion in self.criteria:
            criteria.select(
                self._graph, criterion, limit=self.pairs, seed=self.seed, epsilon=self._epsilon, delta=self._delta
            )

    def _check_additions(self) -> None:
        """Raise if no pair that ``--add`` adds can be shown, so that its release would repeat the older one."""
        version, world = int(self._graph.graph["version"]), self._world()
        pools = [criteria.PairPool(self._graph, pairing, version) for pairing in criteria.PAIRINGS]
        if self.add and all(world.problem(pair) for pool in pools for pair in (*pool.seen, *pool.unseen)):
            problems = {world.problem(pair) for pool in pools for pair in (*pool.seen, *pool.unseen)}
            told = "; ".join(sorted(problems)[:3])
            raise VhbenchError(f"--add {self.add}: expected new pairs that can be shown, got none ({told})")

    @property
    def on_gpu(self) -> bool:
        """Whether images are generated by a model, on any free GPU."""
        return self._painted and self.device in ("auto", "cuda")

    @property
    def config(self) -> Mapping[str, Any]:
        """All options that change the output, JSON types only, without local folders.

        Models are identified by their content or commit, with the versions of the libraries that run them.
        """
        named = {name: tail(getattr(self, name)) for name in ("node_types", "add", "images", "detector", "verifier")}
        elsewhere = {"seed", "version", "keep", "absent", "believe", "calibration", *_MODELS, *_UNRECORDED}
        return {
            **{name: value for name, value in values_of(self).items() if name not in elsewhere},
            **named,
            "graph": [tail(name) for name in self.graph],
            "epsilon": self._epsilon,
            "delta": self._delta,
            "thresholds": asdict(self._thresholds),
            "options": self._models,
            "vocabulary": {name: list(words) for name, words in self._world().vocabulary().items()},
        }

    @property
    def sources(self) -> Mapping[str, str]:
        """Graph files and their SHA-256; repeated file names are prefixed with their folder."""
        files = [path for name in self.graph for path in graph_sources.files_of(name)]
        files += [Path(name) for name in (self.node_types, self.add, self.calibration) if name]
        files += [Path(self.images.partition(":")[2].rpartition("=")[0])] if self._annotated else []
        found: dict[str, str] = {}
        for path in files:
            name = path.name if path.name not in found else f"{path.resolve().parent.name}/{path.name}"
            found[name] = file_sha256(path)
        return found

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

    def prepare(self, echo: Callable[[str], None]) -> str | None:
        """Print a dry run and end, or run the pilot of a build with a text-to-image model.

        Raises:
            VhbenchError: if the pilot keeps too few images, or no terminal can confirm the build.
        """
        if self.dry_run:
            planned = self._recipe(PlannedImages(), ode_preview.PLANNED_EYES, OpenWorld(self._graph))
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
        for line in ode_preview.pilot(self._recipe(), self.plan, self.gpu_hour_price):
            echo(line)
        ode_models.unload()  # worker processes load their own
        return "" if self.yes else "Start the build?"

    def gaps(self, split: Path) -> Sequence[str]:
        """Return the requested cells (criterion × pairing) without any question."""
        if self.allow_missing:
            return ()
        found = {tuple(row.values()) for _, row in splits.read_columns(split, ("criterion", "pairing"))}
        asked = dict.fromkeys((share.criterion, criteria.PAIRINGS[share.pairing]) for share in self.plan)
        return [" × ".join(cell) for cell in asked if cell not in found]

    def outcome(self, split: Path) -> Sequence[Sequence[str]]:
        """Return per criterion the numbers requested, accepted, and rejected for each reason."""
        rejections = list(splits.read_rejections(split))
        rows = splits.read_manifest(split).rows
        table = [("criterion", "images requested", "images kept", "rejected, by reason")]
        for criterion in criteria.CRITERIA:
            levels = [count for name, count in rows.items() if name == f"ode_{criterion}_caption"]
            reasons = Counter(r.reason for r in rejections if r.item.startswith(f"{criterion}-"))
            told = ", ".join(f"{count} × {reason}" for reason, count in reasons.most_common())
            asked = self.variants * sum(share.pairs for share in self.plan if share.criterion == criterion)
            if levels or reasons:
                table.append((criterion, str(asked), str(sum(levels)) if levels else "?", told or "none"))
        return table

    @property
    def _epsilon(self) -> float | None:
        return None if self.epsilon < 0 else self.epsilon

    @property
    def _delta(self) -> float | None:
        return self.delta or None

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
        beliefs = asdict(Calibration(self.calibration).verification(self.believe, _BELIEF.absent))
        looking = {name: ode_models.model_of(getattr(self, name)) for name in ("detector", "verifier")}
        own = self._pipeline.depends_on if self._painted else {"photos": ode_models.photo_names(self.images)}
        return {**own, **looking, "beliefs": beliefs}

    def _eyes(self, *, look: bool = True) -> DetectionModels | None:
        """Return the models that check images; ``look=False`` only validates their options."""
        beliefs = Calibration(self.calibration).verification(self.believe, _BELIEF.absent)
        thresholds = self._thresholds
        if not self._labelled or not look:
            return None
        verifier = ode_models.verifier(self.verifier, self.device) if self.verifier else None
        found = ode_models.detector(self.detector, self.device, 2 * self.batch)
        return DetectionModels(found, verifier, thresholds, beliefs, trust_prompt=self.trust_prompt)

    def _recipe(
        self,
        images: ImageSource | None = None,
        eyes: DetectionModels | None = None,
        world: DrawnWorld | OpenWorld | None = None,
    ) -> Recipe:
        """Return the recipe, by default with the image source and models of the options."""
        made: dict[str, Any] = {
            "graph": self._graph,
            "size": self.size or (0 if self._painted else SCENE_SIZE),
            "part": read_part(self.part),
            "world": world or self._world(),
            "images": images or self._images(),
            "eyes": eyes or self._eyes(),
            "epsilon": self._epsilon,
            "delta": self._delta,
            "imagined": None if self.likely == "seen" else graph_sources.hallucinations_of(self.graph),
        }
        options = {field.name for field in fields(Recipe)} & options_of(OdeBuild).keys()
        return Recipe(**{name: getattr(self, name) for name in options} | made)

    def _images(self) -> ImageSource:
        if self.images == "scenes":
            return SceneSource()
        if self._annotated:
            return ode_models.photos(self.images)
        if self._labelled and not self._painted:
            names = sorted(set(map(self._world().name, self._graph)))
            return ode_models.unlabelled_photos(self.images, self._eyes(), names)
        if not self._painted:
            raise VhbenchError(f"unknown image source {self.images!r}: {ode_models.ALLOWED}")
        return ode_models.image_source(self._pipeline)

    @cached_property
    def _graph(self) -> ConceptGraph:
        graph = graph_sources.merged(self.graph, self.node_types, self.add)
        return held_out.restricted(graph, read_part(self.part), self._world_of(graph).name)

    def _world(self) -> DrawnWorld | OpenWorld:
        return self._world_of(self._graph)

    def _world_of(self, graph: ConceptGraph) -> DrawnWorld | OpenWorld:
        if self._annotated:
            return PhotoWorld(graph, ode_models.photos(self.images).words)
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
            yield Task(f"{group}_{level}", family, about="" if level in paper else beyond, command=command)
    yield Task("ode", members=tuple(f"ode_{criterion}" for criterion in criteria.CRITERIA))
