"""Names of an option in responses: its letter, words, kind, number or ordinal."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from string import ascii_uppercase

from vhbench.language import lexicon
from vhbench.language.inflection import NUMBER_WORDS, NUMBERS, plural_forms
from vhbench.schema import VhbenchError
from vhbench.tsv import records

ORDINALS: Sequence[str] = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
)
_PICTURE = r"(?:image|picture|photo(?:graph)?|img|pic|figure|frame|panel|scene|图[片像]?)"
_LABELLED = r"(?:point|(?:bounding\s+)?box|picture|image|object|region|dot|marker|location|position|spot|label)"
_ORDINAL = re.compile(rf"(?i)\b(?:{'|'.join(ORDINALS[1:])})\b")
_LIST = re.compile(
    rf"(?i)\b(?P<noun>{_LABELLED}|{_PICTURE}|option|choice)(?:s|es)?(?P<items>\s+(?:\d{{1,2}}|(?-i:[A-Z]))"
    r"(?:(?:\s*,\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+)(?:\d{1,2}|(?-i:[A-HJ-Z]))\b(?!\s*[.)]\s*\w|\s+in\b))+)"
)
_ORDINAL_LIST = re.compile(
    rf"(?i)(?P<items>{_ORDINAL.pattern[4:]}(?:,\s*{_ORDINAL.pattern[4:]})*,?\s+(?:and|or)\s+(?:the"
    rf"\s+)?{_ORDINAL.pattern[4:]})\s+(?P<noun>{_PICTURE})s?\b"
)
_VERB = (
    r"(?:is|are|has|have|was|were|does|do|would|could|can|should|must|shows|seems|appears|looks|contains|fits|matches"
    r"|best\s+(?:fits|matches|describes|represents|answers)|because|since)"
)
_ADVERB = rf"(?!(?:{'|'.join(lexicon.words('adjectives in -ly'))})\b)[a-z]+ly"
# verb in the third person, or a plural, which no article precedes
_DOES = rf"(?!(?:{'|'.join(lexicon.words('end like verbs'))}|\w*ceps)\b)[a-z]+[^\Wsuioa]s(?=[\s.,;]|$)"
_PARTICIPLE = (
    rf"(?:(?!(?:{'|'.join(lexicon.words('end like participles'))})\b)[a-z]{{2,}}ed|chosen|taken|shown|given|proven|done"
    r"|found|seen|kept|(?:up)?held|made|left|meant|known|thought)"
)
_PREPOSITION = r"(?:by|on|in|at|for|from|with|over|under|after|before|without|against|through)"
_DETERMINER = r"(?:the|an?|all|every|each|both|it|what|this|that|these|its)"
# words that no article precedes, so that an A before them is the letter
_NO_NOUN = (
    rf"(?:(?:{'|'.join(lexicon.words('follow no article'))}|can(?!\s+(?:of|is|on|in|with|that|and)\b))(?:n't)?\b(?!-)"
    rf"|[-–—]+\s+(?:in)?correct\b|{_DOES}|(?:(?:{_ADVERB}|just|still|always|never|best|most|more|even)\s+)+(?:{_VERB}\b|{_DOES})"
    rf"|having\b|(?:{_PARTICIPLE}|came|went)\s+(?:{_ADVERB}\s+)?(?:above|correct|right|best|first|well|out|to|because|since|as|due|based|{_PREPOSITION}|{_DETERMINER})\b|(?:given|[a-z]+ing)\s+{_DETERMINER}\b"
    r"|(?:best|better|worse|superior|preferable|more|(?:more|less)\s+\w+)\s+(?:than|to)\b)"
)
# Remark at the end of a sentence: "A (high confidence).", "A for sure". "A (small) dog" goes on
_REMARK = (
    rf"(?:\([^()\n]*\)|\[[^\[\]\n]*\]|for\s+sure|(?:most\s+)?(?:likely|{_ADVERB})|please|maybe|perhaps|yes|yep|ok(?:ay)?|thank(?:s|\s+you)|overall|thereby|imh?o|btw|lol|tbh|first|true|false|(?:like|same)\s+(?:\w+\s+)?\w+|(?:once\s+)?(?:again|more)|here|final|then"
    rf"|{_PARTICIPLE}|(?:in)?correct|right|wrong|best|better|see\s+\w+|no\s+(?:doubt|question|contest)(?:\s+about\s+it)?"
    r"|with\s+\w+\s+(?:confidence|certainty)|\d+\s?(?:%|/\s?\d+)(?:\s+\w+)?)\s*(?:[.;:!?\n]|,\s+(?:(?:because|since|as|so|the|it|not|but|and|while)\b|[(\[]?(?-i:[B-J])\b)|$)"
)
_OPTION = r"(?:option|choice|answer)(?!\s*[:=]|\s+[(\[]?(?-i:[A-J])\b|\s+(?:is|was|would\s+be)\s+[(\[]?(?-i:[A-J])\b)"
_CHOSEN = (
    r"(?:correct|right|true|likely|best|answer|option|choice|pick|one|description|(?:that|what)\s+(?:fits|matches|i)"
    r"|it(?=\W*(?:$|[.,;\n])))\b"
)
_FILLER = r"[\s\-,/'\"]+(?:(?:a|an|the|is|are|was|were|that|which|who|its?|located|positioned|placed|standing)\s+){0,4}"
_FUNCTION_WORDS = frozenset("a an the is are was were that which who some".split())
_NUMBERED = re.compile(
    rf"(?i)(?:the\s+)?(?:(?P<ordinal>\w+)\s+{_PICTURE}|{_PICTURE}\s*#?\s*(?P<number>\w+))(?:\s+shows it)?\W*"
)
_LABEL = re.compile(rf"(?:[Tt]he\s+)?(?:(?i:{_LABELLED})\s+)?\(?(?P<label>[A-Z])\)?(?P<is>\s+(?:is|are|has)\s.*)?\W*")
# patterns of an option that refers to the others, and of its paraphrases in responses, by kind
_KINDS: Mapping[str, tuple[str, str]] = dict(
    records(Path(__file__).with_name("option_kinds.tsv"), lambda kind, option, response: (kind, (option, response)), {})
)


@dataclass(frozen=True)
class Mention:
    """Mention of an option in a response."""

    start: int  # start index
    end: int  # end index
    letter: str  # letter of the option; "" for a letter that may be another option's label
    by_letter: bool = False  # whether it is named by its letter, in brackets or after "option"
    kind: str = ""  # "none", "both", "same" or "unknown" if the option is of that kind and is named by it

    @property
    def of_letter(self) -> bool:
        """Whether it is a letter, alone or marked."""
        return self.by_letter or self.end == self.start + 1


@dataclass(frozen=True)
class Names:
    """Names of a question's options."""

    letters: str
    choices: tuple[str, ...]
    texts: Mapping[str, str]
    kinds: Mapping[str, str]
    images: Mapping[int, str]
    counts: Mapping[int, str]

    @cached_property
    def patterns(self) -> tuple[Sequence[re.Pattern[str]], Mapping[str, tuple[str, str]]]:
        """Patterns of all names, and the option and kind of each group; compiled when first needed."""
        entries: list[tuple[str, str, str]] = []
        for letter, choice in zip(self.letters, self.choices, strict=True):
            kind = next(iter(_kinds(choice)), "")
            word = kind and " " not in self.texts[letter]  # "nothing": by its kind alone
            if letter not in self.counts.values() and self.texts[letter] not in ("yes", "no") and not word:
                labels = _labelled(choice, letter) or [(words, letter) for words in _words(choice)]
                entries += [(words, name, kind) for words, name in labels]
        entries.sort(key=lambda name: -len(name[0]))  # longer first: it hides a shorter name inside it
        last = max(self.images, default=0)
        entries += [(words, letter, "") for number, letter in self.images.items() for words in _counted(number, last)]
        entries += [(_KINDS[kind][1], letter, kind) for kind, letter in self.kinds.items()]
        groups = {f"name{index}": (letter, kind) for index, (_, letter, kind) in enumerate(entries)}
        own = _compiled(_named(group, words) for group, (words, *_) in zip(groups, entries, strict=True))
        places = {place: (letter, "") for place, letter in zip(ORDINALS[1:], self.letters, strict=False)}
        return (own, _of_letters(self.letters)), groups | places | {"last": (self.letters[-1], "")}

    def find(self, text: str) -> Iterator[Mention]:
        """Yield the mentions of options in a text; a longer name hides a shorter one inside it."""
        patterns, groups = self.patterns
        for match in _leftmost(patterns, text):
            group = str(match.lastgroup)
            option = _match(patterns, text, match.end() + 1) if match[0] == "A" else None  # "A cat" names a "cat"
            inner = _match(patterns, text, match.start(group)) if group == "option" else None  # 'answer "A is closer"'
            if inner and groups.get(str(inner.lastgroup), ("",))[0]:
                yield Mention(inner.start(), inner.end(), groups[str(inner.lastgroup)][0])
            elif group in groups:
                yield Mention(match.start(), match.end(), groups[group][0], kind=groups[group][1])
            elif not option or groups.get(str(option.lastgroup), ("", "letter"))[1]:
                yield Mention(match.start(), match.end(), match[group].upper(), by_letter=group != "bare")


