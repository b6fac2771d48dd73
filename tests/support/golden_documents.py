"""Everything that vhbench reports on the made-up runs, as JSON documents; their numbers are in the golden file."""

import gzip
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import sha256
from math import fsum
from pathlib import Path
from typing import Any
from unittest.mock import patch

import made_up_runs
from typer.testing import CliRunner

from vhbench import splits
from vhbench.benchmarks import BENCHMARKS, load
from vhbench.benchmarks import task as task_named
from vhbench.builds.mioh import MiohBuild
from vhbench.builds.ode import OdeBuild
from vhbench.builds.split_build import SplitBuild
from vhbench.builds.starter import starter
from vhbench.builds.vhexpansion import VHExpansionBuild
from vhbench.cli import app
from vhbench.compare import scored_runs
from vhbench.images import to_store
from vhbench.leaderboard import boards, downloads, site_data
from vhbench.leaderboard.rankings import rank_entries
from vhbench.runs import read_run
from vhbench.schema import Row
from vhbench.splits.hashing import combined, row_hash
from vhbench.tasks import report

_LEFT_OUT = ("provenance", "notes", "questions", "rejected")


_IN_DETAIL = re.compile(
    r"hash/|report/[^/]*/[^/]*/overall/|compare/[^/]*/groups/[^/]*/headlines/|leaderboard/scores/\S+ \S+ \S+ \S+ /"
)
"""Which numbers the golden file has one by one; of others it has a checksum."""


def digest(found: Mapping[str, Any]) -> dict[str, Any]:
    """Keep headline numbers, and of all others a count and a weighted sum for each part of a document.

    The weight of a number follows from its path, so that two numbers that change places change the sum.
    """
    kept: dict[str, Any] = {path: value for path, value in found.items() if _IN_DETAIL.match(path)}
    parts: dict[str, list[str]] = {}
    for path in sorted(found.keys() - kept.keys()):
        parts.setdefault("/".join(path.split("/")[:4]), []).append(path)
    for part, paths in parts.items():
        kept[f"{part}: count"] = len(paths)
        kept[f"{part}: sum"] = fsum(_weight(path) * _number(found[path]) for path in paths)
    return kept


