"""Finds the packages in the three folders at the top, so that a build is whole with and without symbolic links.

``vhbench/tasks``, ``vhbench/generators`` and ``vhbench/adapters`` are links for type checkers. A checkout may lack them
(``core.symlinks=false``, Windows, an unpacked zip). Everything else that setuptools asks is in ``pyproject.toml``.
"""

import gzip
import os
import shutil
import sys
import tarfile
from pathlib import Path
from typing import Any

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

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


class SameSdist(sdist):
    """Writes an archive that only depends on the files, and on ``SOURCE_DATE_EPOCH`` if that is set."""

    def make_archive(self, base_name: str, format: str, *args: Any, **options: Any) -> str:
        """Write the archive with one time, owner, order and umask for all files."""
        if format != "gztar" or "SOURCE_DATE_EPOCH" not in os.environ:
            return str(super().make_archive(base_name, format, *args, **options))
        time, path = int(os.environ["SOURCE_DATE_EPOCH"]), f"{base_name}.tar.gz"

        def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            return member

        Path(path).parent.mkdir(parents=True, exist_ok=True)
        with (
            Path(path).open("wb") as file,
            gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=time) as packed,
            tarfile.open(fileobj=packed, mode="w") as archive,
        ):
            archive.add(options["base_dir"], filter=plain)
        return path


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
    cmdclass={"build_py": BuildAnew, "sdist": SameSdist},
)
