"""MIOH's drawn pool: planned for the questions, and the same whoever draws it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from vhbench.builds import mioh_drawn


def test_drawing_together_gives_what_drawing_alone_gives(tmp_path: Path) -> None:
    alone = mioh_drawn.draw(18, 3, 96)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda _: mioh_drawn.draw(18, 3, 96, str(tmp_path)), range(2)))
    assert together == [alone, alone]
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith(".mioh.pool-")
    assert folder.name.endswith(".parts")  # the end of a build sweeps such folders away


def test_a_pool_holds_the_same_pair_again_and_again() -> None:
    specs = mioh_drawn.drawn_specs(96, 0)
    assert mioh_drawn.drawn_specs(24, 0) == specs[:24]
    tied = [spec for spec in specs if spec.relations]
    assert len(tied) >= 30
    assert {tuple(o.category for o in spec.objects[:2]) for spec in tied} == {
        words[:2] for words in mioh_drawn.THEMES.values()
    }
