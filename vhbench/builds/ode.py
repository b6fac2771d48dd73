"""ODE's build: concept graph, criteria, images, filter and questions, put together shard by shard."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, reduce
from pathlib import Path
from typing import Any

from vhbench.builds.ode_worlds import DrawnWorld, OpenWorld
from vhbench.files import file_sha256
from vhbench.generators.ode import concept_graph, criteria, questions, shards
from vhbench.generators.ode.concept_graph import ConceptGraph
from vhbench.generators.ode.filtering import DetectionThresholds
from vhbench.generators.ode.shards import Recipe, Share
from vhbench.protocols import Detector, ImageSource
from vhbench.schema import Rejection, Row, Scene, VhbenchError

VERSION = "1.0.0"
"""Of the benchmark: MAJOR changes when scores are no longer comparable."""

PAIRS_PER_SHARD = 10


@dataclass(frozen=True)
class OdeBuild:
    """Implements :class:`vhbench.protocols.Build`; 12 configs ``ode_<criterion>_<level>``.

    Attributes:
        graph: each "starter", "amber:DIR", "coco:FILE" or a graph file; several are merged: counts add up.
        node_types: JSON file of word → kind, for AMBER; "" for the project's own list.
        add: graph file whose concepts are added as the graph's next version; "" for none.
        pairs: kept pairs per criterion and pairing.
        variants: images per pair.
        concepts: how many concepts meet in an image, 2 to 5.
        images: "scenes" or "diffusers:NAME".
        detector: name or folder of a zero-shot detector; needed unless images are exact.
        levels: which levels of questions.
        retries: new seeds for an image that was rejected.
        reserve: how many pairs are tried at most for each that is asked for.
        criteria: which criteria.
        options: of the image source and the detector (steps, guidance, dtype, offload, batch).
    """

    graph: tuple[str, ...] = ("starter",)
    node_types: str = ""
    add: str = ""
    pairs: int = 40
    variants: int = 1
    concepts: int = 2
    images: str = "scenes"
    detector: str = ""
    seed: int = 0
    levels: tuple[str, ...] = questions.LEVELS[:3]
    criteria: tuple[str, ...] = tuple(criteria.CRITERIA)
    epsilon: float = 0
    delta: float | None = None
    thresholds: DetectionThresholds = field(default_factory=DetectionThresholds)
    retries: int = 2
    reserve: int = 10
    trust_prompt: bool = False
    size: int = 512
    options: Mapping[str, Any] = field(default_factory=dict)
    benchmark: str = "ode"
    version: str = VERSION

    def check(self) -> None:
        """Look at every option before anything is built.

        Raises:
            VhbenchError: naming the option, its value and what is allowed.
        """
        for name, least in (("pairs", 1), ("variants", 1), ("retries", 0), ("reserve", 1), ("size", 64)):
            if getattr(self, name) < least:
                raise VhbenchError(f"--{name} {getattr(self, name)}: must be at least {least}")
        if not 2 <= self.concepts <= criteria.LARGEST_GROUP:
            raise VhbenchError(f"--concepts {self.concepts}: must be 2 to {criteria.LARGEST_GROUP}")
        for option, allowed in (("levels", questions.LEVELS), ("criteria", tuple(criteria.CRITERIA))):
            for value in getattr(self, option):
                if value not in allowed:
                    raise VhbenchError(f"--{option} {value!r}: must be among {', '.join(allowed)}")
        if self.images != "scenes" and not self.images.startswith("diffusers:"):
            raise VhbenchError(f"unknown image source {self.images!r}: allowed are scenes, diffusers:NAME")
        if self.images != "scenes" and not self.detector:
            raise VhbenchError(f"--images {self.images} needs --detector NAME, which tells what is in an image")
        graph = load_graph(self.graph, self.node_types, self.add)
        for criterion in self.criteria:
            criteria.select(graph, criterion, limit=self.pairs, seed=self.seed, epsilon=self.epsilon, delta=self.delta)

    @property
    def config(self) -> Mapping[str, Any]:
        """Every option, JSON types only; without the folders that graphs and models lie in."""
        return {
            "graph": [_tail(name) for name in self.graph],
            "node_types": _tail(self.node_types),
            "add": _tail(self.add),
            "pairs": self.pairs,
            "variants": self.variants,
            "concepts": self.concepts,
            "images": _tail(self.images),
            "detector": _tail(self.detector),
            "levels": list(self.levels),
            "criteria": list(self.criteria),
            "epsilon": self.epsilon,
            "delta": self.delta,
            "thresholds": {n: getattr(self.thresholds, n) for n in DetectionThresholds.__dataclass_fields__},
            "retries": self.retries,
            "reserve": self.reserve,
            "trust_prompt": self.trust_prompt,
            "size": self.size,
            "options": dict(self.options),
            "vocabulary": {name: list(words) for name, words in self._world().vocabulary().items()},
        }

    @property
    def sources(self) -> Mapping[str, str]:
        """The files of the graphs and their SHA-256; of files with one name, the later ones with their folder's."""
        files = [path for name in self.graph for path in graph_files(name)]
        files += [Path(name) for name in (self.node_types, self.add) if name]
        found: dict[str, str] = {}
        for path in files:
            name = path.name if path.name not in found else f"{path.resolve().parent.name}/{path.name}"
            found[name] = file_sha256(path)
        return found

    @property
    def shards(self) -> int:
        """One for every ten pairs of a criterion and pairing."""
        return len(self.plan)

    @cached_property
    def plan(self) -> tuple[Share, ...]:
        """What each shard makes."""
        graph = load_graph(self.graph, self.node_types, self.add)
        pairings = [p for p in criteria.PAIRINGS if p == "ee" or criteria.has_environments(graph)]
        step = -(-self.pairs // PAIRS_PER_SHARD)
        return tuple(
            Share(criterion, pairing, len(range(first, self.pairs, step)), first, step, version)
            for version in range(1, int(graph.graph["version"]) + 1)
            for criterion in self.criteria
            for pairing in pairings
            for first in range(step)
        )

    def make(self, shard: int) -> Iterator[Row | Scene | Rejection]:
        """Yield a shard's rows, the scenes behind them, and what was left out."""
        return shards.make(self._recipe(), self.plan[shard])

    def _recipe(self) -> Recipe:
        graph = load_graph(self.graph, self.node_types, self.add)
        images = image_source(self.images, tuple(sorted(self.options.items())))
        return Recipe(
            graph=graph,
            world=self._world(),
            images=images,
            detector=detector(self.detector) if self.detector and not images.exact else None,
            seed=self.seed,
            version=self.version,
            concepts=self.concepts,
            variants=self.variants,
            retries=self.retries,
            reserve=self.reserve,
            levels=self.levels,
            epsilon=self.epsilon,
            delta=self.delta,
            thresholds=self.thresholds,
            trust_prompt=self.trust_prompt,
            size=self.size,
        )

    def _world(self) -> DrawnWorld | OpenWorld:
        graph = load_graph(self.graph, self.node_types, self.add)
        return DrawnWorld(graph) if self.images == "scenes" else OpenWorld(graph)


@lru_cache(maxsize=4)
def load_graph(sources: tuple[str, ...], node_types: str = "", add: str = "") -> ConceptGraph:
    """Return the graph that options name, merged from all sources; the same object for the same options.

    Raises:
        VhbenchError: if one cannot be read, is named twice, or two do not agree on what a word is.
    """
    if len(set(sources)) < len(sources):
        raise VhbenchError(f"--graph {' '.join(sources)}: one is named twice, and would count twice")
    if node_types and not any(source.startswith("amber:") for source in sources):
        raise VhbenchError(f"--node-types {node_types}: only goes with --graph amber:DIR, not {', '.join(sources)}")
    graph = reduce(concept_graph.merge, (_read_graph(source, node_types) for source in sources))
    if not add:
        return graph
    more = concept_graph.load(add)
    if not set(more) - set(graph):
        raise VhbenchError(f"--add {add}: the graph has all {len(more)} of its concepts already; nothing is new")
    return concept_graph.update(graph, more)


def _read_graph(source: str, node_types: str) -> ConceptGraph:
    if node_types and source.startswith("amber:"):
        return concept_graph.from_amber(source.removeprefix("amber:"), node_types=node_types)
    return concept_graph.load(source)


def graph_files(source: str) -> list[Path]:
    """Return the files that a graph is read from."""
    if source == "starter":
        return [concept_graph.STARTER]
    if source.startswith("amber:"):
        folder = Path(source.removeprefix("amber:"))
        return [folder / "annotations.json", folder / "query" / "query_all.json"]
    return [Path(source.removeprefix("coco:"))]


@lru_cache(maxsize=1)
def image_source(name: str, options: tuple[tuple[str, Any], ...] = ()) -> ImageSource:
    """Return the image source that a command line names; models are loaded once a process.

    Raises:
        VhbenchError: if the name is unknown.
    """
    if name == "scenes":
        from vhbench.generators.scenes.source import SceneSource

        return SceneSource()
    kind, _, model = name.partition(":")
    if kind == "diffusers" and model:
        from vhbench.adapters.text_to_image import DiffusersSource

        source: ImageSource = DiffusersSource(model, **dict(options))
        return source
    raise VhbenchError(f"unknown image source {name!r}: allowed are scenes, diffusers:NAME")


@lru_cache(maxsize=1)
def detector(name: str) -> Detector:
    """Return a zero-shot object detector; it is loaded once a process."""
    from vhbench.adapters.detectors import ZeroShotDetector

    found: Detector = ZeroShotDetector(name)
    return found


def _tail(name: str) -> str:
    """Return a name without the folders before it, which differ from machine to machine: "amber:AMBER"."""
    kind, colon, place = name.rpartition(":")
    path = Path(place)
    return f"{kind}{colon}{path.name}" if path.is_absolute() or place.startswith(".") else name
