"""Lazily created sub-commands, so that ``vhbench --help`` imports none of their dependencies."""

from collections import UserDict
from collections.abc import Callable, Iterable
from typing import Any

import typer
from typer.core import TyperGroup


class LazyCommands(UserDict[str, Any]):
    """Command name → command; each is made once, when it is looked up."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Callable[..., None]]) -> None:
        super().__init__(dict.fromkeys(names))
        self._make = make

    def __getitem__(self, name: str) -> Any:
        """Return the command of a name."""
        if self.data[name] is None:
            single = typer.Typer(rich_markup_mode="markdown", add_completion=False)
            single.command(name)(self._make(name))
            self.data[name] = typer.main.get_command(single)
        return self.data[name]


def lazy_group(names: Iterable[str], make: Callable[[str], Callable[..., None]]) -> type[TyperGroup]:
    """Return the class of a group with a command for each name, in this order; ``make`` gives its function."""

    class Group(TyperGroup):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.commands: Any = LazyCommands(names, make)

    return Group
