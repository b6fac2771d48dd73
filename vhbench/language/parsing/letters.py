"""Parser of multiple-choice responses.

The order of precedence is: the marked answer; a letter or an option that is the whole text or begins it; the conclusion
("wait, …", "so …"); the one option that is mentioned and not denied. If two are mentioned, the sentence about
the question's subject decides; without one, the response is ambiguous. An option that is merely left when others are
denied is not inferred. Whatever is chosen, a response is ambiguous if another option is concluded or affirmed as well.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from vhbench.language import lexicon
from vhbench.language.parsing.assent import SIGNS, judged
from vhbench.language.parsing.clauses import (
    CONCLUSION,
    CONTRAST,
    LOOKS,
    REJECTING_SIGN,
    OptionClause,
    clauses_of,
    text_after,
)
from vhbench.language.parsing.cleaning import NOT_APPLICABLE, plain, strip_markup
from vhbench.language.parsing.failures import UNSURE
from vhbench.language.parsing.normalization import normalize_phrases
from vhbench.language.parsing.numeric_answers import counted, numbers_of
from vhbench.language.parsing.option_names import ORDINALS, Mention, Names, names_of, normal, ordinal, spread
from vhbench.language.parsing.stems import content, excludes, implies, stem, words
from vhbench.language.parsing.truncation import unfinished
from vhbench.language.parsing.wordings import wording
from vhbench.language.parsing.yes_or_no import yes_no

_CORRECTION = re.compile("(?i)" + wording("corrects"))
# plain claim that an option is right, which "looks right" is not
_RIGHT = re.compile(
    r"(?i)(?<!that\s)\b(?:is|are)\s+(?:(?:also|indeed|too|clearly|fully|certainly|definitely)\s+)*(?:(?:the|my)\s+)?(?:(?:correct|right|best|true)\s+)?"
    r"(?:right|correct|true|answer|choice|option)\b(?!\s+(?:about|in|on|that|for|if|only|when)\b)"
)
_HEDGED = re.compile(r"(?i)\b(?:could|might|may)\s+(?:be|seem)\b")
_HOWEVER = re.compile(r"(?i)\W*(?:but|however)\b")
_REASON = re.compile(r"(?i)\A\W*(?:because|since|as\b(?!\s+(?:a\s+result|for|such))|due\s+to)\b")
_ASIDE = re.compile(rf"{_REASON.pattern}|{CONTRAST.pattern[4:]}|.*\b(?:others?|rest)\b")
_EXPLAINS = re.compile(r"(?i)\A\W*(?:explanation|reason\w*|rationale|note)\b")
_MORE = re.compile(r"(?i)\b(?:more|most|only|fewer|less|alone|but|however)\b")
_UNSURE = re.compile(f"{UNSURE.pattern}|{wording('no option')}")
_SETTLES = re.compile(r"(?i)\b(?:but|however|so|therefore|guess|would|likely|probably|best|still|if\s+i\s+had|i'd)\b")
_DESPITE = re.compile(rf"{_SETTLES.pattern}|\banswer\b")
_MARKED = r"(?:[(\[]{0}[)\]]|{0}(?:[).]|\s?:|\s*[-–—]|\s*\n|\s+(?=\([A-Z\d])|,(?!\s*[(\[]?[A-Z]\b)))"
_BUT = re.compile(
    r"(?i)\b((?:every(?:thing)?|all|each|any(?:thing)?)\b(?:\s\w+){0,4})\s+but\s+(?=(?:the\s+)?(?:\w+\s+)?(?:image|picture|first|second|third|fourth|[A-Z0-9])\b)"
)
_ONLY = re.compile(
    r"(?i)\b(?:(?:all|every|each)(?:thing)?|(?P<no>no(?:thing|ne(?!\s+of\s+the\s+above\s+(?:is|was|fits|matches)\b))?|(?:cannot|can't)\s+be\s+any\w*))\b[^.,;:]{0,30}?\s(?:but|except(?:\s+for)?|(?:other|better)\s+(?:\w+\s+)?than|besides)\s+"
    r"(?P<it>[^.,;:]{1,80}?)(?(no)(?:\s+(?:fits|matches|works|is\s+(?:right|correct))\b|(?=\W*\Z))|\s+(?:is|are|(?:can|could)\s+be)\s+(?:also\s+)?"
    r"(?:wrong|incorrect|false|excluded|ruled\s+out|eliminated|out)\b)"
)
_ARROW = re.compile(r"(?<=\w)\s*(?:→|⇒|[-=]>)\s*(?=\W?[A-J]\W*\Z)")
# Verdict on a letter: "B? No.", "B. Incorrect"
_LETTER_VERDICT = re.compile(
    r"(?<![\w'])([A-J]\W?)(?:\?\s*(?=(?i:yes|nope?|not|does(?:n't|\s+not)|isn't|(?:fit|matche|work)s|(?:in)?correct|right|wrong)\b)|\.\s*(?=(?i:(?:in)?correct|right|wrong|true|false)\W*(?:\n|\Z)))"
)
_ALSO = re.compile(
    r"(?i)\b(?:also|too(?=\W*\Z)|as\s+well|likewise|so\s+(?:do|does|is|has|could|would|can|may|might))\b"
)
_EAST = r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]"
# boundary between Chinese, Japanese or Korean and Latin characters, which are one word for regular expressions
_CJK = re.compile(rf"(?<={_EAST})(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?={_EAST})")
# Number or label before a letter: "1. C", "A: C"
_ANSWER = re.compile(r"(?:\A\d[.)]|(?:\A|(?<=[.!?]\s)|(?<=\n))A\s*:)(?=\s*[(\[]?[A-Z][)\]]?[\s.]*\Z)")
# verdict on an option: "A: no"; the option's own text may be the same word
_VERDICT = re.compile(rf"(?i)\A[\s=>→-]*(?:[{SIGNS}]|yes|no|not|(?:in)?correct|right|wrong|true|false)(?!\w)")
_FOR_EXAMPLE = re.compile(r"(?i)\be\.\s?g\.")
_ASKS_FOR = re.compile(
    r"(?i)\bwhich\b(?:(?!\b(?:is|are)\b)[^?])*?\b(?:(?P<not>(?:does|do)(?:\s+not|n't)\s+\w+)|(?P<shows>shows?|contains?|has|have|depicts?|includes?|features?)|is|are)"
    r"\s+(?!more\b|fewer\b|most\b|fewest\b)(?P<what>[^?,]+)"
)
_STATES = re.compile(
    r"(?i)\b(?:shows?|contains?|has|have|depicts?|includes?|features?|displays?|is|are|was|were|looks?)\s+(?!(?:it|one|this|that|them|such|the|all)\b)"
)
# What precedes a letter that is named, not described: "The closest match is A"
_IS = re.compile(r"(?i)\b(?:is|be|selected|choose|with|but)\s+(?:option\s+)?\W?\Z")
# What states which kind of images they are
_IN_KIND = re.compile(r"(?i)\b(?:are|were|is|was)\s+(?:in|an?|taken|from|photo\w*|pictures|drawings)\b")
_NOT = re.compile(r"(?i)\b(?:not|no|without|cannot|instead\s+of|rather\s+than)\b|n't\b")
_ENDS_NOUN = lexicon.words("prepositions") | {"that", "who", "which", "with", "of", "to"}
_FITS = frozenset(map(stem, lexicon.words("say that an option fits")))
_YES_OR_NO = re.compile(r"(?i)\W*(yes|no)\s*(?:[.,:;]|\Z)")
_QUOTED = re.compile(r"\"(\d|[^\"\n]{2,200})\"")
_NAMED = r"(?<=[a-z]\s)({})(?=\s*(?:[.,;:!?)]|\Z|(?:is|was|over|to|than|and|because|since|but|does|fits)\b))"
# end of a sentence that stops after an option and its verb: "So option A is"
_HALF = re.compile(
    r"(?i)[\s\"')\]]+(?:(?:also|indeed|therefore|thus|then|still|\w+ly)\s+)*(?:is|are|was|were|has|have|had|does|do|would|could|should|might|may"
    r"|must|can|will|seems?|appears?|looks?|shows?|contains?|depicts?|describes?|says|states|mentions|suggests|represents|refers|being)"
    r"(?:\s+(?!likely\b)(?:be|been|an?|the|that|what|to|in|on|at|of|with|for|not|also|only|very|quite|so|more|most|less|\w+ly))*\s*(?:\.\.+\s*)?\Z"
    r"|\s+(?:shows?|contains?|depicts?|describes?|says|states|mentions)\s[^.!?;\n]*\b(?:an?|the|of|in|on|at|to|and|or|with|for|is|are)\s*\Z"
)
_IN_ALL = re.compile(r"(?i)\bin\s+(?:all|every|each)(?:\s+of)?(?:\s+the)?\s+(?:images?|pictures?|photos?)\b")
_ALL = re.compile(r"(?i)\b(?:all|every|each|both)\b")
_LEFT_OUT = re.compile(r"(?i)\b(?:except|almost|nearly|but)\b")
_IN_SOME = re.compile(
    r"(?i)\b(?:except|almost|nearly|most|only|missing|absent|lacks?)\b|\b(?:images?|pictures?|photos?)\s*#?\d"
    rf"|\b(?:{'|'.join(ORDINALS[1:])}|last)\s+(?:image|picture|photo)\b|\b(?:one|two|three|\d)\s+(?:out\s+)?of\b"
)
_IN_ONE_ALONE = re.compile(r"(?i)\bin\s+image\s+(\d)\s+(?:and|but)\s+not\s+in\s+image\s+\d")
_EXACTLY = re.compile(r"(?i)\bexactly\s+\w+")
_COMPARED = re.compile(r"(?i)\bwhich\s+image\s+\w+\s+(more|fewer)\b")
_COMPARES = re.compile(r"(?i)\b(?:more|most|fewer|fewest|less|as\s+many|than)\b")
_IMAGE = re.compile(r"(?i)\bimage\s*(\d)")
_NO_NUMBER = re.compile(r"(?i)\b(?:none|no|zero|other|vs)\b")
_ENOUGH = 2_000  # characters at either end; bounds the time of the patterns
_SMALL_WORDS = lexicon.words("small words of questions")


def letter(text: str, choices: Sequence[str], question: str = "") -> str:
    """Parse the option in a response: by letter, words or number; "" if none or more than one is named.

    >>> options = ["Both", "Neither", "Image 1", "Image 2"]
    >>> [letter(text, options) for text in ("B", "(c)", "Answer: D", "Neither image shows it.", "A or B", "A dog")]
    ['B', 'C', 'D', 'B', '', '']
    >>> [letter(text, options) for text in ("Image 1 does not, but Image 2 does.", "Both. No wait, only Image 1.")]
    ['D', 'C']
    """
    names = names_of(tuple(choices[:26]))
    if not names.letters:
        return ""
    text = re.sub(r"\[\s\]", "☐", re.sub(r"(?i)\[x\]", "☑", _CJK.sub(" ", text)))
    text = re.sub(r"(?<=\w)[^\S\n]+(?=[☐☑])", "\n", text) if "☐" in text and "☑" in text else text
    if unfinished(whole := plain(text)) and strip_markup(text) == whole and not _whole(whole.split("\n")[-1], names):
        return ""
    answer = _ends(strip_markup(text))
    option = _read(answer, names, question)
    if option is None and not _UNSURE.search(answer) and (whole := _ends(whole)) != answer:
        option = _read(whole, names, question)
    return option or ""


def _ends(text: str) -> str:
    """Return the beginning and the end of a response: the middle of a long one has no answer."""
    return text if len(text) <= 2 * _ENOUGH else f"{text[:_ENOUGH]}\n{text[-_ENOUGH:]}"


def _read(text: str, names: Names, question: str) -> str | None:
    """Return a letter, "" if ambiguous, None if nothing is named."""
    text = _without_half(_ANSWER.sub("", text), names)
    if (outcome := _whole(text, names)) is not None:
        return outcome
    if (outcome := _judged_by_row(text, names)) is not None:
        return outcome
    others = [names.choices[names.letters.index(name)] for name in names.kinds.values()]
    capitals = "|".join(re.escape(choice) for choice in others if choice[:1].isupper())
    for name in (_QUOTED, *([re.compile(_NAMED.format(capitals))] if capitals else [])):
        text = name.sub(lambda match: f"({option})" if (option := _whole(match[1], names)) else match[0], text)
    text = re.sub(r"\s*\((not\s[^()]*)\)", lambda no: f", {no[1]}," if any(names.find(no[1])) else no[0], text)
    for choice in (choice for choice in names.choices if choice.endswith(".")):
        text = re.sub(rf"{re.escape(choice)}(?=\W?[.,;:]|\s+[a-z(])", choice[:-1], text)
    text = _FOR_EXAMPLE.sub("for example", NOT_APPLICABLE.sub("not applicable", text))
    text = _LETTER_VERDICT.sub(r"\1 = ", _ARROW.sub(". So ", text))
    text = spread(_BUT.sub(r"\1 except ", _ONLY.sub(r"only \g<it> fits", _without_the_list(text, names))))
    clauses = clauses_of(text, names, question)
    if (outcome := _corrected(clauses) or _leading(text, names)) and not _contested(clauses, outcome):
        return outcome
    begins = [
        (_YES_OR_NO.match(choice.lower()), name) for name, choice in zip(names.letters, names.choices, strict=True)
    ]
    answers = sorted((begin[1], name) for begin, name in begins if begin)
    if {answer for answer, _ in answers} == {"no", "yes"} and all(one.kind == "unknown" for one in names.find(text)):
        said, first = yes_no(text, question), re.split(r"[.!?\n]", text, maxsplit=1)[0]
        own = [name for answer, name in answers if answer == said]
        if len(own) == 1:  # "No, it cannot be determined" is neither
            return "" if re.match(r"(?i)\W*no\b", first) and any(names.find(first)) else own[0]
    if len(names.counts) > 1 and all(mention.kind for mention in names.find(text)):
        shares = any("%" in choice for choice in names.choices)  # elsewhere a percentage is not a count
        if outcome := counted(text.replace("%", "") if shares else text, names.counts, question):
            return outcome
    outcome = _resolved(clauses, names, question)
    return "" if outcome and (_contested(clauses, outcome) or _is_elsewhere(clauses, outcome, question)) else outcome


def _is_other_comparison(clauses: list[OptionClause], own: list[tuple[OptionClause, Mention]], word: str) -> bool:
    """Return whether words do not say that an image shows more, or fewer, things than the other."""
    whole = " ".join(clause.text for clause in clauses)
    if not own or any(mention.kind == "none" for _, mention in own):
        return _COMPARES.search(whole) is not None  # "Neither has more" is not "Neither shows any"
    other = "fewer|less" if word == "more" else "more"
    if any(re.search(rf"(?i)\b(?:{other})\b(?!.*\bthan\b)", clause.text[: mention.start]) for clause, mention in own):
        return True
    alone = len(set(_IMAGE.findall(whole))) == 1 and not (_COMPARES.search(whole) or _NO_NUMBER.search(whole))
    return alone and bool(numbers_of(whole))  # "Image 2 has three cups"


def _is_elsewhere(clauses: list[OptionClause], option: str, question: str) -> bool:
    """Return whether the words for an option say that other images show it, or another number of things."""
    own = [(clause, mention) for clause in clauses for mention in clause.affirmed if mention.letter == option]
    own = [(clause, mention) for clause, mention in own if clause.concludes] or own
    if any(mention.of_letter for _, mention in own):
        return False
    if compared := _COMPARED.search(question):
        return _is_other_comparison(clauses, own, compared[1].lower())
    if any(mention.kind for _, mention in own):
        return False
    statement = " ".join(dict.fromkeys(clause.text for clause, _ in own))
    if _IN_ALL.search(question):
        return _IN_SOME.search(statement) is not None and (
            not _ALL.search(statement) or _LEFT_OUT.search(statement) is not None
        )
    if pair := _IN_ONE_ALONE.search(question):
        shown = set(_IMAGE.findall(statement))
        return bool(shown and pair[1] not in shown) or re.search(r"(?i)\b(?:both|neither)\b", statement) is not None
    exact = _EXACTLY.search(question)
    expected, stated = (numbers_of(text) for text in (exact[0], statement)) if exact and statement else (set(), set())
    return stated is None or bool(expected and stated and not expected & stated)


def _without_half(text: str, names: Names) -> str:
    """Drop the last sentence, or its reason, if it stops after an option and its verb."""
    start = max((cut.end() for cut in re.finditer(r"[.!?;\n](?=\s*\w)|\b(?:because|since)\b", text)), default=0)
    last = max(start, len(text) - 200)
    half = any(_HALF.match(text, last + mention.end) for mention in names.find(text[last:]))
    return text[:start] if half else text


def _contested(clauses: list[OptionClause], option: str) -> bool:
    """Return whether another option is concluded as well or affirmed later, or the choice is taken back."""
    last = max((n for n, clause in enumerate(clauses) if option in clause.letters), default=None)
    if last is None:
        return any(option in clause.denied for clause in clauses)
    if not clauses[last].pick and clauses[last].in_one_list:
        return True
    settled = False
    for clause in clauses[last::-1]:
        text, other = clause.text, clause.pick not in ("", option) and not clause.is_question
        if other and (_RIGHT.search(text) if CONTRAST.match(text) else clause.concludes and not settled):
            return True
        settled = settled or bool(_CORRECTION.match(text) or (_SETTLES.search(text) and not _ALSO.search(text)))
    for clause in clauses[last:]:
        if clause is clauses[last] and any(mention.kind for mention in clause.affirmed if mention.letter == option):
            continue
        letters = {mention.letter for mention in clause.affirmed if mention.of_letter}
        if _EXPLAINS.match(clause.text):
            break
        if letters - {"", option} and (_ALSO.search(clause.text) or not _ASIDE.match(clause.text)):
            return True
    following = pairwise(clauses[last:])
    return any(
        (_CORRECTION.match(after.text) and not LOOKS.search(before.text))
        or (before.affirmed and _HEDGED.search(before.text) and _HOWEVER.match(after.text) and not after.affirmed)
        for before, after in following
    )


def _whole(text: str, names: Names) -> str | None:
    """Parse a text that is only a letter or an option's words."""
    bare = re.fullmatch(r"\W*([A-Za-z])\W*", text)
    if bare:
        return bare[1].upper() if bare[1].upper() in names.letters and not REJECTING_SIGN.search(text) else ""
    if len(text) > 400:
        return None
    lettered = re.fullmatch(r"\W*([A-Z])\s*[).:(–—-]+\s*(\S[^\n]*)", text)
    if lettered and len(other := _whole(lettered[2], names) or "") and other != lettered[1] in names.letters:
        return ""  # "A (cat)" where A is a dog
    normalized = normal(text)
    same = [
        name
        for (name, option), choice in zip(names.texts.items(), names.choices, strict=True)
        if normalized in (option, normal(f"{name}. {choice}"))
    ]
    if len(same) == 1:
        return "" if REJECTING_SIGN.search(text) else same[0]
    return None if names.counts else names.images.get(ordinal(normalized))


