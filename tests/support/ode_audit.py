"""An examiner that reads questions as a person would: from the English alone, against the scene alone.

It shares no code with the generator: its grammar, its plurals and its idea of what a scene says are its own.
"""

import re

from vhbench.schema import Question, Scene

MASS = set(
    "bacon bamboo beer bread broccoli cheese coffee cola foil ginger grass juice meat milk money paper rice sand "
    "sanitizer sauce shampoo snow tape toothpaste water".split()
)
PLURALS = set(
    "blueberries cherries chips chopsticks grapes headphones peas scissors skis slippers stairs sunglasses "
    "toothpicks".split()
)
NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
ODD = {"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "knives": "knife"}
ODD |= {
    "wolves": "wolf",
    "scarves": "scarf",
    "bookshelves": "bookshelf",
    "geese": "goose",
    "leaves": "leaf",
    "shoes": "shoe",
    "ties": "tie",
    "canoes": "canoe",
}
SAME = {"sheep", "deer", "fish", "shrimp"}
PLACES = {
    "a sports court": "court",
    "a running track": "track",
    "a coral reef": "reef",
}
COLOURS = {"red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray"}
STATES = {"open", "closed", "lit", "unlit", "full", "empty"}
ARTICLE = r"(?P<article>a |an |)"


def audit(question: Question, scene: Scene) -> str:
    """Return what is wrong with a yes/no question, or ""."""
    text = question.question
    if not re.fullmatch(r"[A-Z][a-z]+( [a-z][a-z-]*)+\?", text):
        return "not one plain sentence"
    truth = answer(text, scene)
    if isinstance(truth, str):
        return truth
    return "" if ("yes" if truth else "no") == question.answer else f"the scene says {truth}"


def answer(text: str, scene: Scene) -> bool | str:
    """Return the answer that a scene gives to a question, or why it gives none."""
    for pattern, read in (
        (r"(?P<verb>Is|Are) there exactly (?P<number>[a-z]+) (?P<noun>.+) in the image\?", _number),
        (rf"(?P<verb>Is|Are) there {ARTICLE}(?P<noun>.+) in the image\?", _there),
        (r"Does the image show (?P<place>.+)\?", _place),
        (r"Is it (?P<when>night|a sunny day) in the image\?", _weather),
        (r"Is the sky (?P<when>overcast) in the image\?", _weather),
        (r"(?P<verb>Is|Are) the (?P<a>.+) (to the left of|to the right of|above|below) the (?P<b>.+) in .+", _relation),
        (r"(?P<verb>Is|Are) the (?P<noun>.+) in the image (?P<value>[a-z]+)\?", _property),
    ):
        match = re.fullmatch(pattern, text)
        if match:
            return read(scene, match)
    return "not a form that people know"


def singular(noun: str) -> str:
    *front, last = noun.split()
    if last in ODD:
        last = ODD[last]
    elif last.endswith("men"):
        last = last[:-3] + "man"
    elif last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith(("oes", "ches", "shes", "sses", "xes", "buses")):
        last = last[:-2]
    elif last not in SAME and last.endswith("s"):
        last = last[:-1]
    elif last not in SAME:
        return "?"
    return " ".join([*front, last])


def _there(scene: Scene, match: re.Match[str]) -> bool | str:
    noun, article = match["noun"], match["article"].strip()
    vowel = noun[0] in "aeiou" and noun != "urinal"
    bare = noun.split()[-1] in MASS | PLURALS
    if article != ("" if bare else "an" if vowel else "a"):
        return f"article {article!r} before {noun!r}"
    if (match["verb"] == "Are") != (noun.split()[-1] in PLURALS):
        return "verb and noun disagree"
    return noun in scene.categories() if noun in scene.known else f"{noun!r} is not known"


def _place(scene: Scene, match: re.Match[str]) -> bool | str:
    place = match["place"]
    if place in PLACES:
        word = PLACES[place]
    else:
        article, _, word = place.partition(" ")
        if not word or article not in ("a", "an", "the"):
            article, word = "", place
        vowel = word[0] in "aeiou"
        expected = (
            "" if word in MASS else "the" if word in ("sea", "sky", "ground", "floor") else "an" if vowel else "a"
        )
        if article != expected:
            return f"article {article!r} before {word!r}"
    present = word in scene.areas or word == scene.environment
    return present if word in scene.known else f"{word!r} is not known"


def _number(scene: Scene, match: re.Match[str]) -> bool | str:
    number = NUMBERS[match["number"]]
    noun = match["noun"] if number == 1 else singular(match["noun"])
    if (match["verb"] == "Is") != (number == 1):
        return "verb and number disagree"
    if noun in MASS | PLURALS or noun not in scene.known:
        return f"{noun!r} cannot be counted"
    counted = scene.count(noun)
    return f"the number of {noun!r} is not known" if counted is None else counted == number


def _property(scene: Scene, match: re.Match[str]) -> bool | str:
    noun, value, number = match["noun"], match["value"], 1
    first, _, rest = noun.partition(" ")
    if first in NUMBERS:
        number, noun = NUMBERS[first], singular(rest)
    things = [o for o in scene.objects if o.category == noun]
    if len(things) != number:
        return f"{len(things)} × {noun!r}, not {number}"
    if (match["verb"] == "Are") != (number > 1 or noun.split()[-1] in PLURALS):
        return "verb and noun disagree"
    kind = "colour" if value in COLOURS else "state" if value in STATES else "action"
    if any(kind not in o.known_attributes for o in things):
        return f"the {kind} of {noun!r} is not known"
    holds = {(kind, value) in o.attributes for o in things}
    return holds.pop() if len(holds) == 1 else f"only some of {noun!r} are {value}"


def _weather(scene: Scene, match: re.Match[str]) -> bool | str:
    if "sky" not in scene.areas:
        return "no sky"
    return {"night": "night", "a sunny day": "sunny", "overcast": "gloomy"}[match["when"]] == scene.environment_state


def _relation(scene: Scene, match: re.Match[str]) -> bool | str:
    ids = {noun: [o.id for o in scene.objects if o.category == noun] for noun in (match["a"], match["b"])}
    if any(len(found) != 1 for found in ids.values()):
        return "not one of each"
    predicate = match[3].removeprefix("to the ")
    (a,), (b,) = ids.values()
    held = {(r.subject, r.predicate, r.object) for r in scene.relations}
    return (a, predicate, b) in held
