"""Lazily created sub-commands, so that ``vhbench --help`` imports none of their dependencies."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import typer
from typer.core import TyperGroup


class LazyCommands(Mapping[str, Any]):
    """Command name → command; each is made once, when it is looked up."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Callable[..., None]]) -> None:
        self._make, self._made = make, dict[str, Any].fromkeys(names)

    def __getitem__(self, name: str) -> Any:
        """Return the command of a name."""
        if self._made[name] is None:
            single = typer.Typer(rich_markup_mode="markdown", add_completion=False)
            single.command(name)(self._make(name))
            self._made[name] = typer.main.get_command(single)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self._made)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(self._made)


def lazy_group(names: Iterable[str], make: Callable[[str], Callable[..., None]]) -> type[TyperGroup]:
    """Return the class of a group with a command for each name, in this order; ``make`` gives its function."""

    class Group(TyperGroup):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.commands: Any = LazyCommands(names, make)

    return Group