def _judged_by_row(text: str, names: Names) -> str | None:
    """Parse a table or list with a verdict on each option: the only right one, None if there is no such list."""
    right, wrong, plain = set[str](), set[str](), set[str]()
    for line in filter(str.strip, text.split("\n")):
        label, answer, verdict = judged(line)
        option = _whole(label or line, names)
        if option:
            judges = label and normal(verdict) != names.texts[option]
            (plain if not judges else right if answer == "yes" else wrong).add(option)
        elif right or wrong or any(names.find(line)):
            return None
    others = wrong or len(right | plain) == len(names.letters)  # "A. dog\nB. cat ✓"
    return next(iter(right)) if len(right) == 1 and others and not right & wrong else None


def _leading(text: str, names: Names) -> str:
    """Return a text's first letter if it is marked by signs, or the option that is a first sentence alone: "Box B."."""
    either = f"([{names.letters}{names.letters.lower()}])"
    marked = re.match(rf"\W*?{_MARKED.format(either)}", text)
    if marked:
        name, rest = next(filter(None, marked.groups())), text[marked.end() :]
        article = name in "aI" and marked[0].endswith((",", "-", "–", "—", " "))
        initial = name.islower() and not marked[0].startswith(("(", "[")) and len(rest.split()) > 12
        judged = _VERDICT.match(rest) and text_after(rest, Mention(0, 1, name.upper()), names) == rest
        if not (article or initial or judged or REJECTING_SIGN.search(marked[0])):
            return str(name).upper()
    head = re.match(
        r"\W*(?:(?:it\s+is|it's|the|option)\s+)?([^.,;:!\n]{1,80}?)\s*(?:[.;!\n]|,(?!\s*(?:no|or)\b)|\bbecause\b|\bsince\b|\Z)",
        text,
        re.IGNORECASE,
    )
    mentions = list(names.find(text[head.start(1) : head.end(1)])) if head else []
    alone = head and [(one.start, one.end) for one in mentions] == [(0, head.end(1) - head.start(1))]
    return mentions[0].letter if alone and mentions[0].kind != "unknown" else ""


