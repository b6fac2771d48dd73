"""The sheets that people look at."""

import numpy as np

from vhbench.generators.scenes import catalog, gallery
from vhbench.generators.scenes.drawings import draw


def test_a_sheet_puts_labelled_pictures_side_by_side() -> None:
    cells = [(word, gallery.picture(draw(word), 60)) for word in ("apple", "car", "dog")]
    page = np.asarray(gallery.sheet(cells, columns=2))
    assert page.shape == (2 * (60 + gallery.LABEL), 120, 3)
    assert (page[gallery.LABEL + 30, 30] == cells[0][1][30, 30, :3]).all()  # the middle of the apple
    assert (page[-1, -1] == gallery.PAPER).all()  # the fourth place is empty


def test_weak_colours_are_those_below_the_limit() -> None:
    car = catalog.find("car")
    assert gallery.weak_colours([car]) == []
    weak = gallery.weak_colours([car], limit=1.01)
    assert [(word, name) for word, name, _ in weak] == [("car", name) for name in car.colours]
    assert all(0.5 <= share < 1 for _, _, share in weak)


def test_pictures_fill_their_square() -> None:
    alpha = gallery.picture(draw("ball"), 100)[..., 3]
    rows = np.flatnonzero(alpha.any(1))
    assert rows[0] in range(2, 7)
    assert rows[-1] in range(93, 98)
