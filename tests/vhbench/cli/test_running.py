"""The options that every build shares reach the command line, with their defaults; so do those of any dataclass."""

from dataclasses import MISSING, dataclass, fields
from typing import Annotated

import click
import pytest
import typer
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.cli.build_mioh import MiohOptions
from vhbench.cli.build_ode import OdeOptions
from vhbench.cli.build_vhexpansion import VHExpansionOptions
from vhbench.cli.running import RunOptions, command

COMMANDS = typer.main.get_command(app).commands["build"].commands  # type: ignore[attr-defined]
OWN = {"ode": OdeOptions, "mioh": MiohOptions, "vhexpansion": VHExpansionOptions}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fruit:
    kind: Annotated[str, typer.Option(help="Which fruit.")]
    count: Annotated[int, typer.Option("--how-many", "-n", min=1)] = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Basket:
    colour: "Annotated[str, typer.Option()]" = "brown"
    lid: Annotated[bool, typer.Option("--lid")] = False


def invoke(function: object, *words: str) -> str:
    market = typer.Typer(rich_markup_mode=None)
    market.command()(function)  # type: ignore[arg-type]
    return CliRunner().invoke(market, words).output


@pytest.mark.parametrize("name", ["ode", "mioh", "vhexpansion"])
def test_each_build_takes_its_own_options_then_every_run_option(name: str) -> None:
    options: dict[str, click.Parameter] = {option.name: option for option in COMMANDS[name].params}
    wanted = [*fields(OWN[name]), *fields(RunOptions)]
    assert list(options) == [field.name for field in wanted]
    for field in wanted:
        option = options[field.name]
        assert option.required == (field.default is MISSING), field.name
        if not option.required:
            assert option.default == field.default, field.name


def test_a_command_takes_the_fields_of_two_dataclasses_and_an_option_of_its_own() -> None:
    def pack(what: Fruit, into: "Basket", note: Annotated[str, typer.Option()] = "") -> None:
        """Pack fruit."""
        print(what, into, note)

    told = invoke(command(pack), "--kind", "pear", "-n", "5", "--lid", "--note", "ripe")
    assert told == "Fruit(kind='pear', count=5) Basket(colour='brown', lid=True) ripe\n"
    assert "Fruit(kind='fig', count=3) Basket(colour='brown', lid=False)" in invoke(command(pack), "--kind", "fig")
    assert "Missing option '--kind'" in invoke(command(pack))
    assert "Invalid value for '--how-many'" in invoke(command(pack), "--kind", "fig", "--how-many", "0")
    assert "Pack fruit." in invoke(command(pack), "--help")


def test_a_field_may_be_named_as_a_parameter() -> None:
    def count(kind: Fruit, lid: Basket) -> None:
        print(kind.kind, kind.count, lid.lid)

    assert invoke(command(count), "--kind", "plum", "--lid") == "plum 3 True\n"


def test_a_name_in_two_dataclasses_is_an_error_when_the_command_is_made() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Box:
        count: Annotated[int, typer.Option()] = 1

    def pack(what: Fruit, into: Box) -> None: ...

    with pytest.raises(TypeError, match="pack: two options are named count"):
        command(pack)


def test_a_name_in_a_dataclass_and_in_the_signature_is_an_error_too() -> None:
    def pack(what: Fruit, count: Annotated[int, typer.Option()] = 1) -> None: ...

    with pytest.raises(TypeError, match="pack: two options are named count"):
        command(pack)