def _without_the_list(text: str, names: Names) -> str:
    """Drop an echo of the options: every one of them, in order, each with its letter."""
    if len(names.letters) < 2:
        return text
    start, begin = 0, -1
    lowered = text.lower()
    for name, choice in zip(names.letters, names.choices, strict=True):
        pattern = rf"[(\[]?\b{name.lower()}\s*[).:\]]*\s*{re.escape(choice.lower())}[^\w(\[☐{SIGNS}]*"
        match = re.compile(pattern).search(lowered, start)
        gap = lowered[start : match.start()] if match and begin >= 0 else ""
        if not match or len(gap) > 2 or REJECTING_SIGN.search(gap) or re.search(f"[{SIGNS}]", gap):
            return text
        begin, start = (begin if begin >= 0 else match.start()), match.end()
    return f"{text[:begin]}\n{text[start:]}"


def _corrected(clauses: list[OptionClause]) -> str:
    """Return the option after the last "wait" or "actually"."""
    for index in range(len(clauses) - 1, 0, -1):
        if _CORRECTION.match(clauses[index].text):
            after = {mention.letter for clause in clauses[index:] for mention in clause.affirmed}
            if len(after) == 1:
                return after.pop()
    return ""


def _resolved(clauses: list[OptionClause], names: Names, question: str) -> str | None:
    """Return the concluded option; "" if two are left, or if it cannot be determined."""
    main = [index for index, clause in enumerate(clauses) if not CONTRAST.match(clause.text)]
    unsure = [index for index in main if _UNSURE.search(clauses[index].remainder)]
    if unsure:
        unknown = names.kinds.get("unknown", "")
        others = {one.letter for clause in clauses for one in names.find(clause.text)} - {unknown}
        others = others.difference(*(clause.denied for clause in clauses))
        clauses = clauses[unsure[0] + 1 :]
        sure = next((index for index, clause in enumerate(clauses) if _DESPITE.search(clause.text)), len(clauses))
        clauses = clauses[sure:]
        if not any(clause.affirmed for clause in clauses):
            return "" if others or clauses else unknown
    about = _of_what_is_asked(clauses, names, question)
    picks = [clause for clause in about if clause.affirmed]
    if not picks:
        return "" if any(clause.affirmed for clause in clauses) else _left_over(clauses, names)
    picks = [clause for clause in picks if not clause.is_question]
    last = [clause for clause in picks[::-1] if clause is picks[-1] or not CONTRAST.match(clause.text)]
    concluded = next((clause.pick for clause in last if clause.concludes), "")
    return concluded or _single(picks, names, question) or _of_the_question(picks, question)


