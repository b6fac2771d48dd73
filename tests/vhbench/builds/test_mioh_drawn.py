"""MIOH's drawn pool: planned for the questions, and the same whoever draws it."""

import fcntl
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from vhbench.builds import mioh_drawn, sharding
from vhbench.builds.mioh_drawn import PAINTS, THEMES


def test_drawing_together_gives_what_drawing_alone_gives(tmp_path: Path) -> None:
    alone = mioh_drawn.draw(18, 3, 96)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda _: mioh_drawn.draw(18, 3, 96, str(tmp_path)), range(2)))
    assert together == [alone, alone]
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith(".mioh.pool-")
    assert folder.name.endswith(".parts")  # the end of a build sweeps such folders away


def test_a_pool_that_another_build_draws_is_not_swept_away(tmp_path: Path) -> None:
    mioh_drawn.draw(16, 3, 96, str(tmp_path))
    (folder,) = tmp_path.iterdir()
    with (folder / "in-use-0.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # what FileLock does, which lmms-eval makes re-entrant within a process
        sharding._sweep(tmp_path, "mioh")
        assert folder.exists()
    sharding._sweep(tmp_path, "mioh")
    assert not folder.exists()


def test_each_spoke_stands_beside_its_hub_often_enough_to_ask_about_ten_images() -> None:
    beside: Counter[tuple[str, bool]] = Counter()
    lured: set[tuple[str, str, bool]] = set()
    for spec in (mioh_drawn.spec(i, 0) for i in range(450)):
        hard = bool(spec.objects[0].hard)
        right = [spec.objects[i].category for hub, side, i in spec.relations if (hub, side) == (0, "left of")]
        wrong = [spec.objects[i].category for hub, side, i in spec.relations if (hub, side) == (0, "right of")]
        beside.update((word, hard) for word in right)
        lured |= {(one, other, hard) for one in right for other in wrong}
    for theme in (THEMES["street"], THEMES["home"]):
        for word in theme.spokes:
            assert beside[word, False] >= 11
            assert beside[word, True] >= 5
            others = [other for other in theme.spokes if other != word]
            assert {(word, other, hard) for other in others for hard in (False, True)} <= lured


def test_each_paint_of_a_painted_thing_is_shown_often_enough() -> None:
    shown: Counter[tuple[str, str, bool]] = Counter()
    for spec in (mioh_drawn.spec(i, 0) for i in range(450)):
        shown.update((thing.category, thing.colour, bool(thing.hard)) for thing in spec.objects)
    for theme in (THEMES["meadow"], THEMES["home"]):
        for word, colours in zip(theme.painted, PAINTS, strict=True):
            for colour in colours:
                assert shown[word, colour, False] >= 10
                assert shown[word, colour, True] >= 6
