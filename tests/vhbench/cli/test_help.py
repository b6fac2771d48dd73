"""The help teaches: every command has an example whose options exist, and every option says what it is for."""

import re
from collections.abc import Iterator

import click
import golden_options
import pytest
import typer

from vhbench.cli import app


def leaves(command: click.Command, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command that does something, with the words that name it."""
    for name, inner in getattr(command, "commands", {}).items():
        yield from leaves(inner, (*path, name))
    if not hasattr(command, "commands"):
        yield path, command


COMMANDS = dict(leaves(typer.main.get_command(app), ("vhbench",)))


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_each_command_shows_an_example_that_it_understands(path: tuple[str, ...]) -> None:
    command = COMMANDS[path]
    text = " ".join((command.help or "").split())
    examples = [line for line in re.findall(r"`([^`]+)`", text) if line.startswith(" ".join(path) + " ")]
    examples += re.findall(rf"\$\(({' '.join(path)}[^)]*)\)", text)
    assert examples, f"{' '.join(path)}: no example"
    known = {name for option in command.params for name in option.opts}
    for example in examples:
        assert set(re.findall(r" (--?[a-z][a-z-]*)", example)) <= known, example


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_each_option_says_what_it_is_for(path: tuple[str, ...]) -> None:
    told = {option.name: getattr(option, "help", None) for option in COMMANDS[path].params}
    assert [name for name, text in told.items() if not text] == []


def test_every_option_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the golden file where an option is to change."""
    assert golden_options.options("vhbench/cli") == golden_options.golden("vhbench/cli")
