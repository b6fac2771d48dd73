"""Every option of the command line: its default, bounds and spelling, as they are kept in a golden file."""

import json
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "tests" / "golden" / "options.json"
FOLDERS = ("vhbench", "vhbench/builds", "vhbench/cli", "vhbench/training", "adapters")


def _described(field: Any) -> str:
    shown = field.metadata["option"]
    default = "required" if field.default is MISSING else repr(field.default)
    bounds = f"{shown.least}..{shown.most}" if (shown.least, shown.most) != (None, None) else ""
    told = [default, bounds, " ".join(shown.names), shown.metavar, shown.envvar]
    told += ["repeat" * shown.repeat, "argument" * shown.argument, "default not shown" * (not shown.show_default)]
    return " | ".join([*filter(None, told), *([] if shown.model is None else [f"model {shown.model!r}"])])


def options(folder: str) -> dict[str, str]:
    """Return option → description of the classes in a folder's modules; inherited options are left out."""
    found = {}
    for file in sorted((ROOT / folder).glob("*.py")):
        text = file.read_text()
        if "from vhbench.options import" not in text and "import options" not in text:
            continue
        module = import_module(".".join((folder.replace("/", ".").replace("adapters", "vhbench.adapters"), file.stem)))
        for kind in vars(module).values():
            if isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module.__name__:
                own = [field for field in fields(kind) if "option" in field.metadata]
                own = [field for field in own if field.name in kind.__annotations__]
                found.update(
                    {f"{file.stem}.{kind.__name__.lstrip('_')}.{field.name}": _described(field) for field in own}
                )
    return found


def golden(folder: str) -> dict[str, str]:
    """Return the options as they were."""
    return dict(json.loads(FILE.read_text())[folder])


def renew() -> None:
    """Write the options as they are."""
    FILE.write_text(json.dumps({folder: options(folder) for folder in FOLDERS}, indent=0, sort_keys=True) + "\n")
