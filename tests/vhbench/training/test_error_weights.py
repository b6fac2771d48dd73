"""How much a question is wanted: as often as the model fails in its cell of ``vhbench analyse``."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from vhbench.schema import Question, VhbenchError
from vhbench.training.error_weights import FLOOR, read_weakness

ODE = {
    "curve": {
        "standard": {"existence": {"accuracy": {"value": 0.9}}, "caption": {"chair_s": {"value": 0.2}}},
        "fictional": {"existence": {"accuracy": {"value": 0.4}}},
    },
    "lift": {"beach": {"umbrella": {"lift": 3.0}}},
}
MIOH = {"grid": {"E5": {"easy": {"mean": 1.0}, "hp": {"mean": 0.25}}}}
VH = {"sources": {"pope": {"clean": {"accuracy": 80.0}, "jpeg_compression": {"accuracy": 50.0}}}}


def asked(**columns: Any) -> Question:
    return Question("q", **{"question": "?", "answer": "no", "kind": "yes_no", "images": (), **columns})


def weight(folder: Path, analysis: dict[str, Any], **columns: Any) -> float:
    path = folder / "analysis.json"
    path.write_bytes(orjson.dumps(analysis))
    return read_weakness(path)(asked(**columns))


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"criterion": "standard", "task": "existence"}, 0.1),
        ({"criterion": "fictional", "task": "existence"}, 0.6),
        ({"criterion": "standard", "task": "caption", "kind": "caption"}, 0.2),
        ({"criterion": "random", "task": "existence"}, 0.5),
        ({"criterion": "standard", "task": "existence", "objects": ("beach",),
          "question": "Is there an umbrella in the image?"}, 0.3),
        ({"criterion": "standard", "task": "existence", "objects": ("beach",), "answer": "yes",
          "candidates": ("umbrella",)}, 0.3),
        ({"criterion": "standard", "task": "existence", "objects": ("beach",),
          "question": "Is there an umbrellas in the image?"}, 0.1),
    ],
)  # fmt: skip
def test_ode_by_criterion_level_and_pair(tmp_path: Path, columns: dict[str, Any], expected: float) -> None:
    assert weight(tmp_path, ODE, **columns) == pytest.approx(expected)


def test_mioh_by_type_and_pressure(tmp_path: Path) -> None:
    assert weight(tmp_path, MIOH, question_type="E5", pressure="hp") == 0.75
    assert weight(tmp_path, MIOH, question_type="E5", pressure="easy") == FLOOR
    assert weight(tmp_path, MIOH, question_type="C4", pressure="hp") == 0.5


def test_vhexpansion_by_source_and_perturbation(tmp_path: Path) -> None:
    assert weight(tmp_path, VH, source="pope", perturbation="jpeg_compression") == 0.5
    assert weight(tmp_path, VH, source="pope") == pytest.approx(0.2)


@pytest.mark.parametrize("analysis", [{}, [], {"results": {}}, {"curve": 3}])
def test_what_is_no_analysis_is_told(tmp_path: Path, analysis: Any) -> None:
    with pytest.raises(
        VhbenchError, match=r"analysis.json: expected an analysis, as written by `vhbench analyse ode RESULTS`"
    ):
        weight(tmp_path, analysis)


def test_a_withheld_analysis_says_nothing(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=r"expected scores of subsets; got none \(3 of 9 requests failed\)"):
        weight(tmp_path, {"grid": {}, "withheld": "3 of 9 requests failed"})


def test_an_analysis_of_another_benchmark_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mioh_analysis.json"
    path.write_bytes(orjson.dumps(MIOH))
    assert read_weakness(path, "mioh")
    with pytest.raises(VhbenchError, match=r"mioh_analysis.json: is an analysis of mioh; the questions are of ode"):
        read_weakness(path, "ode")
