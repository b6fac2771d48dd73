"""Command options as dataclass fields with help texts.

    @dataclass(frozen=True, kw_only=True)
    class FruitBuild(SplitBuild):
        kinds: tuple[str, ...] = option("Which fruit.", ("pear", "fig"))

:mod:`vhbench.cli.build_command` turns it into ``--kinds pear,fig``. A field without :func:`option` is not an option.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from math import isfinite
from typing import Any

from vhbench.schema import VhbenchError

LARGEST_NUMBER = 10**9  # default maximum of integer options
LARGEST_SEED = 2**63 - 1  # maximum seed, such that it fits into columns and JSON; the minimum is 0


@dataclass(frozen=True, slots=True)
class Option:
    """Presentation of a field on the command line."""

    help: str  # its help; Markdown
    panel: str = ""  # heading of its group
    metavar: str = ""  # placeholder of its value in the help
    least: float | None = None  # minimum
    most: float | None = None  # maximum
    repeat: bool = False  # for a tuple: repeated once per value; otherwise one value with commas
    names: tuple[str, ...] = ()  # its spelling if not ``--field-name``
    argument: bool = False  # it is positional
    show_default: bool = True  # whether the help shows the default; not if its text does
    envvar: str = ""  # environment variable with its value if it is not on the command line
    # pattern in front of the name of a model on the Hub, if the value names one; None if it does not
    model: str | None = None


def option(help: str, default: Any = MISSING, **shown: Any) -> Any:
    """Return a dataclass field with its help; ``shown`` are further fields of :class:`Option`."""
    return field(default=default, metadata={"option": Option(help, **shown)})


def options_of(kind: type[Any]) -> dict[str, Option]:
    """Return field → option of a dataclass: its own first, then inherited ones."""
    by_field = {f.name: f.metadata["option"] for f in fields(kind) if "option" in f.metadata}
    own = [name for name in kind.__annotations__ if name in by_field]
    return {name: by_field[name] for name in dict.fromkeys((*own, *by_field))}


def values_of(build: Any) -> Mapping[str, Any]:
    """Return field → value of all options, JSON types only."""
    plain = {name: getattr(build, name) for name in options_of(type(build))}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def check_numbers(build: Any) -> None:
    """Check the numbers of a build against its options; raise VhbenchError naming the option and the allowed values."""
    for name, shown in options_of(type(build)).items():
        value, flag = getattr(build, name), f"--{name.replace('_', '-')}"
        if isinstance(value, float) and not isfinite(value):
            raise VhbenchError(f"{flag}: expected a finite number, got {value}")
        least, most = shown.least, shown.most
        if isinstance(value, int) and most is None and abs(value) > LARGEST_NUMBER:
            raise VhbenchError(
                f"{flag}: expected at most {LARGEST_NUMBER:,}, got a number of {len(str(abs(value)))} digits"
            )
        if (least is not None and value < least) or (most is not None and value > most):
            allowed = f"at least {least}" if most is None else f"{least} to {most}"
            raise VhbenchError(f"{flag}: expected {allowed}, got {value}")
