"""The options that every build shares reach the command line, with their defaults."""

from dataclasses import MISSING, fields

import click
import pytest
import typer

from vhbench.cli import app
from vhbench.cli.running import RunOptions

COMMANDS = typer.main.get_command(app).commands["build"].commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["ode", "mioh", "vhexpansion"])
def test_each_build_takes_every_run_option(name: str) -> None:
    options: dict[str, click.Parameter] = {option.name: option for option in COMMANDS[name].params}
    assert "how" not in options
    for field in fields(RunOptions):
        option = options[field.name]
        assert option.required == (field.default is MISSING), field.name
        if not option.required:
            assert option.default == field.default, field.name
