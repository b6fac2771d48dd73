"""Answers MIOH questions from their English and the scenes: written apart from the generator, slow and plain."""

import re
from collections.abc import Iterable, Mapping, Sequence

from vhbench.language.inflection import plural_forms
from vhbench.schema import Question, Scene, SceneObject

ODD_PLURALS = {"people": "person", "knives": "knife", "mice": "mouse", "sheep": "sheep",
               "computer mice": "computer mouse",
               "buses": "bus", "wine glasses": "wine glass", "men": "man", "women": "woman",
               "children": "child"}  # fmt: skip
MEASURES = ("pair of ", "pairs of ", "piece of ", "pieces of ", "roll of ", "rolls of ")
RELATIONS = {"to the left of": "left of", "to the right of": "right of"} | {
    word: word for word in ("in front of", "behind", "above", "below", "on", "under", "next to", "inside")
}
WORDS = {"wooden": "wood", "woollen": "wool"}


class Words(frozenset[str]):
    """All categories, and for every attribute's value the types that it is a value of."""

    kinds: dict[str, set[str]]


def noun(text: str, vocabulary: Iterable[str]) -> str:
    """Return the category that a (plural) noun names."""
    for measure in MEASURES:
        text = text.removeprefix(measure)
    guesses = [
        text,
        ODD_PLURALS.get(text, ""),
        text.removesuffix("s"),
        text.removesuffix("es"),
        re.sub("ies$", "y", text),
    ]
    for guess in guesses:
        if guess in vocabulary:
            return guess
    for name in sorted(vocabulary):
        if text in plural_forms(name):
            return name
    raise AssertionError(f"no category for {text!r}")


def bare(text: str) -> str:
    return re.sub(r"^(an?|the) ", "", text)


def holds(phrase: str, scene: Scene, vocabulary: Words) -> bool | None:
    """Is a noun phrase true of a scene? None: unknown."""
    phrase = bare(phrase)
    number = re.fullmatch(r"(\d+) (.+)", phrase)
    if number:
        found = how_many(noun(number[2], vocabulary), scene)
        return None if found is None else found == int(number[1])
    action = re.fullmatch(r"(.+) that is (\w+)", phrase)
    if action:
        return has(noun(action[1], vocabulary), action[2], scene, vocabulary)
    for words, predicate in RELATIONS.items():
        if f" {words} " in phrase:
            subject, anchor = phrase.split(f" {words} ", 1)
            return relation(noun(bare(subject), vocabulary), predicate, noun(bare(anchor), vocabulary), scene)
    try:
        return exists(noun(phrase, vocabulary), scene)
    except AssertionError:
        pass
    pieces = phrase.split()
    for cut in range(1, len(pieces)):
        rest = " ".join(pieces[cut:])
        for measure in MEASURES:
            rest = rest.removeprefix(measure)
        if rest in vocabulary:
            value = " ".join(pieces[:cut])
            return has(rest, WORDS.get(value, value), scene, vocabulary)
    raise AssertionError(f"cannot read {phrase!r}")


def exists(category: str, scene: Scene) -> bool | None:
    if any(o.category == category for o in scene.objects) or category in scene.areas:
        return True
    return False if category in scene.known else None


def how_many(category: str, scene: Scene) -> int | None:
    things = [o for o in scene.objects if o.category == category]
    return len(things) if category in scene.countable and not any(o.crowd for o in things) else None


def has(category: str, value: str, scene: Scene, vocabulary: Words) -> bool | None:
    things = [o for o in scene.objects if o.category == category]
    if any((kind, value) in o.attributes for o in things for kind in o.known_attributes):
        return True
    if not things:
        return exists(category, scene)
    sure = all(value not in [v for _, v in o.attributes] for o in things)
    kinds = vocabulary.kinds[value]
    known = all(kinds <= o.known_attributes for o in things) and category in scene.countable
    return False if sure and known else None


def relation(subject: str, predicate: str, anchor: str, scene: Scene) -> bool | None:
    ones = [o for o in scene.objects if o.category == subject]
    others = [o for o in scene.objects if o.category == anchor]
    if not ones or not others:
        return False if exists(subject, scene) is False or exists(anchor, scene) is False else None
    verdicts = [between(x, predicate, y, scene) for x in ones for y in others]
    if any(verdicts):
        return True
    complete = {subject, anchor} <= scene.countable
    return False if complete and all(v is False for v in verdicts) else None


def between(x: SceneObject, predicate: str, y: SceneObject, scene: Scene) -> bool | None:
    if predicate == "right of":
        x, y, predicate = y, x, "left of"
    if predicate == "left of":
        if x.box[0] + x.box[2] <= y.box[0] + 0.01:
            return True
        return False if x.box[0] + x.box[2] / 2 >= y.box[0] + y.box[2] / 2 - 0.01 else None
    held = {(r.subject, r.predicate, r.object) for r in scene.relations}
    if (x.id, predicate, y.id) in held:
        return True
    opposite = {"above": "below", "below": "above", "in front of": "behind", "behind": "in front of", "on": "under",
                "under": "on"}.get(predicate)  # fmt: skip
    against = (x.id, opposite, y.id) in held or (opposite is not None and (y.id, predicate, x.id) in held)
    return False if predicate in scene.known_predicates or against else None