def _named(group: str, words: str) -> str:
    return f"(?P<{group}>(?i:{words}))(?![\\w])(?!-\\w)"


def _compiled(alternatives: Iterable[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?<!\w')(?:{'|'.join(alternatives) or '(?!)'})")


@cache
def _of_letters(letters: str) -> re.Pattern[str]:
    """Return the pattern of ordinals and letters, which takes ten times as long to compile as that of the words."""
    places = [_named(place, rf"(?<!my\s){place}\s+{_OPTION}") for place in [*ORDINALS[1 : len(letters) + 1], "last"]]
    return _compiled([*places, *_by_letter(letters)])


def _match(patterns: Iterable[re.Pattern[str]], text: str, start: int) -> re.Match[str] | None:
    """Return the match of the first pattern that matches at a place."""
    return next(filter(None, (pattern.match(text, start) for pattern in patterns)), None)


def _leftmost(patterns: Sequence[re.Pattern[str]], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of any pattern, as if they were the alternatives of one."""
    following = [pattern.search(text) for pattern in patterns]
    while found := [match for match in following if match]:
        yield (match := min(found, key=lambda one: one.start()))
        following = [
            again if again is None or again.start() >= match.end() else pattern.search(text, match.end())
            for pattern, again in zip(patterns, following, strict=True)
        ]


def normal(text: str) -> str:
    """Return a text in lower case, without a leading article, with digits for number words."""
    words = re.sub(r"[^\w\s'+-]|(?<!\w)(?:'|-(?!\d))|['-](?!\w)", " ", text.lower().replace("−", "-")).split()
    if len(words) > 1 and words[0] in lexicon.words("articles") and re.match(r"\W*\w+\s", text):
        words = words[1:]
    return " ".join(str(NUMBER_WORDS.get(word, word)) for word in words)


def letters_of(number: int) -> str:
    """Return the first option letters; raise VhbenchError if there are more options than letters.

    >>> letters_of(4)
    'ABCD'
    """
    if number > len(ascii_uppercase):
        raise VhbenchError(f"{number:,} options: at most {len(ascii_uppercase)} have a letter")
    return ascii_uppercase[:number]


@lru_cache(maxsize=2048)
def names_of(choices: tuple[str, ...]) -> Names:
    """Return the names of options."""
    letters = letters_of(len(choices))
    texts = dict(zip(letters, map(normal, choices), strict=True))
    kinds = {
        kind: letter for letter, choice in zip(letters[::-1], choices[::-1], strict=True) for kind in _kinds(choice)
    }
    images = {number: letter for letter, text in zip(letters, choices, strict=True) if (number := _image(text))}
    counts = {int(text): letter for letter, text in texts.items() if re.fullmatch(r"\d{1,6}", text)}
    return Names(letters, choices, texts, kinds, images, counts)


def spread(text: str) -> str:
    """Expand "images 1, 2 and 3" to "image 1 and image 2 and image 3", and ordinals likewise.

    >>> spread("Images 1 and 2 show it; points A, B, or C do not. The first and third images")
    'Image 1 and Image 2 show it; point A or point B or point C do not. The first image and third image'
    """
    text = _LIST.sub(lambda match: _each(match, re.findall(r"\b(?:\d{1,2}|[A-Z])\b", match["items"]), "{1} {0}"), text)
    return _ORDINAL_LIST.sub(lambda match: _each(match, _ORDINAL.findall(match["items"]), "{0} {1}"), text)


def _each(match: re.Match[str], items: list[str], form: str) -> str:
    joint = " or " if re.search(r"\bor\b", match["items"]) else " and "
    return joint.join(form.format(item, match["noun"]) for item in items)


def _kinds(choice: str) -> list[str]:
    text = choice.strip().lower()
    return [kind for kind, (pattern, _) in _KINDS.items() if re.match(pattern, text)]


def ordinal(words: str) -> int:
    """Return the number in "2", "2nd", "# 2" or "second", 0 for none."""
    digits = re.fullmatch(r"(?:no )?(\d{1,2})(?:st|nd|rd|th)?", words)
    return int(digits[1]) if digits else ORDINALS.index(words) if words in ORDINALS else 0


def _image(choice: str) -> int:
    """Return the image number in an option, 0 for none."""
    match = _NUMBERED.fullmatch(choice.strip())
    if not match:
        return 0
    word = (match["ordinal"] or match["number"]).lower()
    if match["ordinal"]:
        return ordinal(word) if not word.isdecimal() else 0
    return int(word) if re.fullmatch(r"\d{1,2}", word) else NUMBER_WORDS.get(word, 0)


def _counted(number: int, last: int) -> list[str]:
    ordinal = ORDINALS[number] if number < len(ORDINALS) else f"{number}th"
    suffix = {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
    word = NUMBERS[number] if number < len(NUMBERS) else str(number)
    names = [
        rf"{_PICTURE}s?[\s-]*(?:#|no\.?|number|\()?\s*(?:{number}(?!\.?\d)|{word})",
        rf"(?:{ordinal}|{number}{suffix})\s+(?:{_PICTURE}|one)",
        rf"the\s+(?:{ordinal}|{number}{suffix})(?=\s*(?:[.,;:!?)]|$|(?:and|or|nor)\s+the\b|{_VERB}\b))",
    ]
    return [*names, rf"(?:last|final)\s+{_PICTURE}"] if number == last else names


def _labelled(choice: str, letter: str) -> list[tuple[str, str]]:
    """Return the names of an option with its own label ("Point A", "Box B", "A is closer"), and whose they are."""
    match = _LABEL.fullmatch(choice.strip())
    if not match:
        return []
    label = match["label"]
    either = label if label in "AI" else f"[{label}{label.lower()}]"
    own = re.escape(match["is"] or "\0")
    subject = (
        rf"(?-i:{either})(?!{own})(?=\s+(?:is|are|has)\b)(?!\s+(?:is|has\s+to\s+be)\s+(?:\w+\s+){{0,3}}?{_CHOSEN})"
    )
    return [
        (rf"{_LABELLED}\s+\(?(?-i:{label})\)?", letter),
        (rf"(?:point|box|marker|dot)\s+\(?{label}\)?", letter),
        (rf"(?-i:{either})(?={own})", letter),
        (subject, letter if label == letter else ""),  # of "Point A" under D, it may be either
    ]


def _words(choice: str) -> list[str]:
    """Return patterns of an option's words with variable articles, verbs and noun number."""
    words = re.findall(r"\w+(?:'\w+)?", choice)  # "Person A" has no article
    words = [word.lower() for word in words if word.lower() not in _FUNCTION_WORDS or word == "A" != words[0]]
    if not words or (len(words) == 1 and len(words[0]) == 1):
        return []
    names = [_FILLER.join(map(_inflected, words))]
    if len(words) == 2:  # "man who is running" matches a running man, "open umbrella" an umbrella that is open
        first, second = map(_inflected, words)
        relative = re.search(r"\b(?:that|which|who)\b", choice.lower())
        names.append(
            rf"{second}\s+{first}" if relative else rf"{second}\s+(?:(?:that|which|who)\s+)?(?:is|are)\s+{first}"
        )
    if len(words) <= 3 and all(word.isalpha() for word in words):
        names += [_FILLER.join(map(re.escape, form.split())) for form in plural_forms(" ".join(words))]
    return names


def _inflected(word: str) -> str:
    if word == "to":
        return "(?:to|on|at)"
    if not word.isalpha() or len(word) < 3 or not word.isascii():
        return re.escape(word)
    if word.endswith("y") and word[-2] not in "aeiou":
        return f"{word[:-1]}(?:y|ies)"
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return f"{word}?"
    return f"{word}(?:e?s)?"


def _by_letter(letters: str) -> Iterator[str]:
    either = f"[{letters}{letters.lower()}]"
    yield rf"[(\[](?P<bracket>{either})[)\]]"
    yield (
        rf"(?i:option|choice|answer(?!\W{{1,3}}(?-i:A)\s+(?!{_NO_NOUN})(?-i:[a-z]))|letter)\s*[:#]?\s*[(\"'\[]?"
        rf"(?P<option>(?-i:[{letters}])|(?i:{either})(?!\w|\s+\w))[)\"'\]]?(?!\w)"
    )
    yield rf"(?i:{_LABELLED}|{_PICTURE})\s+\(?(?P<labelled>[{letters}])\)?(?!\w)"
    plain = re.sub("[AI]", "", letters)
    maybe = r"(?<!could\s)(?<!also\s)(?<!might\s)(?<!may\s)(?<!can\s)be"
    before = rf"(?:choose|choosing|pick|select|go(?:ing)?\s+(?:with|for)|say|{maybe}|guess|it's|it\s+is)\s+"
    bare = [rf"[{plain}](?!\w|['-]\w)"] if plain else []
    if "A" in letters:
        signs = rf"[).:,;!?\"'/&=<>|+}}]|\d(?:[.)]\s|$)|-+>|[^\x00-\u024f]|\s[B-J](?![\w'-])|$|\n|\([A-Z\d]|{_REMARK}"
        bare += [rf"A(?![a-z])(?=\s*(?:{signs}|{_NO_NOUN}))", r"(?<=\s)(?<!\w)A(?=\s*\W*$)", r"(?<=[a-z]\s)A(?![\w'-])"]
    yield rf"(?i:{before})(?P<chosen>[{letters}])(?!\s+[a-z]|\w)"
    if bare:
        yield rf"(?P<bare>{'|'.join(bare)})"
