"""What the pages name is there: links, anchors, paths, modules, commands with their options, tasks, columns."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from pkgutil import resolve_name
from textwrap import dedent

import click
import pyarrow as pa
import pytest
import typer

from vhbench.benchmarks import BENCHMARKS, tasks
from vhbench.cli import app
from vhbench.schema import Manifest, Question
from vhbench.splits import parquet
from vhbench.tasks.metrics.registry import metrics_of

ROOT = Path(__file__).resolve().parent.parent
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("docs/*.md"))}
PAGES |= {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md")}
TOPS = {path.name for path in ROOT.iterdir() if path.is_dir() and not path.name.startswith(".")} - {"build", "dist"}
SOURCES = (".py", ".tsv", ".bib", ".jinja", ".svg", ".toml")
TYPES = {pa.string(): "text", pa.bool_(): "true or false", pa.list_(pa.string()): "list of text"}
INVENTED = re.compile("shades|lean")
"""The benchmark and the metric that docs/adding.md makes up."""

Told = tuple[str, str]
"""A page and something that it says."""


def fences(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)


def plain(text: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)


def spans(text: str) -> list[str]:
    """Return what stands between backticks, unless it is made up."""
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", plain(text)) if not INVENTED.search(span)]


def links() -> Iterator[Told]:
    for page, text in PAGES.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", plain(text)):
            if not target.startswith(("https://", "http://")):
                yield page, target


def anchors(path: Path) -> set[str]:
    """Return the anchors that GitHub gives a page's headings."""
    headings = re.findall(r"^#+ (.+)$", plain(path.read_text(encoding="utf-8")), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def paths() -> Iterator[Told]:
    """Yield what is written like a path of the repository; ``<name>`` stands for any."""
    for page, text in PAGES.items():
        for span in spans(text):
            top, slash, _ = span.partition("/")
            like_a_path = re.fullmatch(r"[\w.<>/-]+", span) and not span.startswith((".", "/"))
            if like_a_path and (span.endswith(SOURCES) or (slash and top in TOPS)):
                yield page, span


def modules() -> Iterator[Told]:
    for page, text in PAGES.items():
        for span in spans(text):
            if re.fullmatch(r"vhbench(\.\w+)+(\(\))?", span):
                yield page, span.removesuffix("()")


def said(text: str) -> Iterator[str]:
    """Yield the lines of shell blocks, and what stands between backticks."""
    for block in fences(text, "bash"):
        for line in block.replace("\\\n", " ").splitlines():
            if not INVENTED.search(line):
                yield line.split(" #")[0].strip()
    yield from spans(text)


def commands() -> Iterator[Told]:
    for page, text in PAGES.items():
        yield from ((page, line) for line in said(text) if re.match(r"vhbench( |$)", line) and line != "vhbench")


def asked() -> Iterator[Told]:
    for page, text in PAGES.items():
        for line in said(text):
            yield from ((page, name) for names in re.findall(r"--tasks ([a-z_,]+)", line) for name in names.split(","))


def rows(page: str, first: str) -> list[list[str]]:
    """Return the cells of the table of a page whose first heading is this one, without backticks."""
    _, found, rest = PAGES[page].partition(f"| {first} |")
    assert found, f"{page} has no table '{first}'"
    lines = rest.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip().replace("`", "") for cell in line.strip("|").split("|")] for line in lines]


@pytest.mark.parametrize(("page", "target"), sorted(set(links())))
def test_each_link_leads_somewhere(page: str, target: str) -> None:
    name, _, anchor = target.partition("#")
    path = (ROOT / page).parent / name if name else ROOT / page
    assert path.exists(), f"{page} links to {target}"
    assert path.resolve().is_relative_to(ROOT)
    assert not anchor or anchor in anchors(path), f"{page} links to {target}; there are {sorted(anchors(path))}"


@pytest.mark.parametrize(("page", "path"), sorted(set(paths())))
def test_each_path_is_there(page: str, path: str) -> None:
    assert any(ROOT.glob(re.sub(r"<\w+>", "*", path).rstrip("/"))), f"{page} names {path}"


@pytest.mark.parametrize(("page", "name"), sorted(set(modules())))
def test_each_module_and_what_is_in_it_is_there(page: str, name: str) -> None:
    assert resolve_name(name) is not None


@pytest.mark.parametrize(("page", "code"), [(page, code) for page in PAGES for code in fences(PAGES[page], "python")])
def test_each_block_of_python_compiles(page: str, code: str) -> None:
    compile(dedent(code), page, "exec")


@pytest.mark.parametrize(("page", "line"), sorted(set(commands())))
def test_each_command_is_there_with_its_options(page: str, line: str) -> None:
    command: click.Command = typer.main.get_command(app)
    words = shlex.split(line)[1:]
    while words and hasattr(command, "commands") and re.fullmatch(r"[a-z-]+", words[0]) and words[0][0] != "-":
        assert words[0] in command.commands, f"{page}: `{line}`: there is no {words[0]}"
        command = command.commands[words.pop(0)]
    known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)} | {"--help"}
    assert {word.partition("=")[0] for word in words if word.startswith("-")} <= known, f"{page}: `{line}`"


@pytest.mark.parametrize(("page", "name"), sorted(set(asked())))
def test_each_task_that_is_asked_for_is_there(page: str, name: str) -> None:
    written = {f"vhexpansion_{own}_all" for own in re.findall(r"--source table:\S+ --name (\w+)", PAGES[page])}
    assert name in written or any(name in tasks(benchmark) for benchmark in BENCHMARKS), f"{page} asks for {name}"


def test_the_columns_are_those_of_a_split() -> None:
    columns = rows("docs/columns.md", "column")
    assert [name for name, *_ in columns] == parquet.schema().names
    assert {name for name, *_ in columns} == {field.name for field in fields(Question)}
    assert {name: kind.removesuffix(", cell") for name, kind, *_ in columns} == {
        field.name: "list of images" if field.name == "images" else TYPES[field.type] for field in parquet.schema()
    }
    cells = {
        column for b in BENCHMARKS.values() for family in b.families.values() for c in family.cells for column in c
    }
    assert cells - {"source"} <= {name for name, kind, *_ in columns if kind.endswith(", cell")}


def test_the_fields_are_those_of_a_manifest() -> None:
    assert {name for name, _ in rows("docs/columns.md", "field")} == {"format", *(f.name for f in fields(Manifest))}


def test_the_metrics_that_are_explained_are_those_of_tasks() -> None:
    families = [family for benchmark in BENCHMARKS.values() for family in benchmark.families.values()]
    assert {name for name, *_ in rows("docs/reports.md", "metric")} <= {
        m.name for f in families for m in metrics_of(f.name)
    }


def test_each_thing_of_the_list_is_explained() -> None:
    explained = anchors(ROOT / "docs" / "adding.md")
    listed = {target.partition("#")[2] for _, target in links() if "adding.md#" in target}
    assert len(listed) == len(rows("CONTRIBUTING.md", "you want to add"))
    assert listed <= explained


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", str(ROOT / "docs"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all((tmp_path / f"{Path(name).stem}.html").is_file() for name in PAGES if name.startswith("docs/"))