def nested(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers by path as nested objects, which write each part of a path once.

    >>> nested({"a/b": 1, "a/c": 2}), flattened({"a": {"b": 1, "c": 2}})
    ({'a': {'b': 1, 'c': 2}}, {'a/b': 1, 'a/c': 2})
    """
    tree: dict[str, Any] = {}
    for path, value in flat.items():
        *parents, name = path.split("/")
        inner = tree
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[name] = value
    return tree


def flattened(tree: Mapping[str, Any], path: str = "") -> dict[str, Any]:
    """Return nested objects as numbers by path."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        found |= flattened(value, f"{path}{name}/") if isinstance(value, Mapping) else {f"{path}{name}": value}
    return found


def _weight(path: str) -> float:
    return 0.5 + sha256(path.encode()).digest()[0] / 255


def _number(value: Any) -> float:
    return -7.0 if value is None else float(value)


def numbers(folder: Path) -> dict[str, Any]:
    """Return each number of all documents by its path, "section/key/key"; folder: where runs are written."""
    runs = {name: made_up_runs.write(folder / name, name) for name in made_up_runs.RUNS}
    found: dict[str, Any] = {f"hash/{name}": splits.read_manifest(starter(name)).content_hash for name in _names()}
    found |= dict(_shards())
    for section, document in _documents(folder, runs):
        found |= {f"{section}/{path}": value for path, value in _flat(document)}
    return found


def _shards() -> Iterator[tuple[str, str]]:
    """Yield the hash of the rows of one shard of each build, with another seed and other options than the starters'."""
    builds: dict[str, tuple[SplitBuild, int]] = {
        "ode": (OdeBuild(pairs=1, size=128, seed=5), 3),
        "mioh": (MiohBuild(source=("scenes:60",), size=96, cells="2", seed=5), 4),
        "vhexpansion": (VHExpansionBuild(source=f"ode:{starter('ode')}", severity=2, seed=5), 2),
    }
    for name, (build, shard) in builds.items():
        rows = [(item.config, item.question) for item in build.make(shard) if isinstance(item, Row)]
        assert rows, name
        hashes = (row_hash(config, q, [sha256(to_store(i)).digest() for i in q.images]) for config, q in rows)
        yield f"hash/{name} shard {shard}", combined(hashes)


def _names() -> tuple[str, ...]:
    return made_up_runs.BENCHMARKS


def _documents(folder: Path, runs: Mapping[str, Path]) -> Iterator[tuple[str, Any]]:
    for name, run in runs.items():
        answered = read_run(run).tasks
        for task, records in sorted(answered.items()):
            if name in ("clean", "messy") or task in ("ode_random_attribute", "mioh_hn", "vhexpansion_ode"):
                yield f"report/{name}/{task}", report.grid(records, task_named(task))
        yield f"score/{name}", json.loads(_invoke("score", str(run), "--json"))
        if name in ("messy", "one_failed"):
            every = [record for records in answered.values() for record in records]
            for benchmark in _names():
                yield f"analyse/{name}/{benchmark}", load(BENCHMARKS[benchmark].analysis).analyse(every)
    pairs = (("clean", "messy"), ("messy", "one_failed"), ("clean", "failing"))
    with patch.object(scored_runs, "read_run", cache(scored_runs.read_run)):  # each run is read and scored once
        for pair in pairs:
            printed = _invoke("compare", *(str(runs[name]) for name in pair), "--json")
            yield f"compare/{'-'.join(pair)}", json.loads(printed)
    yield from _leaderboard(folder / "board", {name: runs[name] for name in ("clean", "messy")})


def _leaderboard(board: Path, runs: Mapping[str, Path]) -> Iterator[tuple[str, Any]]:
    sources = [argument for name in _names() for argument in ("--splits", str(starter(name)))]
    _invoke("leaderboard", "init", str(board), *sources)
    for name, run in runs.items():
        _invoke("leaderboard", "add", str(run), "--board", str(board), "--name", name, *sources)
    splits_of = {boards.of_split(starter(name)).name: starter(name) for name in _names()}
    standings = rank_entries(boards.read_board(board), splits_of, workers=1)
    rows = json.loads(gzip.decompress(downloads.files(standings)["scores.json.gz"]))
    keys = ("model", "benchmark", "family", "metric", "part")
    scores = {" ".join(str(row[k]) for k in keys): [row[k] for k in row if k not in keys] for row in rows}
    yield "leaderboard/scores", scores
    for number, data in site_data.pairs(standings):
        text = data.decode()
        yield f"leaderboard/compare/{number}", json.loads("[" + text[text.index("(") + 1 : text.rindex(")")] + "]")


def _invoke(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    known = done.exit_code == 0 or "withheld" in done.output or "not recorded" in done.output
    assert known, (arguments, done.output, done.exception)
    return done.stdout


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the path of each number, truth value and missing number of a document."""
    if isinstance(value, Mapping):
        for key in sorted(map(str, value)):
            if key not in _LEFT_OUT:
                yield from _flat({str(k): v for k, v in value.items()}[key], f"{path}/{key}" if path else key)
    elif isinstance(value, (list, tuple)):
        for place, item in enumerate(value):
            yield from _flat(item, f"{path}/{_label(item, place)}")
    elif not isinstance(value, str):
        yield path, value


def _label(item: Any, place: int) -> str:
    """Return what tells an item of a list from the others: its words, where it has some."""
    words = [str(v) for k, v in sorted(item.items()) if isinstance(v, str)] if isinstance(item, Mapping) else []
    return re.sub(r"[^\w+.-]+", "_", " ".join(words))[:80] or str(place)
