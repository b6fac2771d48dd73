"""What VHExpansion's picture holds."""

from pathlib import Path
from typing import Any

from PIL import Image

from vhbench import charts
from vhbench.analysis import vhexpansion_figure


def scores(**more: Any) -> dict[str, Any]:
    told = {"symmetric_accuracy": 70.0, "interval": [55.0, 84.0], "permutation_baseline": 24.5, "pairs": 60}
    return told | more


KINDS = {
    "blur": scores(drop=-3.0, drop_interval=[-16.0, 25.0], shared_cases=58),
    "clean": scores(),
    "ifgsm": scores(drop=None, drop_interval=None, success_rate=40.0, success_interval=None, right_before=5),
}


def test_clean_pairs_come_first_and_sizes_and_guessing_are_shown() -> None:
    dots = list(vhexpansion_figure._dots(KINDS, "symmetric_accuracy", "interval", "pairs", "pairs"))
    assert [dot.row for dot in dots] == ["clean", "blur", "ifgsm"]
    assert {(dot.text, dot.guess) for dot in dots} == {("70 [55, 84], 60 pairs", 24.5)}


def test_a_drop_has_its_cases_and_no_chance() -> None:
    [dot] = vhexpansion_figure._dots(KINDS, "drop", "drop_interval", "shared_cases", "cases")
    assert (dot.text, dot.guess) == ("\N{MINUS SIGN}3 [\N{MINUS SIGN}16, 25], 58 cases", None)
    assert charts.symmetric([dot]) == (-30, 30)


def test_a_rate_without_an_interval_has_no_whiskers() -> None:
    [dot] = vhexpansion_figure._dots(KINDS, "success_rate", "success_interval", "right_before", "correct answers")
    assert (dot.low, dot.high, dot.text) == (None, None, "40, 5 correct answers")


def test_severities_are_drawn_as_curves_from_the_clean_images(tmp_path: Path) -> None:
    levels = {f"brightness_{level}": scores(symmetric_accuracy=70.0 - 9 * level) for level in (1, 3)}
    kinds, curves = {"clean": scores(), **levels}, {"brightness": {"1": 61.0, "3": 43.0}}
    points = vhexpansion_figure._curves("pope", curves, kinds).data.values
    assert [(point["severity"], point["value"]) for point in points] == [("0", 70), ("1", 61), ("3", 43)]
    found = {"questions": 6, "sources": {"pope": kinds}, "severities": {"pope": curves}}
    vhexpansion_figure.draw(found, tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as drawn:
        assert drawn.height > 600
