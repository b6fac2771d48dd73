"""Configuration of the docs site: ``sphinx-build docs build/docs``, with warnings as errors in ``make check``."""

import re
from importlib.metadata import version as installed
from pathlib import Path

from sphinx.application import Sphinx

project, author = "vhbench", "vhbench authors"
version = release = installed("vhbench")
extensions = ["myst_parser"]
exclude_patterns = ["*.yml", "*.sh"]
html_theme = "furo"
html_title = f"vhbench {version}"
myst_heading_anchors = 3
suppress_warnings = ["misc.highlighting_failure"]  # blocks of tab-separated values


def _outside(app: Sphinx, page: str, source: list[str]) -> None:
    """Show links to files of the repository, which the site does not hold, as paths."""
    docs = Path(app.srcdir)

    def path(link: re.Match[str]) -> str:
        if not (docs / link[2].partition("#")[0]).exists():
            raise ValueError(f"docs/{page}.md links to {link[2]}, which does not exist")
        return link[1] if link[1].startswith("`") else f"{link[1]} (`{link[2].removeprefix('../')}`)"

    source[0] = re.sub(r"\[([^\]]+)\]\((\.\./[^)]+)\)", path, source[0])


def setup(app: Sphinx) -> None:
    """Register the hook."""
    app.connect("source-read", _outside)
