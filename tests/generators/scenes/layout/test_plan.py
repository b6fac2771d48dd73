"""From a spec to wishes, with a generator whose numbers are told."""

import numpy as np
import pytest
from small_stage import FLAT, Dealt, wish

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.drawings.sprites import Look
from vhbench.generators.scenes.environments.atlas import ENVIRONMENTS
from vhbench.generators.scenes.layout import plan
from vhbench.generators.scenes.layout.plan import Locale, Refusal
from vhbench.schema import ObjectSpec, SceneSpec, VhbenchError

HERE = Locale(FLAT, "sunny")


def spec(*objects: ObjectSpec, **options) -> SceneSpec:
    return SceneSpec("s", objects, **options)


def locale(name: str, state: str = "") -> Locale:
    return Locale(ENVIRONMENTS[name], state or ENVIRONMENTS[name].states[0])


@pytest.mark.parametrize(
    ("objects", "options", "reason"),
    [
        ([ObjectSpec("sound")], {}, "no drawing"),
        ([ObjectSpec("chair", count=11)], {}, "too many objects"),
        ([ObjectSpec("chair", count=6), ObjectSpec("dog", count=5)], {}, "too many objects"),
        ([ObjectSpec("bread", count=2)], {}, "not countable"),
        ([ObjectSpec("banana", colour="blue")], {}, "no such colour"),
        ([ObjectSpec("man", colour="green")], {}, "no such colour"),
        ([ObjectSpec("car", action="running")], {}, "no such action"),
        ([ObjectSpec("umbrella", state="broken")], {}, "no such state"),
        ([ObjectSpec("tree")], {"absent": ("tree",)}, "word both present and absent"),
        ([ObjectSpec("dog")], {"absent": ("wolf",)}, "word both present and absent"),
        ([ObjectSpec("cup"), ObjectSpec("apple")], {"relations": ((0, "on", 1),)}, "object cannot carry another"),
        ([ObjectSpec("dog"), ObjectSpec("car")], {"relations": ((0, "left of", 1), (1, "left of", 0))}, "contradict"),
        ([ObjectSpec("dog"), ObjectSpec("car")], {"relations": ((0, "left of", 1), (0, "right of", 1))}, "contradict"),
    ],
)
def test_what_cannot_be_drawn_is_refused(objects, options, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        plan.check(spec(*objects, **options))


@pytest.mark.parametrize(
    ("objects", "options"),
    [
        ([ObjectSpec("chair", count=10)], {"width": 64, "height": 4096}),
        ([ObjectSpec("bread"), ObjectSpec("umbrella", state="closed"), ObjectSpec("dog", action="stand")], {}),
        ([ObjectSpec("banana", colour="yellow"), ObjectSpec("car", colour="blue", size="tiny")], {"absent": ("dog",)}),
        ([ObjectSpec("cup"), ObjectSpec("table")], {"relations": ((0, "on", 1),)}),
        ([ObjectSpec("dog"), ObjectSpec("cat")], {"relations": ((0, "next to", 1), (1, "next to", 0))}),
        ([ObjectSpec("dog"), ObjectSpec("cat")], {"relations": ((0, "left of", 1), (1, "right of", 0))}),
    ],
)
def test_what_can_be_drawn_is_not(objects, options) -> None:
    assert [entry.word for entry in plan.check(spec(*objects, **options))] == [thing.category for thing in objects]


@pytest.mark.parametrize(
    ("objects", "options", "message"),
    [
        ([ObjectSpec("car", count=0)], {}, "scene s: car: count: expected at least 1, got 0"),
        ([ObjectSpec("car", hard=("ugly",))], {}, "scene s: car: unknown hard positive 'ugly'"),
        ([ObjectSpec("car", size="huge")], {}, "scene s: car: unknown size 'huge', expected one of tiny, small"),
        ([ObjectSpec("car")], {"width": 63}, "63x512 pixels"),
        ([ObjectSpec("car")], {"height": 4097}, "512x4097 pixels"),
        ([ObjectSpec("car"), ObjectSpec("cup")], {"relations": ((0, "eats", 1),)}, "scene s: unknown relation 'eats'"),
        ([ObjectSpec("car")], {"relations": ((0, "on", 1),)}, "must join two of its objects"),
        ([ObjectSpec("car")], {"relations": ((1, "on", 0),)}, "must join two of its objects"),
        ([ObjectSpec("car")], {"relations": ((0, "on", 0),)}, "must join two of its objects"),
        ([ObjectSpec("car"), ObjectSpec("cup")], {"relations": ((-1, "on", 0),)}, "must join two of its objects"),
    ],
)
def test_malformed_specs_are_errors(objects, options, message: str) -> None:
    with pytest.raises(VhbenchError, match=message):
        plan.check(spec(*objects, **options))


@pytest.mark.parametrize(
    ("relations", "name", "stands"),
    [
        (((0, "above", 1),), "park", True),
        (((1, "below", 0),), "park", True),
        (((0, "below", 1),), "park", False),
        (((0, "above", 1), (0, "on", 2)), "park", False),  # something carries it
        (((0, "above", 1),), "sky", False),
        (((1, "above", 0),), "park", False),  # a kite flies
        (((0, "left of", 1),), "park", False),
    ],
)
def test_what_stands_on_the_ground_is_not_above(relations, name: str, stands: bool) -> None:
    asked = spec(ObjectSpec("dog"), ObjectSpec("kite"), ObjectSpec("table"), relations=relations)
    entries = [catalog.find(thing.category) for thing in asked.objects]
    if stands:
        with pytest.raises(Refusal, match="object belongs on the ground"):
            plan.check_height(asked, entries, locale(name))
    else:
        plan.check_height(asked, entries, locale(name))


@pytest.mark.parametrize(
    ("objects", "options", "reason"),
    [
        (("car",), {"environment": "moon base"}, "no such environment"),
        (("car",), {"environment": "kitchen", "state": "snowy"}, "no such state"),
        (("tree",), {"environment": "forest"}, "object already part of the environment"),
    ],
)
def test_no_environment_is_a_reason(objects, options, reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        chosen(spec(*map(ObjectSpec, objects), **options))


@pytest.mark.parametrize(
    ("word", "homes", "strange"),
    [
        ("couch", ("kitchen", "office"), ("grass", "reef")),  # indoor
        ("car", ("street", "beach"), ("kitchen", "reef")),  # outdoor
        ("dog", ("street", "kitchen"), ("reef",)),  # anywhere but under water
        ("train", ("railway",), ("street", "kitchen")),  # where there are rails
        ("fish", ("reef", "sea"), ("kitchen", "street")),
    ],
)
def test_things_are_at_home_in_their_habitat(word: str, homes, strange) -> None:
    assert [name for name in (*homes, *strange) if plan.at_home(catalog.find(word), locale(name))] == list(homes)


@pytest.mark.parametrize(
    ("word", "name", "place"),
    [
        ("dog", "street", "ground"),
        ("dog", "sea", "water"),
        ("dog", "sky", "air"),
        ("cup", "reef", "table"),
        ("boat", "street", "ground"),
        ("mirror", "street", "ground"),
        ("mirror", "kitchen", "wall"),
        ("kite", "kitchen", "air"),
        ("kite", "reef", None),
    ],
)
def test_a_thing_goes_to_the_next_best_place(word: str, name: str, place: str | None) -> None:
    assert plan.place_of(catalog.find(word), locale(name)) == place


@pytest.mark.parametrize(
    ("objects", "options", "fits"),
    [
        (("dog",), {}, True),
        (("tree",), {}, False),  # the park paints trees
        (("dog",), {"environment": "park"}, True),
        (("dog",), {"environment": "path"}, True),  # which the park paints
        (("dog",), {"environment": "window"}, False),
        (("dog",), {"absent": ("cat",)}, True),
        (("dog",), {"absent": ("tree",)}, False),
        (("dog",), {"absent": ("wolf",)}, False),  # which a dog puts in doubt
        (("dog",), {"absent": ("unheard of",)}, True),
    ],
)
def test_an_environment_fits_what_is_shown_and_what_is_not(objects, options, fits: bool) -> None:
    asked = spec(*map(ObjectSpec, objects), **options)
    names = frozenset(catalog.find(word).name for word in objects)
    absent = frozenset(map(catalog.readable, asked.absent))
    assert plan._fits(locale("park"), asked.environment, names, absent) is fits


def test_an_environment_without_a_place_for_a_thing_does_not_fit() -> None:
    kite = catalog.find("kite")
    assert not {o.environment.name for o in plan._fitting(spec(ObjectSpec("kite")), [kite])} & {"reef"}
    with pytest.raises(Refusal, match="object already part of the environment"):
        plan._fitting(spec(ObjectSpec("kite"), environment="reef"), [kite])


class Largest(Dealt):
    """Deals the largest number, and takes the likeliest of several."""

    def choice(self, number: int, p: np.ndarray) -> int:
        assert number == len(p)
        assert sum(p) == pytest.approx(1)
        self.weights = getattr(self, "weights", [])
        self.weights.append([round(float(share), 6) for share in p])
        return int(np.argmax(p))


def chosen(asked: SceneSpec, among: tuple[str, ...] = ()) -> tuple[Locale, list[list[float]]]:
    random = Largest(0.99)
    return plan.choose_locale(asked, [catalog.find(o.category) for o in asked.objects], random, among), random.weights  # type: ignore[arg-type]


def test_environments_and_states_are_chosen_by_weight() -> None:
    found, (places, states) = chosen(spec(ObjectSpec("dog")), ("sky", "street"))
    assert places == [1.0]  # a dog has no place of its own in the sky
    assert (found.environment.name, found.state, found.variant) == ("street", "sunny", 3)
    assert states == pytest.approx([10 / 17, 2 / 17, 2 / 17, 1 / 17, 2 / 17], abs=1e-6)  # night is rarer
    _, (places, _) = chosen(spec(ObjectSpec("kite")), ("sky", "street", "sea"))
    assert places == [0.2, 0.2, 0.6]  # sea, sky and street, which has ground
    found, (_, states) = chosen(spec(ObjectSpec("dog"), environment="street", state="night"))
    assert (found.state, states) == ("night", [1.0])
    found, _ = chosen(spec(ObjectSpec("couch"), ObjectSpec("dog")), ("street", "kitchen"))
    assert found.environment.name == "kitchen"  # where both are at home
    found, (places, _) = chosen(spec(ObjectSpec("dog"), environment="sea"))
    assert (found.environment.name, places) == ("sea", [1.0])
    with pytest.raises(Refusal, match="no permitted environment"):
        chosen(spec(ObjectSpec("dog")), ("moon",))


@pytest.mark.parametrize(
    ("thing", "numbers", "look"),
    [
        # colour: below 0.6 one of the colours; flip: the next; then no variant for what is not a creature
        (ObjectSpec("car"), (0.59, 0.0, 0.0), Look("car", "red")),
        (ObjectSpec("car"), (0.6, 0.99), Look("car", flip=True)),
        (ObjectSpec("car", colour="blue"), (0.0,), Look("car", "blue")),
        (ObjectSpec("banana", colour="yellow"), (0.0,), Look("banana")),
        # action: below 0.5 one of them; a creature's variant is the last
        (ObjectSpec("dog"), (0.9, 0.49, 0.0, 0.0, 0.5), Look("dog", action="walking", variant=6)),
        (ObjectSpec("dog"), (0.9, 0.5, 0.99, 0.0), Look("dog", flip=True)),
        (ObjectSpec("dog", action="run"), (0.9, 0.0, 0.99), Look("dog", action="running", variant=11)),
        # state: below 0.3 another than the usual
        (ObjectSpec("umbrella"), (0.9, 0.29, 0.0), Look("umbrella", state="closed")),
        (ObjectSpec("umbrella"), (0.9, 0.3, 0.0), Look("umbrella", state="open")),
        (ObjectSpec("umbrella", state="closed"), (0.9, 0.0), Look("umbrella", state="closed")),
    ],
)
def test_what_a_spec_leaves_open_is_drawn_at_random(thing: ObjectSpec, numbers, look: Look) -> None:
    assert plan._look(thing, catalog.find(thing.category), Dealt(*numbers)) == look  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("objects", "relations", "number", "perch"),
    [
        (("cup", "table"), (), 0.84, 1),
        (("cup", "table"), (), 0.85, -1),
        (("cup", "couch"), (), 0.0, -1),  # which is no table
        (("dog", "table"), (), 0.0, -1),
        (("cup", "table"), ((0, "left of", 1),), 0.0, -1),
        (("cup", "table", "dog"), ((2, "left of", 0),), 0.0, -1),
        (("cup", "table", "dog"), ((2, "left of", 1),), 0.0, 1),
        (("cup",), (), 0.0, -1),
    ],
)
def test_small_things_are_put_on_tables(objects, relations, number: float, perch: int) -> None:
    asked = spec(*map(ObjectSpec, objects), relations=relations)
    entries = [catalog.find(word) for word in objects]
    assert plan._perch(asked, 0, entries, Dealt(number)) == perch  # type: ignore[arg-type]
    hard = spec(ObjectSpec("cup", hard=("small",)), ObjectSpec("table"))
    assert plan._perch(hard, 0, [catalog.find("cup"), catalog.find("table")], Dealt(0.0)) == -1  # type: ignore[arg-type]


def test_there_is_a_wish_for_each_thing() -> None:
    asked = spec(ObjectSpec("cup", count=2, size="small"), ObjectSpec("table"), ObjectSpec("kite", hard=("truncated",)))
    entries = [catalog.find(thing.category) for thing in asked.objects]
    found = plan.wishes(asked, entries, HERE, Dealt(0.0))  # type: ignore[arg-type]
    assert [(w.spec, w.entry.word, w.place, w.size, w.hard, w.perch) for w in found] == [
        (0, "cup", "table", "small", (), 1),
        (0, "cup", "table", "small", (), 1),
        (1, "table", "ground", "", (), -1),
        (2, "kite", "air", "", ("truncated",), -1),
    ]


@pytest.mark.parametrize(
    ("near", "far", "hides"),
    [
        (wish("dog", spec=1), wish("dog"), True),
        (wish("dog"), wish("dog"), False),  # a thing does not hide another of its own kind
        (wish("box", spec=1), wish("rock"), True),  # half as large is large enough
        (wish("lamp", spec=1), wish("man"), False),
        (wish("boat", spec=1), wish("dog"), True),
        (wish("kite", spec=1), wish("dog"), False),
        (wish("kite", spec=1), wish("kite", "sky"), True),
        (wish("dog", spec=1, hard=("small",)), wish("dog"), False),
    ],
)
def test_what_could_stand_before_another(near, far, hides: bool) -> None:
    assert plan.can_hide(near, far) is hides


def test_something_to_hide_behind_is_added_where_it_is_missing() -> None:
    def added(*wishes, absent=()) -> list[str]:
        found = plan.occluders(spec(absent=absent), HERE, list(wishes), Dealt(0.0))  # type: ignore[arg-type]
        assert {one.spec for one in found} <= {-1}
        return [one.entry.word for one in found]

    hidden, other = wish("dog", hard=("occluded",)), wish("dog", spec=1, hard=("occluded",))
    assert added(wish("dog")) == []
    assert added(hidden) == ["bush"]
    assert added(hidden, wish("car", spec=2)) == []
    assert added(hidden, other) == ["bush", "bush"]
    assert added(hidden, other, wish("car", spec=2)) == ["bush"]  # the car hides one of them
    assert added(hidden, absent=("bush",)) == ["box"]  # a tree would put a bush in doubt
    assert added(hidden, wish("bush", spec=2, size="tiny", hard=("small",))) == ["box"]
    with pytest.raises(Refusal, match="no object to be occluded by"):
        added(wish("elephant", "wall", hard=("occluded",)))


def test_relations_that_hide_are_on_and_in_front_and_behind() -> None:
    asked = ((0, "on", 1), (2, "left of", 3), (4, "in front of", 0), (5, "behind", 6))
    assert plan.tied(asked) == {0, 1, 4, 5, 6}