def _of_what_is_asked(clauses: list[OptionClause], names: Names, question: str) -> list[OptionClause]:
    """Empty the clauses that state something else of images: "Both show dogs" to "Which image shows a cat?"."""
    request = _ASKS_FOR.search(question) if names.images else None
    if not request or request["not"]:
        return clauses
    tokens = words(normalize_phrases(request["what"]))
    stems = _stated_stems(request["what"])
    end = next((n for n, word in enumerate(tokens) if word.surface in _ENDS_NOUN and content(tokens[:n])), len(tokens))
    heads = {word.stem for word in content(tokens[:end])[-1:]} if request["shows"] else stems
    parts = [_NOT.sub("\0", clause.remainder, count=1).partition("\0") for clause in clauses]
    about = [
        not any(excludes(one, other) for one in _stated_stems(part) for other in stems - _stated_stems(part))
        and (
            any(implies(one, head) for one in _stated_stems(clause.text) - _stated_stems(denied) for head in heads)
            or bool(_stated_stems(part) & stems and re.search(r"\bones?\b", part))
        )
        for clause, (part, _, denied) in zip(clauses, parts, strict=True)
    ]
    option_clauses: list[OptionClause] = []
    for clause, (part, _, denied), on_it in zip(clauses, parts, about, strict=True):
        states = _STATES.search(part) if request["shows"] else any(about) and "both" in names.kinds
        both = any(mention.kind in ("both", "none") for mention in clause.affirmed)
        apart = _stated_stems(denied) & stems and not clause.denied  # "but not a red one", "without a red umbrella"
        if apart and option_clauses and not clause.affirmed and not _stated_stems(part):
            option_clauses[-1] = replace(option_clauses[-1], affirmed=())
        other = not on_it and ((_stated_stems(part) and (states or both)) or (both and _IN_KIND.search(part)))
        named = any(one.of_letter and _IS.search(clause.text[: one.start]) for one in clause.affirmed)
        empty = (apart or other) and not named and not CONCLUSION.search(clause.text)
        option_clauses.append(replace(clause, affirmed=()) if empty else clause)
    return option_clauses


