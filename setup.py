"""Finds the packages in the three folders at the top, so that a build is whole with and without symbolic links.

``vhbench/tasks``, ``vhbench/generators`` and ``vhbench/adapters`` are links for type checkers. A checkout may lack them
(``core.symlinks=false``, Windows, an unpacked zip). Everything else that setuptools asks is in ``pyproject.toml``.
"""

import shutil
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py

LINKED = ("adapters", "generators", "tasks")
FOLDERS = {"vhbench": "vhbench", **{f"vhbench.{name}": name for name in LINKED}}
DATA = ["_*", "*.bib", "*.css", "*.html", "*.jinja", "*.js", "*.json", "*.svg", "*.tsv", "*.yaml", "py.typed"]
"""Data files shipped with the code, per folder."""


class BuildAnew(build_py):
    """Starts from nothing: files that an earlier build left in ``build/`` would be packed too."""

    def run(self) -> None:
        """Copy the packages into the build folder."""
        shutil.rmtree(Path(self.build_lib, "vhbench"), ignore_errors=True)
        super().run()


def packages() -> list[str]:
    """Return all packages; the folders of drawings and YAML files count as such."""
    leave_out = ["*__pycache__*", *LINKED, *(f"{name}.*" for name in LINKED)]
    inner = {package: find_namespace_packages(folder, exclude=leave_out) for package, folder in FOLDERS.items()}
    return [*inner, *(f"{package}.{name}" for package, names in inner.items() for name in names)]


if missing := [name for name in FOLDERS.values() if not Path(name, "__init__.py").is_file()]:
    sys.exit(f"vhbench: the folder {missing[0]}/ is not next to setup.py; every build needs it")

setup(
    packages=packages(),
    package_dir=FOLDERS,
    package_data={"": DATA},
    include_package_data=False,
    cmdclass={"build_py": BuildAnew},
)
