"""``vhbench analyse``: what it does with the folders that runs leave."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest
from typer.testing import CliRunner

from vhbench.cli import app
from vhbench.schema import Record, VhbenchError


def answered(folder: Path, model: str, date: str = "1") -> Path:
    """Write what a model answered to two questions of MIOH, in two modes."""
    folder.mkdir(parents=True, exist_ok=True)
    asked = {"benchmark": "mioh", "task": "existence", "pressure": "easy", "scene_ids": ("s",), "answer": "A"}
    records = [
        Record("e1-1", pair_id="e1-1", mode="comprehensive", question_type="E1", prediction="A", **asked),
        Record("e5-1", pair_id="e5~e1-1", mode="selective", question_type="E5", prediction="B", **asked),
    ]
    lines = [json.dumps({"accuracy": asdict(record)}) for record in records]
    (folder / f"{date}_samples_mioh.jsonl").write_text("\n".join(lines))
    results = folder / f"{date}_results.json"
    results.write_text(json.dumps({"config": {"model": model}}))
    return results


def test_two_models_below_a_folder_are_told_one_by_one(tmp_path: Path) -> None:
    coin, qwen = answered(tmp_path, "vhbench_coin"), answered(tmp_path / "Qwen", "qwen2_5_vl", "2")
    told = CliRunner().invoke(app, ["analyse", "mioh", str(tmp_path)], catch_exceptions=False)
    assert [line for line in told.output.splitlines() if line.startswith("== ")] == [f"== {coin}", f"== {qwen}"]
    assert told.output.count("  integration  ") == 2
    for file in (tmp_path / "1_mioh_heat_map.png", tmp_path / "Qwen" / "2_mioh_heat_map.png"):
        assert file.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(VhbenchError, match=r"--out: expected the results of one model; .* has 2: "):
        CliRunner().invoke(
            app, ["analyse", "mioh", str(tmp_path), "--out", str(tmp_path / "o")], catch_exceptions=False
        )


def test_one_model_writes_beside_its_samples(tmp_path: Path) -> None:
    answered(tmp_path / "Qwen", "qwen2_5_vl")
    told = CliRunner().invoke(app, ["analyse", "mioh", str(tmp_path)], catch_exceptions=False)
    assert f"wrote {tmp_path / 'mioh_analysis.json'} and {tmp_path / 'mioh_heat_map.png'}" in told.output