def _stated_stems(text: str) -> set[str]:
    """Return the stems of what a text states: without places, and words for an option that fits."""
    tokens = content(words(normalize_phrases(text)))
    return {word.stem for word in tokens if word.surface not in _ENDS_NOUN and word.surface != "one"} - _FITS


def _single(picks: list[OptionClause], names: Names, question: str) -> str:
    """Return the only option: in brackets, in main clauses, anywhere; several of two images are "both"."""
    brackets = {mention.letter for clause in picks for mention in clause.affirmed if mention.by_letter}
    if len(brackets) == 1:
        return brackets.pop()
    main = [clause for clause in picks if not _REASON.match(clause.text) and not CONTRAST.match(clause.text)] or picks
    kinds = {mention.letter: mention.kind for clause in main for mention in clause.affirmed if mention.kind}
    letters = {mention.letter for clause in main for mention in clause.affirmed}
    if len(letters) == 1 and len(main) < len(picks) and (option := _of_the_question(picks, question, least=2)):
        return option
    both, images = names.kinds.get("both", ""), set(names.images.values())
    if len(letters) == 1:
        return letters.pop()
    if both in kinds and letters - set(kinds):
        later = [
            clause.pick for clause in main[1:] if clause.pick and clause.pick not in kinds and _MORE.search(clause.text)
        ]
        apart = any(both in clause.letters and len(clause.letters & images) == 1 for clause in main)
        return later[-1] if later else "" if apart else both  # "Dogs are in both images, and a cat is in Image 2"
    lettered = any(mention.of_letter for clause in main for mention in clause.affirmed)
    if len(kinds) == 1 and {*kinds.values()} <= ({"same", "none"} if images and not lettered else {"same"}):
        return next(iter(kinds))
    together = len(picks) == 1 and picks[0].in_one_list and not re.search(r"\b(?:or|if)\b|[<>]", picks[0].text)
    if both and len(images) == 2 and letters == images and not lettered and (together or _ALSO.search(picks[-1].text)):
        return both
    singles = {clause.pick for clause in main if clause.pick} or {clause.pick for clause in picks if clause.pick}
    grouped = any(len(clause.letters) > 1 for clause in main)
    return singles.pop() if len(singles) == 1 and grouped else ""


def _of_the_question(picks: list[OptionClause], question: str, least: int = 1) -> str:
    """Return the option of the clause with most question words, by a margin of ``least``."""
    keywords = {word for word in re.findall(r"[a-z]{3,}", question.lower()) if word not in _SMALL_WORDS}
    shared: dict[str, int] = {}
    for clause in picks:
        if clause.pick:
            words = keywords & set(re.findall(r"[a-z]{3,}", clause.text.lower()))
            shared[clause.pick] = max(len(words), shared.get(clause.pick, 0))
    ranked = sorted(shared, key=lambda name: -shared[name])
    return ranked[0] if len(ranked) > 1 and shared[ranked[0]] - shared[ranked[1]] >= least else ""


def _left_over(clauses: list[OptionClause], names: Names) -> str | None:
    """Return the "none" option if all others are denied, "" if some are: which one remains is no answer."""
    denied = frozenset[str]().union(*(clause.denied for clause in clauses))
    if any(clause.denied_by_letter for clause in clauses):
        return ""  # who denies letters does not say that nothing fits
    remaining = set(names.letters) - denied - set(names.kinds.values())
    if denied and not remaining and "none" in names.kinds:
        return names.kinds["none"]
    return "" if denied else None
