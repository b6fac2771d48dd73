"""What lmms-eval wrote, diagnosed: a model that fails in a known way is found out."""

import json
from pathlib import Path

from running import CommandLine
from typer.testing import CliRunner

from vhbench.cli import app

KNOWN = "wrong=position:existence/selective:attribute/hn"
"""Sees no position; sees objects but not in which image; is taken in by what suggests an attribute; counts well."""


def test_a_model_that_fails_in_a_known_way(command_line: CommandLine, tmp_path: Path) -> None:
    done = command_line("vhbench_oracle", "mioh_easy,mioh_hn", tmp_path, "--model_args", KNOWN)
    assert list(tmp_path.rglob("*_samples_*.jsonl")), done.err[-2000:]
    told = CliRunner().invoke(app, ["analyse", "mioh", str(tmp_path)], catch_exceptions=False)
    found = json.loads((tmp_path / "mioh_analysis.json").read_text())
    assert found["summary"] in told.output
    assert (tmp_path / "mioh_heat_map.png").read_bytes().startswith(b"\x89PNG")

    failures = found["failures"]
    assert all(failures[task]["n"] >= 6 for task in failures)
    shares = {
        t: (f["perception"]["mean"], f["integration"]["mean"], f["comparison"]["mean"]) for t, f in failures.items()
    }
    assert shares["position"] == (1, 0, None)
    assert shares["existence"] == (0, 1, 0)
    assert shares["counting"] == (0, 0, 0)
    seen = shares["attribute"]
    assert 0 < seen[0] < 1, "hard negatives fail in every mode, easy ones in none"
    assert seen[1:] == (0, 0)

    drops = {task: costs["hn"] for task, costs in found["drops"].items()}
    assert {task: drop["mean"] for task, drop in drops.items()} == {
        "existence": 0, "attribute": 1, "counting": 0, "position": 0
    }  # fmt: skip
    assert [task for task, drop in drops.items() if drop["significant"]] == ["attribute"]
    assert found["summary"].startswith("MIOH attribute: accuracy drops 100.0 points under HN, ")
