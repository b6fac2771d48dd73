"""MIOH's drawn pool: planned for the questions, and the same whoever draws it."""

import fcntl
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from vhbench.builds import mioh_synthetic, sharding
from vhbench.colours import is_similar_colour
from vhbench.generators.scenes import WHOLE, ConceptPart, SceneSource, clash, source
from vhbench.generators.scenes.layout.plan import Refusal
from vhbench.schema import ObjectSpec, Rejection, Scene, SceneSpec, VhbenchError
from vhbench.training import leakage


def test_drawing_together_gives_what_drawing_alone_gives(tmp_path: Path) -> None:
    alone = mioh_synthetic.draw(18, 3, 96)
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(lambda _: mioh_synthetic.draw(18, 3, 96, str(tmp_path)), range(2)))
    assert together == [alone, alone]
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith(".mioh.pool-")
    assert folder.name.endswith(".parts")  # the end of a build sweeps such folders away


def test_a_pool_that_another_build_draws_is_not_swept_away(tmp_path: Path) -> None:
    mioh_synthetic.draw(16, 3, 96, str(tmp_path))
    (folder,) = tmp_path.iterdir()
    with (folder / "in-use-0.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # what FileLock does, which lmms-eval makes re-entrant within a process
        sharding._sweep(tmp_path, "mioh")
        assert folder.exists()
    sharding._sweep(tmp_path, "mioh")
    assert not folder.exists()


def test_other_processes_are_waited_for_where_lmms_eval_keeps_the_first_lock_of_a_path(
    tmp_path: Path,
) -> None:
    from lmms_eval import evaluator

    evaluator._enable_reentrant_filelocks()  # type: ignore[attr-defined]  # as each evaluation does, for good
    alone = mioh_synthetic.draw(18, 3, 96, str(tmp_path))
    (folder,) = tmp_path.iterdir()
    with (folder / "000016.lock").open("w") as held, ThreadPoolExecutor(1) as pool:
        fcntl.flock(held, fcntl.LOCK_EX)
        together = pool.submit(mioh_synthetic.draw, 18, 3, 96, str(tmp_path))
        with pytest.raises(TimeoutError):
            together.result(timeout=0.5)
        fcntl.flock(held, fcntl.LOCK_UN)
        assert together.result() == alone


def test_rounds_have_casts_of_their_own_without_rivals_among_what_is_asked() -> None:
    casts = [mioh_synthetic.cast(turn, 3) for turn in range(5)]
    words = [word for who in casts for word in who.words]
    assert len(words) == len(set(words)) >= 250
    for who in casts:
        assert {who.hub, who.keeper} <= set(mioh_synthetic.HUBS)
        assert not is_similar_colour(*who.paints)
        for company in ((who.hub, *who.spokes), (who.keeper, *who.counted)):
            assert not any(clash(word, [other for other in company if other != word]) for word in company)


HALVES = (ConceptPart(1, 2), ConceptPart(2, 2))


def concepts(part: ConceptPart, scenes: int, seed: int) -> set[str]:
    """Return the things and places of what is planned."""
    planned = [mioh_synthetic.spec(i, seed, part) for i in range(scenes)]
    return {thing.category for spec in planned for thing in spec.objects} | {spec.environment for spec in planned}


def test_pools_of_two_parts_share_no_thing_and_no_place_whatever_their_seeds() -> None:
    shown = [concepts(part, 2 * mioh_synthetic.ROUND, seed) for part, seed in zip(HALVES, (3, 3), strict=True)]
    shown[0] |= concepts(HALVES[0], 40, 8)
    assert not leakage.alike(*shown)
    assert min(map(len, shown)) >= 100


WORDS = {  # of four rounds; 57 with all things. A third has few of them, as lookalikes stay together.
    "1/2": (57, 57, 57, 54),
    "2/2": (57, 57, 57, 57),
    "1/3": (37, 38, 38, 37),
    "2/3": (48, 52, 46, 51),
    "3/3": (57, 57, 57, 57),
}


@pytest.mark.parametrize("part", [*HALVES, *(ConceptPart(i, 3) for i in (1, 2, 3))], ids=str)
def test_rounds_of_a_part_have_every_role_and_as_many_words_as_there_are(part: ConceptPart) -> None:
    for turn, words in enumerate(WORDS[str(part)]):
        who = mioh_synthetic.cast(turn, 3, part)
        assert (len(who.spokes), len(who.counted)) == (5, 4)
        assert len(set(who.words)) == len(who.words) == words
        assert all(part.holds(word) for word in who.words)
        assert {who.hub, who.keeper} <= set(mioh_synthetic.HUBS)


def test_the_two_rounds_of_a_half_share_nothing() -> None:
    for part in HALVES:
        first, second = (set(mioh_synthetic.cast(turn, 3, part).words) for turn in (0, 1))
        assert first.isdisjoint(second)


def test_scenes_of_parts_have_ids_of_their_own() -> None:
    assert [mioh_synthetic.spec(0, 3, part).id for part in (WHOLE, *HALVES)] == ["mioh-0", "mioh-1of2-0", "mioh-2of2-0"]


def test_a_part_with_too_few_things_is_told_before_anything_is_drawn() -> None:
    with pytest.raises(
        VhbenchError, match=r"--part 2/4: has too few objects for MIOH's synthetic scenes.*: take fewer"
    ):
        mioh_synthetic.check(300, 0, ConceptPart(2, 4))


def test_a_part_is_drawn_together_as_alone(tmp_path: Path) -> None:
    alone = mioh_synthetic.draw(4, 3, 96, part=HALVES[0])
    assert mioh_synthetic.draw(4, 3, 96, str(tmp_path), HALVES[0]) == alone
    assert mioh_synthetic.draw(4, 3, 96, str(tmp_path), HALVES[1]) != alone


@pytest.mark.parametrize(("scenes", "least"), [(3 * mioh_synthetic.ROUND, 150), (1000, 250)])
def test_many_things_are_shown(scenes: int, least: int) -> None:
    for seed in range(3):
        assert len({thing.category for i in range(scenes) for thing in mioh_synthetic.spec(i, seed).objects}) >= least


@pytest.fixture(scope="module")
def whole_round() -> list[SceneSpec]:
    return [mioh_synthetic.spec(i, 0) for i in range(mioh_synthetic.ROUND)]


def is_balanced(spec: SceneSpec) -> bool:
    """Return whether all four spokes are placed around the fifth."""
    return len(spec.relations) == 4


def sides(spec: SceneSpec) -> dict[str, str]:
    """Return spoke → side of the one in the middle."""
    return {spec.objects[i].category: "right" if side == "left of" else "left" for _, side, i in spec.relations}


@pytest.mark.parametrize("hard", [False, True])
@pytest.mark.parametrize("hub", [False, True])
def test_the_hub_suggests_sides_and_colours(whole_round: list[SceneSpec], hub: bool, hard: bool) -> None:
    who = mioh_synthetic.cast(0, 0)
    balanced = [spec for spec in whole_round if is_balanced(spec) and bool(spec.objects[0].hard) == hard]
    own = [spec for spec in balanced if (who.hub in {thing.category for thing in spec.objects}) == hub]
    assert len(own) >= 6
    right, usual = Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for spec in own:
        around = [thing for thing in spec.objects if thing.category in who.spokes[:4]]
        assert {thing.category for thing in around} == {*who.spokes[:4]}, "all show the same things"
        right[tuple(sorted(word for word, side in sides(spec).items() if side == "right"))] += 1
        usual[tuple(sorted(thing.category for thing in around if thing.colour == who.paints[0]))] += 1
    doubled = who.spokes[:2] if hub else who.spokes[2:4]
    never = who.spokes[2:4] if hub else who.spokes[:2]
    pairs = {tuple(sorted(pair)): 1 for pair in combinations(who.spokes[:4], 2) if pair != never}
    expected = pairs | {tuple(sorted(doubled)): 2}
    times = len(own) // 6
    assert right == usual == {pair: times * n for pair, n in expected.items()}


def test_each_stranger_suggests_less_than_the_hub(whole_round: list[SceneSpec]) -> None:
    who, rights = mioh_synthetic.cast(0, 0), Counter[str]()
    usual, shown = {who.spokes[i]: ("right", "right", "left", "left")[i] for i in range(4)}, Counter[str]()
    for spec in filter(is_balanced, whole_round):
        (sixth,) = {thing.category for thing in spec.objects} - {*who.spokes}
        shown[sixth] += 4
        rights[sixth] += sum(sides(spec)[word] == side for word, side in usual.items())
    assert {word: rights[word] / number for word, number in shown.items()} == {
        word: (4 if word == who.hub else 2) / 6 for word in shown
    }
    assert len(shown) == 1 + 7 + 4, "the hub, and as many strangers as there are easy and hard sixes without it"


@pytest.mark.parametrize("hub", [False, True])
def test_few_objects_do_not_tell_the_side(hub: bool) -> None:
    """Among three spokes, with the hub or without, each is on its usual side as often as in balanced scenes."""
    usual, all_sides = Counter[bool](), ("right", "right", "left", "left")
    for index in range(12 * mioh_synthetic.ROUND):
        who, spec = mioh_synthetic.cast(index // mioh_synthetic.ROUND, 0), mioh_synthetic.spec(index, 0)
        if 0 < len(spec.relations) < 4 and (who.hub in {thing.category for thing in spec.objects}) == hub:
            usual.update(side == all_sides[who.spokes.index(word)] for word, side in sides(spec).items())
    assert usual.total() > 200
    assert usual[True] / usual.total() == pytest.approx(4 / 6 if hub else 2 / 6, abs=0.07)


def test_sides_are_asked_of_the_one_in_the_middle() -> None:
    who = mioh_synthetic.cast(0, 0)
    *others, middle = who.spokes
    assert mioh_synthetic.sided_pairs(1, 0) == {frozenset((middle, other)) for other in others}
    assert len(mioh_synthetic.sided_pairs(2 * mioh_synthetic.ROUND, 0)) == 8


def test_what_presses_takes_the_place_of_a_stranger(whole_round: list[SceneSpec]) -> None:
    """Otherwise images under HN would be the more crowded ones."""
    assert {len(spec.objects) for spec in whole_round if is_balanced(spec)} == {6}
    about_spokes = [spec for spec in whole_round if spec.objects[0].category in mioh_synthetic.cast(0, 0).spokes]
    assert {len(spec.objects) for spec in about_spokes if not is_balanced(spec)} == {4}


def test_only_hubs_suggest_anything() -> None:
    """A hub among the spokes or the strangers would suggest the spokes in scenes that are meant to be easy."""
    for who in (mioh_synthetic.cast(turn, 3) for turn in range(10)):
        assert {who.hub, who.keeper} == {*mioh_synthetic.HUBS}.intersection(who.words)


def test_what_is_counted_is_there_with_its_keeper_without_it_and_hard_to_see(whole_round: list[SceneSpec]) -> None:
    who = mioh_synthetic.cast(0, 0)
    counts: Counter[tuple[str, int, bool, bool]] = Counter()
    for spec in whole_round:
        kept = who.keeper in {thing.category for thing in spec.objects}
        counts.update((thing.category, thing.count, kept, bool(thing.hard)) for thing in spec.objects)
    for word in who.counted:
        assert all(counts[word, number, False, False] for number in (1, 2, 3, 4))
        assert all(counts[word, number, True, False] for number in (1, 2, 3))
        assert all(counts[word, number, False, True] for number in (1, 2, 3))
        assert all(counts[word, number, True, True] for number in (1, 2, 3))


def test_a_number_is_as_often_the_other_objects_as_that_of_the_counted_one() -> None:
    """Otherwise the largest number in an image, or the smallest, would count without knowing what is counted."""
    larger = Counter[bool]()
    for index in range(12 * mioh_synthetic.ROUND):
        cast = mioh_synthetic.cast(index // mioh_synthetic.ROUND, 0)
        counted, other, *_ = mioh_synthetic.spec(index, 0).objects
        if counted.category in cast.counted:
            assert counted.count != other.count
            assert other.category not in (*cast.counted, cast.keeper)
            larger[counted.count > other.count] += 1
    assert larger.total() == 12 * 68
    assert larger[True] / larger.total() == pytest.approx(0.5, abs=0.05)


def test_company_does_not_tell_how_many_there_are(whole_round: list[SceneSpec]) -> None:
    """If equal numbers had the same company, images that share it would be known to show the same number."""
    who, shown = mioh_synthetic.cast(0, 0), Counter[tuple[ObjectSpec, str]]()
    for planned in whole_round:
        first, other, *keeper = planned.objects
        if first.category in who.counted and not keeper:
            shown[replace(first, count=1), other.category] += 1
    assert len(shown) == 4 * (5 + 4)
    assert {*shown.values()} == {1}


def test_what_colour_spokes_have_is_known_and_whether_they_are_there() -> None:
    scenes, _ = mioh_synthetic.draw(mioh_synthetic.ROUND, 77, 192)
    spokes = mioh_synthetic.cast(0, 77).spokes
    planned = [mioh_synthetic.spec(i, 77) for i in range(mioh_synthetic.ROUND)]
    balanced = tuple(spec.id for spec in planned if is_balanced(spec))
    about = [scene for scene in scenes if scene.id.rpartition("-")[0] in balanced or scene.id in balanced]
    assert len(about) >= 0.8 * len(balanced)
    shown = [thing for scene in about for thing in scene.objects if thing.category in spokes]
    assert sum("colour" in thing.known_attributes for thing in shown) >= 0.95 * len(shown)
    assert sum(spoke in scene.known for scene in scenes for spoke in spokes) >= 0.95 * len(scenes) * len(spokes)


def test_the_smallest_picture_shows_a_tiny_bicycle() -> None:
    tiny = ObjectSpec("bicycle", size="tiny", hard=("small",))  # of which some tries leave no pixel
    one = replace(mioh_synthetic.spec(0, 0), objects=(tiny,), relations=(), width=64, height=64)
    assert {type(made) for seed in range(8) for made in SceneSource().make([one], seed=seed)} == {Scene}


def test_what_cannot_be_drawn_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(*_: object) -> None:
        raise Refusal("too small")

    monkeypatch.setattr(source, "arrange", nothing)
    made = mioh_synthetic._draw_chunk((0, 3), 0, 64)
    assert [(type(one), getattr(one, "reason", "")) for one in made] == [(Rejection, "too small")] * 3
