"""The questions that responses are joined with are those that a manifest stands for."""

from dataclasses import replace
from pathlib import Path

import pytest

from vhbench import splits
from vhbench.runs import questions
from vhbench.schema import Question, Row, VhbenchError

QUESTION = Question(
    id="q", images=(b"x",), question="Is there a dog?", answer="no", kind="yes_no", benchmark="ode", scene_ids=("s",)
)


def split(folder: Path, answer: str) -> Path:
    """Write a split of one question."""
    row = Row("existence", replace(QUESTION, answer=answer))
    splits.write_split(folder, [row], benchmark="ode", version="1.0.0", seed=0, config={}, sources={})
    return folder


def test_shards_that_the_manifest_does_not_stand_for_are_not_asked(tmp_path: Path) -> None:
    ours, other = split(tmp_path / "a", "no"), split(tmp_path / "b", "yes")
    found = questions.known_questions(ours).find("q")
    assert found is not None
    assert found[0] == 0
    name = "existence/test-00000-of-00001.parquet"
    (ours / name).write_bytes((other / name).read_bytes())
    with pytest.raises(
        VhbenchError, match=r"existence/test-00000-of-00001\.parquet: has SHA-256 \w{12}…, the manifest"
    ):
        questions.known_questions(ours)
