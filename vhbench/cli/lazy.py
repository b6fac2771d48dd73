"""Sub-commands that are made when they are asked for, so that ``vhbench --help`` imports none of what they need."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperGroup


class LazyCommands(Mapping[str, Any]):
    """Command name → command; each is made once, when it is looked up."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Callable[..., None]]) -> None:
        self._names, self._make = tuple(names), make
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return the command of a name."""
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            single = typer.Typer(rich_markup_mode="markdown", add_completion=False)
            single.command(name)(self._make(name))
            self._made[name] = typer.main.get_command(single)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(self._names)


def lazy_group(names: Iterable[str], make: Callable[[str], Callable[..., None]]) -> type[TyperGroup]:
    """Return the class of a group with one command for each name.

    Args:
        names: of the commands, in the order of the help.
        make: name → the function that typer makes a command of.
    """

    class Group(TyperGroup):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.commands: Any = LazyCommands(names, make)

    return Group
