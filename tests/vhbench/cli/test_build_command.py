"""The fields of a build are its command's options, with their defaults; so are those of any dataclass."""

from dataclasses import dataclass
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from vhbench.benchmarks import BENCHMARKS, load
from vhbench.cli import app
from vhbench.cli.build_command import RunOptions, command
from vhbench.options import check_numbers, option, options_of, values_of
from vhbench.schema import VhbenchError

COMMANDS = typer.main.get_command(app).commands["build"].commands  # type: ignore[attr-defined]


@dataclass(frozen=True, kw_only=True)
class Fruit:
    kind: str = option("Which fruit.")
    count: int = option("How many.", 3, least=1, names=("--how-many", "-n"))
    colours: tuple[str, ...] = option("Which colours.", ("red", "green"))
    ripe: bool = option("Only ripe ones.", False)
    hidden: int = 7


@dataclass(frozen=True, kw_only=True)
class Basket:
    label: tuple[str, ...] = option("A label; may be given several times.", (), repeat=True)


def invoke(function: object, *words: str) -> str:
    market = typer.Typer(rich_markup_mode=None)
    market.command()(function)  # type: ignore[arg-type]
    return CliRunner().invoke(market, words).output


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_build_takes_its_own_options_and_every_run_option(name: str) -> None:
    wanted = [*options_of(load(BENCHMARKS[name].build)), *options_of(RunOptions)]
    assert [option.name for option in COMMANDS[name].params] == wanted
    assert {"seed", "version", "out", "workers"} <= set(wanted)


def test_the_defaults_of_a_build_are_those_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    def show(build: object) -> None:
        print(build == load(BENCHMARKS["ode"].build)())

    assert invoke(command(show, load(BENCHMARKS["ode"].build), help="Show.")) == "True\n"


def test_a_command_takes_the_fields_of_two_dataclasses() -> None:
    def show(what: Fruit, into: Basket) -> None:
        print(what.kind, what.count, what.colours, what.ripe, what.hidden, into.label)

    pack = command(show, Fruit, Basket, help="Pack fruit.")
    told = invoke(
        pack, "--kind", "pear", "-n", "5", "--colours", "blue, red", "--ripe", "--label", "a,b", "--label", "c"
    )
    assert told == "pear 5 ('blue', 'red') True 7 ('a,b', 'c')\n"
    assert invoke(pack, "--kind", "fig") == "fig 3 ('red', 'green') False 7 ()\n"
    assert "Missing option '--kind'" in invoke(pack)
    assert "Invalid value for '--how-many'" in invoke(pack, "--kind", "fig", "--how-many", "0")
    assert "Pack fruit." in invoke(pack, "--help")


def test_a_name_in_two_dataclasses_is_an_error_when_the_command_is_made() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Box:
        count: int = option("How many.", 1)

    with pytest.raises(TypeError, match="two options are named count"):
        command(print, Fruit, Box, help="")


def test_options_hold_their_limits_without_a_command_line() -> None:
    with pytest.raises(VhbenchError, match="--count: expected at least 1"):
        check_numbers(Fruit(kind="fig", count=0))
    assert values_of(Fruit(kind="fig")) == {"kind": "fig", "count": 3, "colours": ["red", "green"], "ripe": False}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ode", "--graph", ""], "FILE.graphml, got ''"),
        (["ode", "--criteria", ""], "--criteria: expected one of standard"),
        (["mioh", "--source", ""], "--source: expected scenes, scenes:N"),
        (["mioh", "--types", ""], "unknown question type ''"),
        (["mioh", "--threshold", ""], "--threshold : unknown name ''"),
    ],
)
def test_an_empty_value_is_named_not_dropped(words: list[str], said: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["build", *words, "--out", str(tmp_path)])
    assert isinstance(result.exception, VhbenchError)
    assert said in str(result.exception)
