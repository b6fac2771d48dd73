"""Words by what they mean for an answer: stems, synonyms, what excludes what, and what says nothing about a picture.

"sitting", "sits" and "sat" are one word here, and so are "sofa" and "couch". The relations between words are in
``meanings.tsv``; its rows say ``same`` (the first word stands for all), ``apart`` (no two hold of one thing),
``opposite``, ``compare`` (opposite comparatives) and ``kind`` (the first word is what the others are kinds of).
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from vhbench.english import NUMBERS


class Word(NamedTuple):
    """A word of a sentence: what it means, how it is written, and what it does there."""

    stem: str
    surface: str
    role: str
    """"" for content; else "function", "neutral", "verb" (is, has, does), "negation", "doubt", "pronoun", "sign"."""


NEGATIONS: Final = frozenset("no not never neither nor without hardly barely".split())
DOUBTS: Final = frozenset(
    "may might could should perhaps maybe possibly possible if whether unless illusion perceive perception impression"
    " suppose imagine hypothetical".split()
)
VERBS: Final = frozenset("is are was were am be do does did has have had will would can".split())
PRONOUNS: Final = frozenset("it they he she this these that those them him her one ones both".split())
_FUNCTION: Final = frozenset(
    "a an the of to at by for from with as been being having i we you me us my our your its their his and or so then"
    " also there here who which whose where when what how than some any such own very too just well only about into"
    " more most other".split()
)
_FUNCTION_KEPT: Final = frozenset("more most other only".split())
_NEUTRAL: Final = frozenset(
    "image visible present see shown show contain depict display include feature appear seem exist find locate observe"
    " detect notice identify identifiable clear actual real definite certain sure true indeed sign evidence indication"
    " presence sight kind type sort case fact think believe say tell look given provided provide current obvious"
    " apparent likely probable most spot recognize recognise discern view given describe reveal portray capture"
    " illustrate presented pictured depicted based answer question exactly approximate therefore thus hence simple"
    " together absolutely ever overall attached shared thing discernible noticeable mention value portion confirm"
    " correctly instance try confidently single entire whole specific".split()
)
_NEUTRAL_SURFACE: Final = frozenset("can see seen sees saw seeing seems seemed appears appeared seemingly".split())
POSTURES: Final = frozenset(
    "lie stand sit rest position place situate park hang lean locate be perch lay appear visible find put set".split()
)

_IRREGULAR: Final = {
    **dict.fromkeys(("men",), "man"), "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth",
    "mice": "mouse", "geese": "goose", "knives": "knife", "leaves": "leaf", "wolves": "wolf", "loaves": "loaf",
    "shelves": "shelf", "lives": "life", "calves": "calf", "halves": "half", "scarves": "scarf", "sheep": "sheep",
    "sat": "sit", "sitting": "sit", "stood": "stand", "lying": "lie", "lies": "lie", "lain": "lie", "lay": "lie",
    "laying": "lie", "ran": "run", "rode": "ride", "ridden": "ride", "ate": "eat", "eaten": "eat", "drank": "drink",
    "drunk": "drink", "wore": "wear", "worn": "wear", "held": "hold", "threw": "throw", "thrown": "throw",
    "caught": "catch", "fell": "fall", "fallen": "fall", "flew": "fly", "flown": "fly", "swam": "swim",
    "drove": "drive", "driven": "drive", "took": "take", "taken": "take", "gave": "give", "given": "given",
    "went": "go", "gone": "go", "goes": "go", "made": "make", "came": "come", "got": "get", "gotten": "get",
    "broke": "break", "broken": "broken", "written": "write", "wrote": "write", "drew": "draw", "drawn": "draw",
    "hung": "hang", "led": "lead", "left": "left", "kept": "keep", "cut": "cut", "bit": "bite", "bitten": "bite",
    "built": "build", "spoke": "speak", "sang": "sing", "slept": "sleep", "threw_out": "throw", "shot": "shot",
    "dying": "die", "tying": "tie", "found": "find", "said": "say", "told": "tell", "thought": "think",
    "saw": "see", "seen": "see", "shown": "show", "less": "less", "glasses": "glasses", "lenses": "lens",
    "potatoes": "potato", "tomatoes": "tomato", "heroes": "hero", "shoes": "shoe", "buses": "bus", "bus": "bus",
    "gas": "gas", "iris": "iris", "this": "this", "was": "was", "has": "has", "is": "is", "does": "does",
    "tennis": "tennis", "dress": "dress", "bed": "bed", "red": "red", "hundred": "hundred", "something": "thing",
    "anything": "thing", "evening": "evening", "morning": "morning", "ceiling": "ceiling", "building": "building",
    "buildings": "building", "painting": "painting", "paintings": "painting", "king": "king", "ring": "ring",
    "wing": "wing", "string": "string", "spring": "spring", "sing": "sing", "bring": "bring", "swing": "swing",
    "wedding": "wedding", "clothing": "clothes", "clothes": "clothes", "shed": "shed", "sled": "sled", "seed": "seed",
    "weed": "weed", "feed": "feed", "fed": "feed", "need": "need", "speed": "speed", "reed": "reed", "bleed": "bleed",
    "struck": "strike", "stuck": "stick", "won": "win", "lost": "lose", "felt": "feel", "bent": "bent", "bought": "buy",
    "brought": "bring", "taught": "teach", "dug": "dig", "shone": "shine", "blew": "blow", "blown": "blow",
    "grew": "grow", "grown": "grow", "knew": "know", "known": "know", "rose": "rise", "risen": "rise", "sank": "sink",
    "spun": "spin", "swept": "sweep", "woke": "wake", "wove": "weave", "dove": "dive", "met": "meet", "began": "begin",
    "begun": "begin", "chose": "choose", "chosen": "choose", "hid": "hide", "hidden": "hide", "shook": "shake",
    "shaken": "shake", "stolen": "steal", "stole": "steal", "torn": "tear", "tore": "tear", "lit": "lit",
}  # fmt: skip
_COMPARATIVE: Final = re.compile(r"(?:er|est)\Z")
_VOWEL: Final = re.compile(r"[aeiouy]")
_ROUGH: Final = re.compile(
    r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[<>]=?|[=≤≥≠+]|[.,;:!?()\n\"…–—]"
)

_CONTRACTED: Final = (
    (re.compile(r"\b(can|won|shan)'?t\b"), lambda m: {"can": "can not", "won": "will not", "shan": "will not"}[m[1]]),
    (re.compile(r"\bcannot\b"), lambda m: "can not"),
    (re.compile(r"\b(is|are|was|were|do|does|did|has|have|had|would|could|should|might|must|need)n't\b"),
     lambda m: f"{m[1]} not"),
    (re.compile(r"\b(isnt|arent|wasnt|werent|dont|doesnt|didnt|hasnt|havent)\b"), lambda m: f"{m[1][:-2]} not"),
    (re.compile(r"\bain't\b"), lambda m: "is not"),
    (re.compile(r"\b(it|that|there|here|he|she|what|who|this)'s\b"), lambda m: f"{m[1]} is"),
    (re.compile(r"\b(they|we|you|these|those|there)'re\b"), lambda m: f"{m[1]} are"),
    (re.compile(r"\bi'm\b"), lambda m: "i am"),
    (re.compile(r"\b(\w+)'ve\b"), lambda m: f"{m[1]} have"),
    (re.compile(r"\b(\w+)'d\b"), lambda m: f"{m[1]} would"),
    (re.compile(r"\b(\w+)'ll\b"), lambda m: f"{m[1]} will"),
    (re.compile(r"'s\b|s'(?=\s)"), lambda m: "s" if m[0].startswith("s") else ""),
)  # fmt: skip

_PHRASES: Final = {
    "no one": "no person", "no-one": "no person", "nobody": "no person", "noone": "no person", "nothing": "no thing",
    "nowhere": "not present", "nowhere to be seen": "not present", "nowhere to be found": "not present",
    "no longer": "not", "not only": "", "not just": "", "not merely": "", "not necessarily": "possibly",
    "no doubt": "indeed", "no question": "indeed", "without a doubt": "indeed", "without doubt": "indeed",
    "without question": "indeed", "there is no denying that": "indeed", "no fewer than": "at_least",
    "no less than": "at_least", "not less than": "at_least", "not fewer than": "at_least", "no more than": "at_most",
    "not more than": "at_most", "at least": "at_least", "at most": "at_most", "up to": "at_most",
    "more than": "more than", "rather than": "without", "instead of": "without", "as opposed to": "without",
    "other than": "without", "unlike": "without", "free of": "without", "free from": "without", "devoid of": "without",
    "empty of": "without", "void of": "without", "in the absence of": "without", "the absence of": "no",
    "lacks": "does not have", "lack": "not have", "lacking": "not having", "lacked": "did not have",
    "a lack of": "no", "lack of": "no", "fails to": "does not", "fail to": "not", "failed to": "did not",
    "failing to": "not", "absent from": "not present", "absent": "not present", "missing from": "not present",
    "missing": "not present", "not a single": "no", "not one": "no", "not any": "no", "zero": "no",
    "0": "no", "none of": "no", "none": "no thing", "neither of": "no", "nary": "no",
    "in front of": "front", "ahead of": "front", "in back of": "behind", "next to": "beside", "close to": "near",
    "on top of": "on", "on the top of": "on", "to the left of": "left", "to the right of": "right",
    "to the left": "left", "to the right": "right", "on the left side of": "left", "on the right side of": "right",
    "on the left of": "left", "on the right of": "right", "on the left side": "left", "on the right side": "right",
    "on the left hand side": "left", "on the right hand side": "right", "on the left": "left", "on the right": "right",
    "at the left": "left", "at the right": "right", "left of": "left", "right of": "right",
    "in the left": "left", "in the right": "right", "on top": "top", "upside down": "upside_down",
    "united states of america": "usa", "united states": "usa", "u.s.a.": "usa", "u.s.": "usa", "the us": "usa",
    "united kingdom": "uk", "u.k.": "uk", "made of": "", "made out of": "", "made from": "",
    "in colour": "", "in color": "", "coloured": "", "colored": "", "colour": "colour", "color": "colour",
    "colors": "colour", "colours": "colour", "switched on": "on", "turned on": "on", "switched off": "off",
    "turned off": "off", "greater than or equal to": ">=", "less than or equal to": "<=",
    "it is false that": "not", "it is not true that": "not", "it is untrue that": "not", "it is not the case that": "not",
    "it is incorrect that": "not", "it is incorrect to say that": "not", "it is false to say that": "not",
    "it is wrong to say that": "not", "it would be wrong to say that": "not", "it is not correct that": "not",
    "it is not correct to say that": "not", "it is not accurate to say that": "not", "it is not right that": "not",
    "it is true that": "", "it is correct that": "", "it is right that": "", "it is the case that": "",
    "it is correct to say that": "", "it is accurate to say that": "", "it is true to say that": "",
    "i would say": "", "i would guess": "", "would say": "", "could not": "can not", "as well as": "and",
    "along with": "and", "together with": "and", "a couple of": "two", "a pair of": "pair", "as well": "",
    "half of": "half", "what appears to be": "", "what looks like": "", "what seems to be": "", "appears to be": "is",
    "appear to be": "are", "seems to be": "is", "seem to be": "are", "there appears": "there is",
    "there appear": "there are", "there seems": "there is", "there seem": "there are", "can be seen": "is visible",
    "could be seen": "is visible", "can be observed": "is visible", "can be found": "is visible",
    "the opposite is true": "false", "in the middle of": "middle", "in the background": "background",
    "in the foreground": "foreground", "in the distance": "background", "in between": "between",
    "not sure": "unsure", "any kind of": "any", "any type of": "any", "any sort of": "any", "any form of": "any",
    "in the process of": "", "in the act of": "", "the act of": "", "is being": "is", "are being": "are",
    "has been": "is", "have been": "are", "in contact with": "contact", "direct contact": "direct contact",
    "farther away": "farther", "further away": "further", "closer to": "closer", "at night": "night",
    "by night": "night", "nighttime": "night", "daytime": "day", "daylight": "day", "during the day": "day",
}  # fmt: skip
_PICTURES: Final = (
    r"(?:images?|pictures?|photos?|photographs?|scenes?|videos?|clips?|frames?|figures?|screenshots?|shots?|pictured)"
)
_PICTURE_NUMBER: Final = re.compile(rf"\b({_PICTURES}) (?:\d{{1,2}}|one|two|three|four|[ab])(?=\W|\Z)")
_IN_PICTURE: Final = re.compile(
    rf"\b(?:in|of|from|on|within|inside|at|across|throughout|by) (?:either |any of |both of |both )?(?:the|this|that|these|those|your|both|either|all|our) (?:(?:given|provided|current|entire|whole|above|attached|displayed|input|uploaded|static|two|same|sequence of|set of) ){{0,2}}{_PICTURES}\b(?: (?:you |that you |i )?(?:provided|given|shown|see|shared|sent|have))?"
    r"|\b(?:in|on|from) (?:here|sight|view|it|them)\b"
)
_PHRASE: Final = re.compile(
    r"(?<![\w'.])(?:" + "|".join(re.escape(p) for p in sorted(_PHRASES, key=len, reverse=True)) + r")(?![\w']|\.\d)"
)


def straightened(text: str) -> str:
    """Return a text in small letters, with short forms written out and phrases of one meaning said as one word."""
    text = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    text = _PICTURE_NUMBER.sub(r"\1", text.replace("-", " ").replace("°", " ").replace("/", " / "))
    if "'" in text or "nt" in text or "cannot" in text:
        for pattern, usual in _CONTRACTED:
            text = pattern.sub(usual, text)
    text = _PHRASE.sub(lambda found: _PHRASES[found[0]], re.sub(r"[ \t\r\f\v]+", " ", text))
    return _IN_PICTURE.sub(" ", text)


def words(text: str) -> list[Word]:
    """Return the words and stops of a straightened text."""
    return [_word(found[0]) for found in re.finditer(_ROUGH.pattern + r"|\w+", text)]


@cache
def stem(word: str) -> str:
    """Return what all forms of a word share.

    >>> [stem(word) for word in ("sitting", "rides", "carried", "puppies", "buses", "children", "couch", "longer")]
    ['sit', 'rid', 'carry', 'dog', 'bus', 'child', 'sofa', 'longer']
    """
    return _SAME.get(word) or _SAME.get(_bare(word)) or _bare(word)


def excludes(one: str, other: str) -> bool:
    """Tell whether two stems cannot both be said of one thing: "red" and "blue", "open" and "closed"."""
    return other in _EXCLUDES.get(one, ())


def opposite(one: str, other: str) -> bool:
    """Tell whether two comparatives say opposite things: "longer" and "shorter"."""
    return other in _COMPARE.get(one, ())


def compares(word: str) -> bool:
    """Tell whether a stem compares two things."""
    return word in _COMPARE


def implies(one: str, other: str) -> bool:
    """Tell whether what is said to be the one thing is the other as well: "dog" and "animal"."""
    return one == other or other in _KINDS.get(one, ())


@cache
def _bare(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) <= 3:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _without_ending(word)


def _without_ending(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending in ("ing", "ed", "ly"):
        base = word[: -len(ending)]
        if word.endswith(ending) and len(base) >= (3 if ending != "ed" else 2) and _VOWEL.search(base):
            if ending == "ly":
                return base if len(base) > 3 else word
            if base[-1] == base[-2] and base[-1] not in "lsz":
                base = base[:-1]
            word = base[:-1] + "y" if base.endswith("i") else base
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


@cache
def _word(surface: str) -> Word:
    if re.fullmatch(r"[^\w<>=≤≥≠+]+", surface):
        return Word(surface, surface, "stop")
    if surface in ("<", ">", "=", "≤", "≥", "≠", "+", "<=", ">="):
        return Word(surface, surface, "sign")
    number = surface.replace(",", "")
    if number.isdigit() and int(number) < len(NUMBERS) and number == str(int(number)):
        return Word(NUMBERS[int(number)], surface, "")
    if re.fullmatch(r"\d[\d.]*", number):
        return Word(number, surface, "")
    root = stem(surface)
    return Word(root, surface, _role(surface, root))


def _role(surface: str, root: str) -> str:
    for role, members in (("negation", NEGATIONS), ("verb", VERBS), ("pronoun", PRONOUNS), ("doubt", DOUBTS)):
        if surface in members or (role == "doubt" and root in members):
            return role
    if surface in _FUNCTION_KEPT:
        return ""
    if surface in _FUNCTION or len(surface) == 1 and surface in "as":
        return "function"
    return "neutral" if root in _NEUTRAL_STEMS or surface in _NEUTRAL_SURFACE or surface.endswith("ly") else ""


def _rows() -> Iterator[tuple[str, list[str]]]:
    for line in Path(__file__).with_name("meanings.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        relation, members = line.split("\t")
        yield relation, members.split()


def _synonyms() -> dict[str, str]:
    same: dict[str, str] = {}
    for relation, members in _rows():
        if relation == "same":
            first = same.get(members[0], _bare(members[0]))
            same |= {form: first for member in members for form in (member, _bare(member))}
    return same


_SAME: dict[str, str] = {}
_SAME |= _synonyms()


def _related(*relations: str, directed: bool = False) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for relation, members in _rows():
        if relation in relations:
            stems = [stem(member) for member in members]
            for one in stems[1:] if directed else stems:
                found.setdefault(one, set()).update(stems[:1] if directed else set(stems) - {one})
    return {one: frozenset(others) for one, others in found.items()}


_EXCLUDES = _related("apart", "opposite", "compare")
_COMPARE = _related("compare")
_KINDS = _related("kind", directed=True)
_NEUTRAL_STEMS = frozenset(stem(word) for word in _NEUTRAL)
