"""What the picture of an ODE run holds."""

from pathlib import Path
from typing import Any

from PIL import Image

from vhbench.analysis import ode_figure


def score(value: float, low: float, high: float, n: int = 80) -> dict[str, Any]:
    return {"value": value, "interval": [low, high], "n": n}


def lift(times: float, low: float, high: float, images: int = 5, *, significant: bool = False) -> dict[str, Any]:
    told = {"hallucinated": images, "images": images, "of": 9, "expected": images / times, "lift": times}
    return told | {"simultaneous": [low, high], "capped": False, "significant": significant}


CURVE = {
    "fictional": {
        "caption": {"chair_i": score(0.5, 0.4, 0.6, 20), "cover": score(0.5, 0.4, 0.6, 20)},
        "existence": {"f1": score(0.5, 0.4, 0.6)},
        "attribute": {"accuracy": score(0.5, 0.4, 0.6)},
    }
}
LIFT: dict[str, dict[str, Any]] = {
    "sea": {"boat": lift(2.6, 1.5, 3.3, 9, significant=True), "person": lift(0.7, 0.3, 1.2, 4)},
    "sky": {"boat": lift(1.0, 0.9, 1.1, 11), "person": lift(1.0, 0.8, 1.2, 16)},
    "shampoo": {"boat": lift(65, 1.6, 177, 1)},
}


def test_four_scores_of_one_criterion_that_are_alike_stand_apart() -> None:
    drawn = list(ode_figure.curves(CURVE))
    assert [name for _, name, _ in drawn] == ["chair_i", "cover", "f1", "accuracy"]
    assert [len(dots) for _, _, dots in drawn] == [1, 1, 1, 1], "each has a chart of its own"
    assert drawn[0][2][0].text == "50 % [40, 60], 20 captions"
    assert drawn[3][2][0].text == "50 % [40, 60], 80 questions"


def test_the_clearest_pairs_lead_and_what_is_everywhere_or_seen_once_does_not() -> None:
    pairs = [(fact, word) for fact, word, _ in ode_figure.clearest(LIFT)]
    assert pairs[0] == ("sea", "boat")
    assert ("shampoo", "boat") not in pairs, "one picture is no pattern"
    assert pairs.index(("sky", "boat")) > 0


def test_a_cell_of_the_matrix_has_lift_and_size_and_fades() -> None:
    cells = {(c.row, c.column): c for c in ode_figure.matrix(LIFT, ode_figure.clearest(LIFT))}
    assert cells["sea", "boat"].text == "2.6 (9)"
    assert cells["sky", "boat"].colour == "#ffffff", "as often as in general: no colour, however often it is"
    sure = ode_figure._cell("sea", "boat", lift(2.6, 2.5, 2.7)).colour
    hint = ode_figure._cell("sea", "boat", lift(2.6, 0.3, 9.0)).colour
    assert int(sure[5:], 16) < int(cells["sea", "boat"].colour[5:], 16) < int(hint[5:], 16), "less blue: more orange"
    assert ode_figure._cell("sea", "cup", None).value is None


def test_what_is_hardly_known_is_pale_though_all_of_it_lies_beyond_the_colours() -> None:
    hint = ode_figure._cell("book", "laptop", lift(13, 3.2, 22.8, 3)).colour
    sure = ode_figure._cell("book", "laptop", lift(13, 11.0, 15.0, 300)).colour
    assert hint == ode_figure._cell("book", "laptop", lift(13, 0.5, 0.5 * 22.8 / 3.2, 3)).colour
    assert int(hint[5:], 16) > int(sure[5:], 16) + 60


def test_what_was_never_imagined_beside_a_fact_stays_empty(tmp_path: Path) -> None:
    told: dict[str, Any] = {"questions": 9, "curve": CURVE, "lift": LIFT | {"oven": {"cup": lift(3.0, 1.1, 4.0)}}}
    cells = ode_figure.matrix(told["lift"], ode_figure.clearest(told["lift"]))
    assert {(c.row, c.column) for c in cells if c.value is None} >= {("oven", "boat"), ("sea", "cup")}
    ode_figure.draw(told, tmp_path / "p.png")
    with Image.open(tmp_path / "p.png") as picture:
        assert 1200 < picture.width < 2200, "legible where a page is 850 pixels wide"


def test_a_run_without_imaginings_is_drawn_too(tmp_path: Path) -> None:
    ode_figure.draw({"questions": 4, "curve": CURVE, "lift": {}}, tmp_path / "p.png")
    assert (tmp_path / "p.png").is_file()
