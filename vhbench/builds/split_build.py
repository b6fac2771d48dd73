"""Common base of all builds: dataset version options and the outcome table."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vhbench.options import LARGEST_SEED, option
from vhbench.protocols import Build

_EDITION = "Dataset version"


def version_option(default: str) -> Any:
    """Return the option for the dataset version."""
    return option(
        "Dataset version. A higher MAJOR means that scores are no longer comparable.",
        default,
        metavar="X.Y.Z",
        panel=_EDITION,
    )


@dataclass(frozen=True, kw_only=True)
class SplitBuild(Build):
    """Base of all builds (:class:`vhbench.protocols.Build`); fields are command options.

    Attributes:
        scratch: folder in which worker processes share what they render; "": each renders for itself.
    """

    seed: int = option("Random seed of the build.", 0, least=0, most=LARGEST_SEED, panel=_EDITION)
    version: str = version_option("1.0.0")
    scratch: str = ""

    def check(self) -> None:
        """Validate all options before anything is built.

        Raises:
            VhbenchError: naming the option, its value and the allowed values.
        """

    def outcome(self, split: Path) -> Sequence[Sequence[str]]:
        """Return a table of outcomes, header first; empty if there is nothing to report."""
        return ()


def part_option(panel: str) -> Any:
    """Return the option for a concept split, with the same help in all builds."""
    return option(
        "Use only the I-th of N parts of the concepts (objects and places; easily confused objects stay together). "
        "Splits of different parts of the same N share no concept, whatever their benchmark, seed and graph. Train on "
        "`1/2`, evaluate on `2/2`.",
        "",
        metavar="I/N",
        panel=panel,
    )


def tail(name: str) -> str:
    """Return a name without its folders, which differ between machines.

    >>> tail("amber:/data/AMBER"), tail("org/model")
    ('amber:AMBER', 'org/model')
    """
    kind, colon, place = name.rpartition(":")
    path = Path(place)
    return f"{kind}{colon}{path.name}" if path.is_absolute() or place.startswith(".") else name
