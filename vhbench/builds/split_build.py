"""Common base of all builds: dataset version options and the outcome table."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from vhbench import splits
from vhbench.options import LARGEST_SEED, check_numbers, option
from vhbench.protocols import Note
from vhbench.schema import Rejection, Row, Scene, VhbenchError

_EDITION = "Dataset version"

# help of an option for a concept split, the same in all builds
PART_HELP = (
    "Use only the I-th of N parts of the concepts (objects and places; easily confused objects stay together). "
    "Splits built from different parts (of the same N) share no concepts, regardless of benchmark, seed and graph: "
    "train on `1/2`, evaluate on `2/2`."
)


def version_option(default: str) -> Any:
    """Return the option for the version of a dataset; ``default`` is the version of the benchmark."""
    text = "Dataset version. A higher MAJOR means that scores are no longer comparable."
    return option(text, default, metavar="X.Y.Z", panel=_EDITION)


@dataclass(frozen=True, kw_only=True)
class SplitBuild(ABC):
    """A split that can be built shard by shard, by any number of processes, in any order; base of all builds.

    Builds are picklable; their fields are command options. A shard's content depends only on the seed and its index;
    the number of shards depends on the options of the build and never on the number of workers.
    """

    benchmark: ClassVar[str]  # its name, also of the split's folder
    seed: int = option("Random seed of the build.", 0, least=0, most=LARGEST_SEED, panel=_EDITION)
    version: str = version_option("1.0.0")
    scratch: str = ""  # folder in which worker processes share what they render; "": each renders for itself

    @property
    @abstractmethod
    def config(self) -> Mapping[str, Any]:
        """Every option of the build for the manifest, JSON types only."""

    @property
    @abstractmethod
    def sources(self) -> Mapping[str, str]:
        """Input name → SHA-256."""

    @property
    @abstractmethod
    def shards(self) -> int:
        """Number of shards."""

    @abstractmethod
    def make(self, shard: int) -> Iterator[Row | Scene | Rejection | Note]:
        """Yield a shard's rows, their scenes, rejections, and notes for the manifest."""

    @property
    def on_gpu(self) -> bool:
        """Whether shards run models on a GPU if there is one: workers then share the visible ones."""
        return False

    def check_notes(self, notes: Mapping[str, Mapping[str, Any]]) -> None:  # noqa: B027 - most builds accept all
        """Raise VhbenchError if the notes of all shards show that they should not become a split."""

    def facts(self, scenes: Iterable[Scene]) -> Mapping[str, Any]:
        """Return further manifest entries, JSON types only; the scenes have no images."""
        return {}

    @property
    def stated(self) -> Mapping[str, Any]:
        """The part of :attr:`config` that follows from the options, without loading what they name."""
        return self.config

    def check(self) -> None:
        """Validate all options, and read the whole source, before anything is built.

        Raises:
            VhbenchError: naming the option, its value and the allowed values, or a file and its entry.
        """
        check_numbers(self)
        self.shards  # noqa: B018 - reads the source

    def prepare(self, echo: Callable[[str], None], *, pilot: bool = True) -> str | None:
        """Do what comes before a build; ``pilot`` allows a pilot and a question, unlike in an array job.

        The result is a question to confirm before the build, "" to start it, or None to end here.
        """
        return ""

    def gaps(self, split: Path) -> Sequence[str]:
        """Return which requested parts of a finished split have no question."""
        return ()

    def outcome(self, split: Path) -> Sequence[Sequence[str]]:
        """Return a table of outcomes, header first; empty if there is nothing to report."""
        return ()


def vocabulary_of(split: Path) -> Mapping[str, Sequence[str]]:
    """Return the vocabulary of a split of ODE; raise VhbenchError if it has none, as of a hidden test set."""
    manifest = splits.read_manifest(split)
    if not isinstance(vocabulary := manifest.config.get("vocabulary"), Mapping):
        raise VhbenchError(
            f"--source ode:{split}: expected a split of ODE with its vocabulary, got {manifest.benchmark} without one"
        )
    return vocabulary


def tail(name: str) -> str:
    """Return a name without its folders, which differ between machines.

    >>> tail("amber:/data/AMBER"), tail("org/model")
    ('amber:AMBER', 'org/model')
    """
    kind, colon, place = name.rpartition(":")
    path = Path(place)
    return f"{kind}{colon}{path.name}" if path.is_absolute() or place.startswith(".") else name
