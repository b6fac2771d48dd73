"""Options: fields of a dataclass that say what they are for, so that the dataclass is a command's options as it stands.

    @dataclass(frozen=True, kw_only=True)
    class FruitBuild(SplitBuild):
        kinds: tuple[str, ...] = option("Which fruit.", ("pear", "fig"))

:mod:`vhbench.cli.build_command` makes ``--kinds pear,fig`` of it. A field without :func:`option` is none.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from typing import Any

from vhbench.schema import VhbenchError

LARGEST_NUMBER = 10**9
"""Whole numbers are not larger where an option does not tell otherwise."""

LARGEST_SEED = 2**63 - 1
"""Seeds are 0 or more, and fit into the columns and the JSON that name them."""


@dataclass(frozen=True, slots=True)
class Option:
    """How the command line shows a field.

    Attributes:
        help: what it is for; Markdown.
        panel: the heading it stands under.
        metavar: what stands for its value in the help.
        least: smallest number that is allowed.
        most: largest number that is allowed.
        repeat: of a tuple: given once for each value; otherwise its values stand in one, with commas between.
        names: how it is spelled where that is not ``--field-name``.
        argument: it is given by its place and not by its name.
        show_default: whether the help shows the default; not where its text tells it.
        envvar: the environment variable that gives its value where the command line does not.
    """

    help: str
    panel: str = ""
    metavar: str = ""
    least: float | None = None
    most: float | None = None
    repeat: bool = False
    names: tuple[str, ...] = ()
    argument: bool = False
    show_default: bool = True
    envvar: str = ""


def option(help: str, default: Any = MISSING, **shown: Any) -> Any:
    """Return a dataclass field with its help; ``shown`` are further fields of :class:`Option`."""
    return field(default=default, metadata={"option": Option(help, **shown)})


def options_of(kind: type[Any]) -> dict[str, Option]:
    """Return field → option of a dataclass: its own ones first, then those that it inherits."""
    found = {f.name: f.metadata["option"] for f in fields(kind) if "option" in f.metadata}
    own = [name for name in kind.__annotations__ if name in found]
    return {name: found[name] for name in dict.fromkeys((*own, *found))}


def values_of(build: Any) -> Mapping[str, Any]:
    """Return field → value of all options, JSON types only."""
    plain = {name: getattr(build, name) for name in options_of(type(build))}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def check_numbers(build: Any) -> None:
    """Hold the numbers of a build to what its options allow, also where no command line did so.

    Raises:
        VhbenchError: naming the option, its value and what is allowed.
    """
    for name, shown in options_of(type(build)).items():
        value, flag = getattr(build, name), f"--{name.replace('_', '-')}"
        if isinstance(value, float) and not isfinite(value):
            raise VhbenchError(f"{flag} {value}: must be a finite number")
        least, most = shown.least, shown.most
        if isinstance(value, int) and most is None and abs(value) > LARGEST_NUMBER:
            raise VhbenchError(f"{flag} of {len(str(abs(value)))} digits: must be {LARGEST_NUMBER:,} or less")
        if (least is not None and value < least) or (most is not None and value > most):
            allowed = f"at least {least}" if most is None else f"{least} to {most}"
            raise VhbenchError(f"{flag} {value}: must be {allowed}")
