"""What MIOH's picture holds: cells that fade, sizes, and where it fails."""

from typing import Any

from vhbench.analysis import mioh_figure


def cell(mean: float, n: int, low: float, high: float, **more: Any) -> dict[str, Any]:
    return {"mean": mean, "n": n, "interval": [low, high], "chance": 0.25, **more}


def test_a_single_question_does_not_shout() -> None:
    grid = {"E5": {"easy": cell(1.0, 400, 0.99, 1), "hp": cell(1.0, 1, 0.025, 1), "hn": cell(0.0, 1, 0, 0.975)}}
    cells = {c.column: c for c in mioh_figure._accuracies(grid)}
    assert [cells[head].text for head in ("easy", "HP", "HN")] == ["100 (400)", "100 (1)", "0 (1)"]
    assert int(cells["easy"].colour[1:3], 16) < 8, "full blue"
    assert all(
        int(part, 16) > 245 for head in ("HP", "HN") for part in (cells[head].colour[i : i + 2] for i in (1, 3, 5))
    )
    assert cells["NI 2"].value is None


def test_two_pairs_that_turned_are_pale_beside_forty() -> None:
    few, many = cell(-1.0, 2, -1, -0.16, significant=False), cell(0.5, 40, 0.4, 0.6, significant=True)
    cells = {c.column: c for c in mioh_figure._drops({"existence": {"ni2": few, "hn": many}})}
    assert (cells["NI 2"].text, cells["HN"].text) == ("\N{MINUS SIGN}100 (2)", "+50* (40)")
    assert int(cells["NI 2"].colour[1:3], 16) > 200 > 100 > int(cells["HN"].colour[5:], 16)


def test_what_has_no_interval_has_no_colour() -> None:
    alone = {"mean": 1.0, "n": 9, "interval": None, "chance": 0.5}
    assert {c.colour for c in mioh_figure._accuracies({"E5": {"easy": alone}})} == {"#ffffff"}


def test_failures_stand_beside_what_guessing_gives() -> None:
    share = cell(0.5, 17, 0.3, 0.7, chance=0.375)
    none = {"n": 0, "mean": None, "interval": None, "chance": None}
    dots = list(mioh_figure._diagnosed({"existence": {"perception": share, "integration": share, "comparison": none}}))
    assert [dot.row for dot in dots] == ["existence: perception", "existence: integration"]
    assert (dots[0].text, dots[0].guess) == ("50 % [30, 70], 17 image sets", 37.5)


def test_the_colour_scale_is_centred_on_the_chance_of_each_cell() -> None:
    guessed = {"E5": cell(0.2, 400, 0.2, 0.2, chance=0.2), "E1": cell(0.5, 400, 0.5, 0.5, chance=0.5)}
    grid = {name: {"easy": found} for name, found in guessed.items()}
    assert {c.colour for c in mioh_figure._accuracies(grid) if c.value is not None} == {"#ffffff"}
    blue, orange = (mioh_figure._from_chance(cell(mean, 9, 0, 1)) for mean in (0.625, 0.125))
    assert (blue, orange) == (0.5, -0.5)
