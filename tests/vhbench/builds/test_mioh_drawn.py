"""MIOH's drawn pool: planned for the questions, and the same whoever draws it."""

import fcntl
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from vhbench.builds import mioh_drawn, sharding
from vhbench.generators.scenes import clash


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


def test_blocks_have_casts_of_their_own() -> None:
    casts = [mioh_drawn.cast(block, 3) for block in range(12)]
    words = [word for who in casts for word in who.words]
    assert len(words) == len(set(words)) >= 250
    assert {who.hub for who in casts} <= set(mioh_drawn.HUBS)
    for who in casts:
        assert not any(clash(word, [other for other in who.words[:6] if other != word]) for word in who.words[:6])


@pytest.mark.parametrize(("scenes", "least"), [(400, 150), (672, 250)])
def test_many_things_are_shown(scenes: int, least: int) -> None:
    for seed in range(3):
        assert len({thing.category for i in range(scenes) for thing in mioh_drawn.spec(i, seed).objects}) >= least


def test_a_block_shows_each_part_easy_and_hard_with_the_hub_and_without() -> None:
    shown: Counter[tuple[int, str, bool, bool]] = Counter()
    for index in range(3 * mioh_drawn.BLOCK):
        block = mioh_drawn.block_of(index)
        things = mioh_drawn.spec(index, 0).objects
        hub = mioh_drawn.cast(block, 0).hub in {thing.category for thing in things}
        shown.update((block, thing.category, bool(thing.hard), hub) for thing in things)
    for part in mioh_drawn.cast(0, 0).parts:
        assert shown[0, part, False, True] >= 14
        assert shown[0, part, True, True] >= 6
    for part in mioh_drawn.cast(1, 0).parts:
        assert shown[1, part, False, False] + shown[1, part, False, True] >= 12
        assert shown[1, part, True, False] >= 4
    for part in mioh_drawn.cast(2, 0).parts:
        assert shown[2, part, False, False] == shown[2, part, True, False] == 5