def truth(question: Question, scenes: Sequence[Scene], vocabulary: Words) -> str:
    """Return the right answer: "yes", "no", or the words of the right option."""
    text = question.question
    options = [o for o in question.choices if o not in ("None of the above", "I don't know")]

    def each(phrase: str) -> list[bool]:
        found = [holds(phrase, scene, vocabulary) for scene in scenes]
        assert None not in found, f"{question.id}: {phrase!r} is unknown in {question.scene_ids[found.index(None)]}"
        return [bool(v) for v in found]

    def only(right: list[str]) -> str:
        assert len(right) <= 1, f"{question.id}: several right options {right}"
        return right[0] if right else "None of the above"

    def counts(name: str, some: Sequence[Scene] = scenes) -> list[int]:
        found = [how_many(noun(name, vocabulary), s) for s in some]
        assert all(n is not None and n <= 5 for n in found), f"{question.id}: counts {found}"
        return [n for n in found if n is not None]

    if match := re.fullmatch(r"Is there (.+) in any of the images\?", text):
        return "yes" if any(each(match[1])) else "no"
    if match := re.fullmatch(r"Is there (.+) in every image\?", text):
        return "yes" if all(each(match[1])) else "no"
    if "at least one of the images" in text:
        return only([o for o in options if any(each(o))])
    if "in all of the images" in text:
        return only([o for o in options if all(known(holds(o, s, vocabulary), s) for s in scenes)])
    if match := re.fullmatch(r"(?:Which image shows exactly|Which image shows|Where is) \"?([^,]+?)\"?\?", text):
        return only([f"Image {i + 1}" for i, found in enumerate(each(match[1])) if found])
    if match := re.fullmatch(r"Which of Image (\d+) and Image (\d+) shows (.+)\?", text):
        i, j = int(match[1]), int(match[2])
        first, second = (holds(match[3], scenes[k - 1], vocabulary) for k in (i, j))
        assert None not in (first, second)
        if first == second:
            return "Both" if first else "Neither"
        return f"Image {i if first else j}"
    if match := re.fullmatch(r"Which .+ in Image (\d+) and not in Image (\d+)\?", text):
        one, two = scenes[int(match[1]) - 1], scenes[int(match[2]) - 1]
        return only([o for o in options if first_only(o, one, two, vocabulary)])
    if match := re.fullmatch(r"In how many images are there any (.+)\?", text):
        return str(sum(each(noun(match[1], vocabulary))))
    if match := re.fullmatch(r"How many (.+) are there in all images together\?", text):
        total = str(sum(counts(match[1])))
        return total if total in options else "None of the above"
    if match := re.fullmatch(r"Which object occurs exactly (\d+) times in all images together\?", text):
        return only([o for o in options if sum(counts(o)) == int(match[1])])
    match = re.fullmatch(r"Which image shows (more|fewer) (.+), Image (\d+) or Image (\d+)\?", text)
    assert match, f"unknown form {text!r}"
    a, b = counts(match[2], [scenes[int(match[3]) - 1], scenes[int(match[4]) - 1]])
    if a == b:
        return "Both show the same number" if a else "Neither shows any"
    return f"Image {match[3] if (a > b) == (match[1] == 'more') else match[4]}"


def first_only(option: str, one: Scene, two: Scene, vocabulary: Words) -> bool:
    first, second = holds(option, one, vocabulary), holds(option, two, vocabulary)
    if first is False or second is True:
        return False
    assert (first, second) == (True, False), f"{option} is unknown"
    return True


def known(value: bool | None, scene: Scene) -> bool:
    """For "in all": an unknown beside a certain "no" elsewhere does no harm; counted as shown, the strict reading."""
    return value is not False


def words_of(by_id: Mapping[str, Scene]) -> Words:
    words = Words(frozenset().union(*{s.known | s.categories() for s in by_id.values()}))
    words.kinds = {}
    for scene in by_id.values():
        for thing in scene.objects:
            for kind, value in thing.attributes:
                words.kinds.setdefault(value, set()).add(kind.removeprefix("partly "))
    return words


def faults(questions: Sequence[Question], scenes: Iterable[Scene]) -> list[str]:
    """Return what is wrong with the answers: one line for each that is not the only right one."""
    by_id = {scene.id: scene for scene in scenes}
    vocabulary = words_of(by_id)
    found = []
    for question in questions:
        try:
            check(question, by_id, vocabulary)
        except AssertionError as error:
            found.append(f"{question.id}: {error}")
    return found


def check(question: Question, by_id: Mapping[str, Scene], vocabulary: Words) -> None:
    """Fail unless the question's answer is the right one, and the only right one."""
    right = truth(question, [by_id[i] for i in question.scene_ids], vocabulary)
    given = question.answer
    if question.kind == "multiple_choice":
        assert len(set(question.choices)) == len(question.choices)
        given = question.choices["ABCDE".index(given)]
    if right not in ("yes", "no") and right not in question.choices and "None of the above" in question.choices:
        right = "None of the above"
    assert given == right, f"{question.id}: {question.question} {question.choices}: {given!r}, but {right!r}"
