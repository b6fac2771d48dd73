"""What MIOH's questions must be: right, balanced, pressed by one factor only, and blind to those who do not look."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mioh_checker import check, words_of
from paper_mioh import paper_pool

from vhbench.adapters.coco import CocoScenes
from vhbench.audit import phrases, restricted_oracles
from vhbench.benchmarks import pressure_family
from vhbench.builds import mioh_synthetic
from vhbench.generators.mioh.drafts import NONE, UNKNOWN, Draft, ImageSlot, beside, minus
from vhbench.generators.mioh.facts import Exists, Fact, Has, Related
from vhbench.generators.mioh.filler import Filler, Item
from vhbench.generators.mioh.items import PlacedDraft
from vhbench.generators.mioh.pools import ScenePool
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.generators.mioh.scene_finder import SceneFinder
from vhbench.generators.mioh.sizes import PAPER, sizes
from vhbench.schema import Question, Rejection, Scene, SceneObject, VhbenchError
from vhbench.statistics import intervals

ASKED = {*QUESTION_TYPES} - {"P4", "P7"}
"""Types with questions here; the others need images that each decide four relations, as synthetic scenes do."""


def test_the_first_types_are_those_of_the_taxonomy(reference: Path) -> None:
    taxonomy = json.loads((reference / "MIOH" / "taxonomy.json").read_text())["types"]
    assert [(t["id"], t["task"], t["pattern"]) for t in taxonomy] == [
        (k.id, k.task, k.mode) for k in [*QUESTION_TYPES.values()][: len(taxonomy)]
    ]


def test_every_answer_is_confirmed_by_the_checker(scenes: list[Scene], questions: list[Question]) -> None:
    by_id = {scene.id: scene for scene in scenes}
    vocabulary = words_of(by_id)
    for question in questions:
        check(question, by_id, vocabulary)


def test_the_checker_notices_a_wrong_answer(scenes: list[Scene], questions: list[Question]) -> None:
    by_id = {scene.id: scene for scene in scenes}
    for kind in ASKED:
        question = next(q for q in questions if q.question_type == kind)
        wrong = {"yes": "no", "no": "yes"}.get(question.answer, "A" if question.answer != "A" else "B")
        with pytest.raises(AssertionError):
            check(replace(question, answer=wrong), by_id, words_of(by_id))


def shown(question: Question, by_id: dict[str, Scene]) -> list[tuple[bool | int | None, ...]]:
    """Return what each image shows of the options, or of the object in question; sorted, as images are in any order."""
    kind, scenes = question.question_type, [by_id[name] for name in question.scene_ids]
    if kind[0] == "C" and kind != "C1":
        return sorted(tuple(phrases.count(name, scene) for name in question.objects) for scene in scenes)
    asked = question.objects if kind == "C1" else sorted(phrases.asked_phrases(question.question, question.choices))
    return sorted(tuple(phrases.holds(phrase, scene) for phrase in asked) for scene in scenes)


def test_a_twin_differs_from_its_easy_question_in_the_pressure_alone(
    scenes: list[Scene], questions: list[Question]
) -> None:
    by_id = {scene.id: scene for scene in scenes}
    easy = {(q.question_type, q.pair_id): q for q in questions if q.pressure == "easy"}
    compared = Counter[str]()
    for question in questions:
        twin = easy.get((question.question_type, question.pair_id))
        if twin is None or question.pressure not in ("hp", "hn", "hp+hn"):
            continue
        words, twin_words = (re.sub(r"Image \d", "Image", q.question) for q in (question, twin))
        assert words == twin_words
        assert len(question.images) == len(twin.images)
        assert sorted(map(len, question.choices)) == sorted(map(len, twin.choices))
        if question.question_type == "A4":  # where each image shows one wrong option, any of three
            assert [*map(sum, shown(question, by_id))] == [*map(sum, shown(twin, by_id))]
        elif question.question_type != "E4":
            assert shown(question, by_id) == shown(twin, by_id)
        if question.pressure != "hp":  # each answer has images that HN changes
            assert {*question.scene_ids} != {*twin.scene_ids}
        compared[question.question_type] += 1
    assert compared.keys() >= ASKED


def test_nearly_every_cell_is_filled_and_the_others_say_why(rows: list[Question | Rejection]) -> None:
    left_out = [row for row in rows if isinstance(row, Rejection)]
    assert {row.reason.partition(":")[0] for row in left_out} <= {"cell not filled", "type left out"}
    for row in left_out:
        assert row.detail["found"] < row.detail.get("wanted", 8)
    filled = Counter((q.question_type, q.pressure) for q in rows if isinstance(q, Question))
    assert {kind for kind, pressure in filled if pressure == "easy"} == ASKED
    assert sum(filled.values()) > 0.8 * 26 * 5 * 10


def test_too_few_numerous_objects_are_the_reason_why_a_counting_type_is_left_out(scenes: list[Scene]) -> None:
    single = [scene for scene in scenes[:200] if len(scene.categories()) == len(scene.objects)]
    (row,) = Filler(QUESTION_TYPES["C3"], ScenePool(single), sizes(10), seed=5, source="paper").fill()
    assert isinstance(row, Rejection)
    assert row.reason == "type left out: too few categories of which images show one, two and three instances"


def test_letters_are_balanced_within_each_cell(questions: list[Question]) -> None:
    cells: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for q in questions:
        right = q.answer if q.kind == "yes_no" else q.choices["ABCDE".index(q.answer)]
        if right != NONE:
            cells[q.question_type, q.pressure][q.answer] += 1
    for cell, letters in cells.items():
        assert max(letters.values()) - min(letters.values()) <= 1 or cell[1] == "ni2", (cell, letters)


@pytest.mark.parametrize("pressure", ["easy", "hp", "hn"])
def test_offered_numbers_of_images_do_not_reveal_the_right_one(pressure: str, questions: list[Question]) -> None:
    """The options are 0–3 or 1–4 images: each is right equally often for either range."""
    own = [q for q in questions if (q.question_type, q.pressure) == ("C1", pressure)]
    right = Counter((min(q.choices), q.choices["ABCDE".index(q.answer)]) for q in own)
    assert max(right.values()) - min(right[first, str(int(first) + i)] for first in "01" for i in range(4)) <= 1


def test_none_of_the_above_is_right_in_a_fair_share(questions: list[Question]) -> None:
    offered = [q for q in questions if q.choices and q.choices[-1] == NONE and q.pressure == "easy"]
    share = sum(q.choices["ABCDE".index(q.answer)] == NONE for q in offered) / len(offered)
    assert 0.15 <= share <= 0.25


def test_none_of_the_above_is_right_in_a_fifth_under_each_pressure(questions: list[Question]) -> None:
    """Rounded: if it were rarer, a guess among the others would be right more often than the design concedes."""
    cells: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for q in questions:
        if q.choices and q.choices[-1] == NONE and q.task != "counting":  # pressed counts lack some answers
            right = q.choices["ABCDE".index(q.answer)]
            cells[q.question_type, pressure_family(q.pressure)].append(right == NONE)
    for cell, rights in cells.items():
        assert abs(sum(rights) - len(rights) / 5) <= 0.5, (cell, len(rights))


def test_answers_are_dealt_evenly_among_what_can_be_pressed_alike(scenes: list[Scene]) -> None:
    """Else a pressure that few questions bear would have them for some answers, and none for the others."""

    class All(Filler):
        def _best(self, found: list[Item], wanted: int) -> list[Item]:
            return found

    dealt: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for item in All(QUESTION_TYPES["E4"], ScenePool(scenes), sizes(10), seed=5, source="paper").items():
        dealt[tuple(sorted(item.pressed))][item.answer] += 1
    assert len(dealt) > 1
    for answers in dealt.values():
        assert max(answers.values()) - min(answers[answer] for answer in range(5)) <= 1


@pytest.mark.parametrize(("kind", "chosen"), [("A1", {1, 2}), ("P2", {1, 2}), ("E1", {0, 2}), ("A4", {0, 2})])
def test_yes_and_no_are_chosen_of_equal_numbers(kind: str, chosen: set[int], scenes: list[Scene]) -> None:
    """Yes for what occurs three times, yes and no for what occurs twice: else the first of each answer is chosen."""
    numbers: dict[Fact, int] = {Has(word, "colour", "red"): n for word, n in (("dog", 3), ("cat", 2), ("cup", 2))}

    class Pool(ScenePool):
        def number(self, fact: Fact) -> int:
            return numbers[fact]

    class Sampled(Filler):
        def _sample_items(self) -> list[Item]:
            drafts = [Draft("", (fact,), "", (ImageSlot(),), ()) for fact in numbers]
            return [Item(drafts[i], (), {}, i, answer) for i, answer in enumerate((0, 0, 1))]

    items = Sampled(QUESTION_TYPES[kind], Pool(scenes[:2]), {kind: {"easy": 2}}, seed=5, source="paper").items()
    assert {item.number for item in items} == chosen


@pytest.mark.parametrize("pressure", ["easy", "ni8", "hp", "hn"])
def test_words_alone_tell_nothing(pressure: str, questions: list[Question]) -> None:
    """A model that learns from all earlier texts of a type which words are right gains nothing on the next one."""
    gains = []
    won: Counter[tuple[str, str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for q in (q for q in questions if q.pressure == pressure):
        choices = [c for c in q.choices or ("yes", "no") if c != UNKNOWN]
        right = q.answer if q.kind == "yes_no" else q.choices["ABCDE".index(q.answer)]
        topic = q.question if q.kind == "yes_no" else q.question_type
        rates = [(won[topic, c] + 0.2) / (seen[topic, c] + 1) for c in choices]
        gains.append(float(choices[rates.index(max(rates))] == right) - 1 / len(choices))
        seen.update((topic, choice) for choice in choices)
        won[topic, right] += 1
    low, high, _ = intervals.of_change(gains, [1] * len(gains)) or (1.0, 1.0, "")
    assert low <= 0 <= high or high < 0, (low, high)


@pytest.mark.parametrize("pressure", ["ni2", "ni4", "ni8", "ni10", "hp", "hn", "hp+hn"])
def test_a_twin_differs_from_its_easy_question_by_one_factor(
    pressure: str, questions: list[Question], scenes: list[Scene]
) -> None:
    easy = {q.pair_id: q for q in questions if q.pressure == "easy"}
    twins = [q for q in questions if q.pressure == pressure]
    assert twins
    for q in twins:
        other = easy[q.pair_id]
        named = QUESTION_TYPES[q.question_type].mode == "comparative"
        assert named or q.question == other.question
        assert q.objects == other.objects
        if pressure.startswith("ni"):
            assert len(q.images) == int(pressure[2:])
            smaller, larger = sorted([set(q.scene_ids), set(other.scene_ids)], key=len)
            assert smaller <= larger
        else:
            assert len(q.images) == len(other.images)


def test_counting_asks_only_about_few(scenes: list[Scene], questions: list[Question]) -> None:
    by_id = {scene.id: scene for scene in scenes}
    for q in questions:
        if q.question_type in ("C2", "C3", "C4"):
            assert all((by_id[i].count(name) or 0) <= 5 for i in q.scene_ids for name in q.objects)


def test_the_same_seed_gives_the_same_questions_and_another_seed_others(scenes: list[Scene]) -> None:
    def ask(seed: int) -> list[object]:
        return list(Filler(QUESTION_TYPES["E3"], ScenePool(scenes), sizes(5), seed=seed, source="x").fill())

    assert ask(1) == ask(1)
    assert ask(1) != ask(2)


def test_the_image_with_an_attribute_is_not_the_emptiest(scenes: list[Scene]) -> None:
    """It needs no other object with the value, as the others do, so it is compared with images that are as full."""
    filler = Filler(QUESTION_TYPES["A5"], ScenePool(scenes), sizes(80), seed=5, source="paper")
    number = {scene.id: len(scene.objects) for scene in scenes}
    gains = []
    for row in filler.fill():
        if isinstance(row, Question) and (answer := row.choices["ABCDE".index(row.answer)]) != NONE:
            shown = [number[scene] for scene in row.scene_ids]
            right = shown[int(answer.removeprefix("Image ")) - 1]
            gains.append((right == min(shown)) / shown.count(min(shown)) - 1 / len(shown))
    assert len(gains) == 320
    assert abs(np.mean(gains)) < 3 * np.std(gains) / len(gains) ** 0.5


@pytest.fixture(scope="module")
def hundreds(scenes: list[Scene]) -> list[Question | Rejection]:
    return list(Filler(QUESTION_TYPES["E5"], ScenePool(scenes), sizes(100), seed=5, source="paper").fill())


@pytest.mark.parametrize("pressure", ["easy", "hp", "hn"])
def test_images_with_and_without_an_object_are_as_full(
    pressure: str, scenes: list[Scene], hundreds: list[Question | Rejection]
) -> None:
    """HP would mark the right image by small objects and HN the others by more objects."""
    by_id = {scene.id: scene for scene in scenes}
    full: dict[bool, list[tuple[int, float]]] = {True: [], False: []}
    for row in hundreds:
        if isinstance(row, Question) and row.pressure == pressure and row.choices["ABCDE".index(row.answer)] != NONE:
            for scene in map(by_id.__getitem__, row.scene_ids):
                covered = sum(thing.area for thing in scene.objects)
                full[row.objects[0] in scene.categories()].append((len(scene.objects), covered))
    assert len(full[True]) == 80
    assert np.mean(full[True], axis=0) == pytest.approx(np.mean(full[False], axis=0), rel=0.1)


def test_images_have_two_objects_in_common_whatever_the_answer() -> None:
    """Two images with the object also share what goes with it, so two with anything in common would show it."""

    def scene(name: str, *words: str) -> Scene:
        things = tuple(SceneObject(i, word, (100 + 280 * i, 300, 240, 240), 50_000) for i, word in enumerate(words))
        return Scene(name, b"image", 1000, 1000, things, known=frozenset(everything))

    company = ["dog", "hat", "pen", "car", "bus"]
    everything = ["cup", *company, "fox", "owl", "bee", "elk"]
    scenes = [scene(f"cup{i}", "cup", "dog", "hat") for i in range(5)]
    scenes += [scene(f"two{i}", "dog", "hat", company[2 + i % 3]) for i in range(9)]
    scenes += [scene(f"none{i}", "fox", "owl", "bee") for i in range(5)]
    finder = SceneFinder(ScenePool(scenes, suggesting=["elk"]), QUESTION_TYPES["E5"])
    for seed in range(20):
        picked = finder.pick((beside(Exists("cup")), *(minus(Exists("cup")),) * 3), np.random.default_rng(seed))
        assert picked
        assert [scenes[i].id[:3] for i in picked] == ["cup", "two", "two", "two"]


@pytest.mark.parametrize("name", ["E5", "C1"])
def test_outside_hn_no_image_shows_what_suggests_other_objects(name: str, drawn: ScenePool) -> None:
    """It would only do so where its usual neighbour is missing: a mark of the images without the object in question."""
    by_id, shown = {scene.id: scene for scene in drawn.scenes}, Counter[str]()
    for row in Filler(QUESTION_TYPES[name], drawn, sizes(8), seed=5, source="scenes").fill():
        if isinstance(row, Question):
            hubs = {*mioh_synthetic.HUBS}.difference(row.objects)
            shown[row.pressure] += sum(not hubs.isdisjoint(by_id[scene].categories()) for scene in row.scene_ids)
    assert shown["hn"] > 0 == shown["easy"]


@pytest.mark.parametrize("name", ["A4", "P4"])
def test_a_pressure_does_not_change_how_many_options_an_image_shows(name: str, drawn: ScenePool) -> None:
    """With more of them true, an image that is overlooked would cost more: a difference that is not the pressure."""
    by_id, shows = {scene.id: scene for scene in drawn.scenes}, defaultdict[str, set[int]](set)
    for row in Filler(QUESTION_TYPES[name], drawn, sizes(8), seed=5, source="scenes").fill():
        if isinstance(row, Question):
            shows[pressure_family(row.pressure)] |= {*map(sum, shown(row, by_id))}
    assert {*shows} >= {"easy", "hn", "ni"}
    assert all(numbers == {2} for numbers in shows.values())


def test_under_hn_images_of_c3_are_alike_in_what_suggests_the_objects(drawn: ScenePool) -> None:
    """If all images but one showed it, that one would show the correct option, without counting."""
    by_id, marked = {scene.id: scene for scene in drawn.scenes}, Counter[bool]()
    for row in Filler(QUESTION_TYPES["C3"], drawn, sizes(8), seed=5, source="scenes").fill():
        if isinstance(row, Question) and row.pressure == "hn":
            hubs = [by_id[name].categories().intersection(mioh_synthetic.HUBS) for name in row.scene_ids]
            marked[not frozenset.intersection(*hubs)] += 1
    assert marked.total() == 8
    assert marked[True] <= 1, "an oven of the background may suggest it as well"


def test_answers_stay_even_where_one_of_them_has_few_images() -> None:
    """Of these scenes, one set alone shows none of some sides, and the same question is not asked again."""
    made = Filler(QUESTION_TYPES["P1"], paper_pool(), sizes(6), seed=5, source="paper").fill()
    easy = Counter(row.answer for row in made if isinstance(row, Question) and row.pressure == "easy")
    assert easy == {"yes": 2, "no": 1}


def test_a_pressed_twin_shows_other_images(questions: list[Question]) -> None:
    easy = {(q.question_type, q.pair_id): {*q.scene_ids} for q in questions if q.pressure == "easy"}
    pressed = [q for q in questions if q.pressure in ("hp", "hn", "hp+hn")]
    assert {q.question_type for q in pressed} == ASKED
    assert all({*q.scene_ids} != easy.get((q.question_type, q.pair_id)) for q in pressed)


def test_more_images_continue_fewer_ones(scenes: list[Scene]) -> None:
    items = Filler(QUESTION_TYPES["E1"], ScenePool(scenes), sizes(10), seed=5, source="paper").items()
    assert len(items) == 10
    for item in items:
        ten = item.pressed["ni10"]
        assert [item.pressed[f"ni{n}"] for n in (2, 4, 8)] == [ten[:n] for n in (2, 4, 8)]
        assert item.scenes == ten[:4]


def test_under_hp_an_image_without_the_object_shows_others_that_are_hard_to_see(
    scenes: list[Scene], questions: list[Question]
) -> None:
    by_id = {scene.id: scene for scene in scenes}
    for question in questions:
        if question.pressure in ("hp", "hp+hn") and question.question_type in ("E1", "E2", "E3", "E5", "E6", "C1"):
            for scene in map(by_id.__getitem__, question.scene_ids):
                assert any(thing.area < 0.01 * scene.width * scene.height for thing in scene.objects)


def test_an_image_shows_nothing_hard_to_see_if_the_question_can_do_without(scenes: list[Scene]) -> None:
    """HP alone makes anything hard to see, so outside HP the images without the object do not stand out by that."""
    filler = Filler(QUESTION_TYPES["E5"], ScenePool(scenes), sizes(50), seed=5, source="paper")
    small = {s.id for s in scenes if any(thing.area < 0.01 * s.width * s.height for thing in s.objects)}
    shown = [q.scene_ids for q in filler.fill() if isinstance(q, Question) and q.pressure in ("easy", "hn")]
    assert len(shown) == 100
    assert sum(len(small.intersection(ids)) for ids in shown) < 0.05 * sum(map(len, shown))


def test_no_question_occurs_twice_in_another_order(scenes: list[Scene]) -> None:
    """A pool of few scenes has few questions about four objects of two images."""
    filler = Filler(QUESTION_TYPES["E7"], ScenePool(scenes[:400]), sizes(60), seed=5, source="paper")
    asked, before = Counter[object](), Counter[str]()
    for row in filler.fill():
        if isinstance(row, Question):
            answer = row.choices["ABCDE".index(row.answer)]
            asked[row.pressure, frozenset(row.choices), answer, frozenset(row.scene_ids)] += 1
        else:
            before.update(row.detail)
    assert {*asked.values()} == {1}
    assert before["asked before"] > 0


def test_the_converse_of_a_side_asks_the_same() -> None:
    """Nor do words like "more" and "fewer" make another question of the same images."""

    def content(fact: Fact, text: str, *scenes: int) -> object:
        return PlacedDraft(Draft(text, (fact,), "", (), ()), scenes, {}).content()

    car, can = Related("car", "right of", "can"), Related("can", "left of", "car")
    assert content(car, "Is there a car to the right of a can?", 1, 2) == content(can, "Is there a can …?", 2, 1)
    assert content(car, "", 1, 2) != content(Related("car", "left of", "can"), "", 1, 2)
    assert content(car, "", 1, 2) != content(car, "", 1, 3)
    cup = Exists("cup")
    assert content(cup, "more, {first} or {second}?", 1, 2) == content(cup, "fewer, {first} or {second}?", 2, 1)
    assert content(cup, "{first} or {second}?", 1, 2, 3) != content(cup, "{first} or {second}?", 1, 3, 2)


def test_crowds_are_seen_but_not_counted(scenes: list[Scene]) -> None:
    first = scenes[0].objects[0]
    crowd = replace(scenes[0], objects=(replace(first, crowd=True),), countable=scenes[0].countable - {first.category})
    pool = ScenePool([crowd, *scenes[1:50]])
    from vhbench.generators.mioh.facts import Exists, Quantity

    assert 0 in pool.scenes_of(pool.truth(Exists(first.category)).yes)
    assert not any(0 in pool.scenes_of(pool.truth(Quantity(first.category, n)).yes) for n in range(6))


@pytest.mark.parametrize(
    ("side", "visible", "known"), [(50, 1.0, True), (40, 1.0, False), (90, 0.3, False), (110, 0.3, True)]
)
def test_an_image_with_one_that_may_be_missed_is_not_counted(side: int, visible: float, known: bool) -> None:
    """Of a million pixels, 40 × 40 are 0.16 %, and 90 × 90 of which two thirds are hidden are as easily missed."""
    from vhbench.generators.mioh.facts import Exists, Quantity

    large = SceneObject(0, "dog", (100, 100, 300, 300), 90_000, visible_fraction=1.0, in_frame_fraction=1.0)
    doubt = replace(large, id=1, box=(600, 600, side, side), area=side * side, visible_fraction=visible)
    words = frozenset({"dog", "cat"})
    pool = ScenePool([Scene("s", b"", 1000, 1000, (large, doubt), known=words, countable=words)])
    told = {n: number for number in range(4) for n in pool.scenes_of(pool.truth(Quantity("dog", number)).yes)}
    assert told == ({0: 2} if known else {})
    assert bool(len(pool.scenes_of(pool.truth(Quantity("dog", 1)).no))) == known
    assert len(pool.scenes_of(pool.truth(Exists("dog")).yes)) == 1


def test_real_photos_through_the_same_code(reference: Path) -> None:
    photos = CocoScenes(reference / "coco_mini" / "instances_val2017.json", reference / "coco_mini" / "val2017")
    by_id = {scene.id: scene for scene in photos}
    pool, asked = ScenePool(photos), 0
    for kind in QUESTION_TYPES.values():
        for made in Filler(kind, pool, sizes(5), seed=0, source="coco").fill():
            if isinstance(made, Question):
                asked += 1
                check(made, by_id, words_of(by_id))
    assert asked > 60


def test_cell_sizes_are_the_papers() -> None:
    table = sizes("paper")
    assert sum(sum(cells.values()) for cells in table.values()) == 3484
    for task, groups in PAPER.items():
        own = [table[kind.id] for kind in QUESTION_TYPES.values() if kind.task == task]
        assert sum(cells["hp"] for cells in own) == groups["hp"]
        assert sum(cells.get(f"ni{n}", 0) for cells in own for n in (2, 4, 8, 10)) == groups["ni"]
    with pytest.raises(VhbenchError, match="unknown task 'smell', expected one of existence"):
        sizes({"smell": {"easy": 1}})
    with pytest.raises(VhbenchError, match="expected paper, a number"):
        sizes("many")


@pytest.mark.parametrize("number", [1, 2])
def test_small_cells_ask_with_numbers_of_images_that_press(number: int) -> None:
    for cells in sizes(number).values():
        assert {name for name, count in cells.items() if count and name.startswith("ni")} <= {"ni8", "ni10"}
        assert cells["ni8"] + cells["ni10"] == number


def test_each_wrong_option_has_its_place(questions: list[Question], scenes: list[Scene]) -> None:
    """Oracles that see one image, or no counts, owners of colours or sides, reach no more than the forms allow."""
    by_id = {scene.id: scene for scene in scenes}
    found: restricted_oracles.Figures = {}
    for question in questions:
        restricted_oracles.add(found, question, [by_id[name] for name in question.scene_ids])
    assert restricted_oracles.leaks(found) == []
    assert found["presence"]["C3", "easy"].share <= 0.34
    assert found["presence"]["E1", "easy"].share == 1
    for view, task in (("presence", "P"), ("presence", "A"), ("unbound", "A"), ("values", "A")):
        cells = [cell for (kind, _), cell in found[view].items() if kind[0] == task]
        pooled = sum(cells, restricted_oracles.Reached())
        assert pooled.number >= 200
        assert pooled.share <= pooled.bound + 0.01


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1], "cells: expected paper, a number (0 or more), or a JSON file"),
        (True, "cells: expected paper, a number (0 or more), or a JSON file"),
        (-1, "cells: expected paper, a number (0 or more), or a JSON file"),
        ({"existence": 3}, "cells: existence: expected pressure → number"),
        ({"existence": {"ni": 2.5}}, "cells: existence, ni: expected a whole number, 0 or more"),
        ({"existence": {"ni": True}}, "cells: existence, ni: expected a whole number, 0 or more"),
        (
            {"existence": {"ni2": 1}},
            "cells: existence: unknown pressure 'ni2', expected one of easy, ni, hp, hn, hp+hn",
        ),
    ],
)
def test_odd_cells_are_refused_in_one_line(cells: Any, message: str) -> None:
    with pytest.raises(VhbenchError) as caught:
        sizes(cells)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_photos_that_are_compared_by_an_attribute_show_about_as_many_categories(
    scenes: list[Scene], questions: list[Question]
) -> None:
    """Else their number tells distractors, in which another object has the attribute, from the right image."""
    by_id, spread = {scene.id: scene for scene in scenes}, Counter[str]()
    for question in questions:
        numbers = [len(by_id[name].categories()) for name in question.scene_ids]
        spread[question.question_type] = max(spread[question.question_type], max(numbers) - min(numbers))
    assert spread["A5"] <= 3 < spread["E7"], spread
