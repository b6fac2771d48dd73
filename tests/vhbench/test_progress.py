"""Long work is told about: in lines where nobody looks at a terminal, and not at all where it is soon done."""

import pytest

from vhbench import progress
from vhbench.progress import Progress


def test_short_work_and_disabled_progress_say_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for enabled in (True, False):
        with Progress("drawing", total=2, unit="scenes", enabled=enabled) as bar:
            bar.advance()
            bar.advance(note="late")
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("unit", "step", "amount"), [("scenes", 1, "2 of 2 scenes"), ("bytes", 2_500_000, "5.00M of 5.00MB")]
)
def test_long_work_is_told_in_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, unit: str, step: int, amount: str
) -> None:
    monkeypatch.setattr(progress, "LINE_EVERY", 0)
    with Progress("drawing", total=2 * step, unit=unit) as bar:
        bar.advance(step)
        bar.advance(step, note="1 rejected")
    lines = capsys.readouterr().err.splitlines()
    assert all(line.startswith("drawing: ") for line in lines)
    assert lines[-1].startswith(f"drawing: {amount}, ")
    assert lines[-1].endswith(", 1 rejected")
