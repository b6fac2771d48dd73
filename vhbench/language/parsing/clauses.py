"""Clauses of a response, with the options each affirms and denies."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from vhbench.language import lexicon
from vhbench.language.parsing.assent import NO_SIGNS
from vhbench.language.parsing.option_names import Mention, Names
from vhbench.language.parsing.wordings import wording

_BE = (
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|would|should|will|seems?|appears?|looks?|shows?|contains?)"
)
_DO = r"(?:does|do|did|is|has|may|might|can|could|will|would)"  # verb of "so does it"
REJECTING_SIGN = re.compile(f"[{NO_SIGNS}☐≠¬]")
_DENIED_BEFORE = re.compile(
    r"(?i)(?:\b(?:none(?=\s+in\b)|not(?!\s+only)|never|cannot|neither|nor|no\s+way|without(?!\s+(?:an?y?\s+)?(?:doubt|question)|.*\bI(?:'d|\s+would)\b)|problems?\s+with|issues?\s+with|contrary\s+to|unlike|unlikely(?:\s+to)?(?:\s+be)?|disagree\s+with|(?:wrong|incorrect)\s+(?:answer|option|choice|one)\s+(?:is|was|(?:would|could)(?:\s+be)?)|(?:wrong|incorrect|mistake)\s+to|hardly|nobody|no\s+one|except|exclud(?:e[ds]?|ing)|reject(?:s|ed|ing)?"
    r"|than|scrap|forget|retract|followed\s+(?:\w+ly\s+)?by|beats|trumps|edges\s+out|(?:ranks\s+above|ahead\s+of)|out(?:performs|ranks|does|shines|weighs|classes)|surpasses|defeats|wins?\s+(?:against|over)|(?:superior|preferable)\s+to|(?:(?-i:[A-J])\)?|picked|chosen|selected|preferred)\s+over|instead\s+of|rather\s+than|rul(?:e[ds]?|ing)\s+out|eliminat(?:ed?|ing)|as\s+opposed\s+to|compared\s+(?:to|with)"
    r"|in\s+contrast\s+to|prefer\w*\s.*\b(?:over|to)|(?<!no\s)(?<!without\s)(?<!\sa\s)(?<!any\s)doubts?|avoid|skip|cross(?:ed|ing)?\s+out|against|similar\s+to\s+an?|far\s+from\s+being|lacks?|too\s+\w+\s+(?:for|to\s+be)|refus(?:e|ing)\s+to|nothing\s+(?:like|indicates|suggests)|no(?=\s+(?:[a-z]|\Z))(?!\s+(?:doubts?|question|hesitation|other|better|more|longer|need|reason|option|choice|answer|matter|problem|contest|one|clear|it|the|i|this|that)\b))|n't)\b(?P<between>(?:(?!\b(?:leav|choos|pick|select|support|favou?r|keep|accept|confirm))[^,;:])*)\Z"
    r"|(?:\b(?:not|never|cannot|neither|nor|none|nothing|nobody|no\s+one|refuse)|n't)\s+(?:\w+\s+){0,4}?(?:choos|pick|select|support|favou?r|accept|confirm)\w*\s+(?:option\s+)?\W?\Z"
    r"|(?:\b(?:no(?=\s)|not|never|cannot|neither|without)|n't)\b(?:(?!\b(?:but|is|are|was|it|rather|either|so|doubt)\b)[^;:.])*\b(?:x?or|nor)\s+(?:(?:an?|any|no|the|in|on)\s+)*\Z"
    rf"|(?-i:\b[A-J])\)?\s*>\s*\(?\Z|\A\W*(?:{REJECTING_SIGN.pattern}|(?:wrong|incorrect|false|rejected|excluded|eliminated)\s*:)\W*\Z"
)
_DENIED_AFTER = re.compile(
    rf"(?i)\A[\s\"')\]|]*(?:\([^()]*\)\s*)?(?:,(?=\s+(?:is|was)\b))?[\s:–—=>→(\[-]*(?:(?:image|picture|option|one|this|that|it)(?:'s)?\s+)?(?:(?:also|clearly|definitely"
    rf"|probably)\s+)?(?:(?P<judged>(?:0\s*(?:%|/)|misses|omits|ignores|(?:describes|shows|depicts|names)\s+(?:another|something\s+else|a\s+different)|makes\s+no|would\s+have\s+been|as\s+(?:an?\s+)?(?:mistake|error)|(?:\w+)?,\s+which\s+(?:is|was|would\s+be)\s+(?:wrong|incorrect|false)|incorrect|wrong|false|absent|ruled\s+out|out(?=\s*(?:[,;.]|\Z))|(?:exclud|reject|eliminat|discard|dismiss)ed|contradicts)\b|(?:is|are|(?:seem|look|sound|appear|feel)s?|was|ha(?:s|ve)\s+been|(?:can|must|has\s+to|may|might|could|would|should)\s+be)\s+(?:(?:also|both|all|an?|the|only|\w+ly)\s+)*"
    rf"(?:mistake|error|contradicted|disqualified|opposite|trap|off\b|too\s+\w+|almost\s+\w+|nearly\s+\w+|something\s+else|another\b|my\s+(?:second|third|last)|one\s+of\s+the\s+(?:options|choices)|far\s+from\s+(?:right|correct|true|certain)|hardly\s+(?:right|correct|true)|nowhere|incorrect|wrong|ruled|eliminated|excluded|rejected|discarded|dismissed|unlikely|false|out\b|not\s+(?:it|right|correct|what|the\s+(?:\w+\s+)?answer)\b|(?:the\s+)?(?:least|wrong)\b|what\s+(?!I\b)\w+\s+(?:would|might|may|could)\b|the\s+worst\s+(?:option|choice|answer)\b)"
    rf"|{REJECTING_SIGN.pattern})|{_BE}(?:n't|\s+(?:also\s+|clearly\s+|definitely\s+|probably\s+)?(?:not(?!\s+only)|no"
    r"|never|without|nothing))\b|(?:cannot|can't)\b(?!\s+be\s+(?:wrong|denied))|won't\b|(?:no(?!\s+(?:doubt|question|contest)\b)|not(?!\s+[(\[]?(?-i:[A-J])\b)|none|without(?!\s+(?:an?y?\s+)?(?:doubt|question|hesitation))|lacks?)\b"
    r"|(?:is|are|seems?|was)\s+(?:also\s+)?(?:absent|irrelevant))"
)
_CLAUSE = re.compile(
    r"(?<=[\w)\"'])(?<!\bvs)[.!]+(?=\)?(?:\s|\Z))|(?P<question>\?+)|[;\n]+"
    rf"|(?:,\s*|(?<!\b[Ii]f)\s+)(?=(?:(?:and\s+)?(?:so(?!\s+(?:called|{_DO})\b)|therefore|thus|hence|but|while|whereas|although|though|however|yet"
    r"|because|since)\b))"
    r"|(?P<another>,\s+|\s+(?=and\b))(?=(?:the\s+)?(?:\w+\s+)?(?:image|picture|point|box|option|one)\s*+\w*+\s+(?!and\b|or\b|nor\b)\w"
    r"|and\s+(?:the\s+)?(?:\w+\s+)?(?:image|picture|point|box|option)\s*+\w*+\s+(?:is|are|has|have|does|do|shows?|contains?"
    r"|an?|no)\b)"
    r"|,\s+(?=(?:and\s+)?(?:second|less\s+likely|both|neither|only|wait|actually|sorry|on\s+(?:reflection|closer|second)|no,|no\s+wait|not|i\s|it(?:'s|\s+is)\s+(?:option\s+)?[(\[]?(?-i:[A-J]))\b)|\s+[–—-]+\s+(?!(?:(?:this|that|it)\s+)?(?:is\s+|does\s+)?(?:not?|(?:in)?correct"
    r"|wrong|right|true|false|absent|ruled)\b)",
    re.IGNORECASE,
)
CONCLUSION = re.compile("(?i)" + wording("concludes"))
_WHILE = r"while|whereas|although|even\s+if|(?:even\s+)?though"
_CONCESSION = re.compile(
    rf"(?i)\A\W*(?:{_WHILE}|despite|in\s+spite\s+of|regardless\s+of|no\s+matter|unlike|in\s+contrast\s+to|compared\s+(?:to|with)|contrary\s+to|instead\s+of|rather\s+than|as\s+opposed\s+to|more\s+(?:so\s+)?than"
    r"|(?:(?:after|having)\s+)?(?:exclud|eliminat|rul)(?:ing|ed))\b[^,]+,"
)
CONTRAST = re.compile(rf"(?i)\A\W*(?:{_WHILE}|unlike|compared|in\s+contrast|on\s+the\s+other\s+hand)\b")
LOOKS = re.compile("(?i)" + wording("looks"))
_FOUND = re.compile(r"(?i)\s+(?:to\s+be\b|(?:as\s+)?(?:the\s+)?(?:correct|right|best|better|mo(?:re|st)\s+\w+)\b)")
_WEAKER = re.compile(
    r"(?i)\s+(?:(?:is|was|seems|looks|appears|fits|matches|ranks|scores)\s+(?:(?:the|an?|even|much|far|\w+ly)\s+)*(?:(?P<less>less|worse|weaker|poorer|lower"
    r"|(?:further|farther)\s+(?:off|(?:away\s+)?from))\b(?:[^,;.]{0,30}?\s+than)?|(?P<under>below|behind)|not\s+as\s+\w+(?:\s+an?\s+\w+)?\s+as|inferior\s+to|second\s+to"
    r"|(?:beaten|outdone|surpassed|outperformed)\s+by)|(?:loses|yields)\s+(?:out\s+)?(?:to|against)|falls\s+short\s+of|trails|lags\s+behind)\b"
)
_AGAINST = re.compile("(?i)" + wording("against"))  # What speaks against a letter in its part of a clause
_against = lru_cache(maxsize=64)(_AGAINST.search)  # a list of letters asks for one part as often as it names them
_APART = re.compile(r",|(?:\b(?:and|as)|:)\s+(?=[(\[]?[A-J][)\]]?\s+(?:is|was|\w+s|second|next|last)\b)")
_DISMISSED = re.compile(rf"(?i)\b(?:than|instead\s+of)\W*\Z|{REJECTING_SIGN.pattern}\W*\Z")
_RESTATES = re.compile(r"(?i)[\s\"')\]]*\b(?:says|states|reads|mentions|claims)\s*[:\"]")
_NOT_SO = re.compile(r"(?i)\s+(?:does|is|are)(?:n't|\s+not)\b")
_NEGATED = re.compile(r"(?i)(?:\bnot|n't)\s+(?:option\s+)?\W?\Z")
_WEIGHED = re.compile(r"(?i)\s+(?:looked|seemed|appeared|could|might|may)\b")
_IMPERFECT = re.compile(
    r"(?i)\s+(?:can|could)\s+be\s+(?:\w+ly\s+)?(?:confirmed|verified|determined|established|(?:ruled|excluded)\b)|\s+is\s+(?:wrong|incorrect|false|perfect|ideal|exact|certain|(?:\w+ly|quite|a)\s+(?:right|correct|perfect))\b"
)
_PLAN = re.compile(
    r"(?i)\A\W*(?:(?:ok(?:ay)?|so|now|first(?:ly)?|next|then|got\s+it|alright|sure|well|hmm+)\W+)*(?:let\s+me|let's|let\s+us|(?:i|we)\s+(?:will|need"
    r"|should|have)\s+to|we\s+(?:need|should)|i'll\s+(?:look|check|compare))\b"
)
_CUT_OFF = re.compile(
    r"(?i)\b(?:(?-i:an?)|the|(?-i:(?<![A-J]\sit\s)is)|are|was|of|in|on|at|to|and|or|but|with|for|its|this|that|these|which|we|by|from|as|than"
    r"|so|has|have|shows?|contains?|depicts?|see|sees|because|since|whether|(?<!\bis\s)(?-i:I))\s*\Z|[\w,]\s*[,:]\s*\Z|\A\W*(?:first(?:ly)?|second(?:ly)?|next),?\s+\W?(?-i:[A-J])\W?\Z"
)
_LISTED = re.compile(r"(?i)\s*(?:,|,?\s*(?:and|or|nor)\b|/|&)\s*(?:in\s+|on\s+)?(?:the\s+)?")
_OR_NEXT = re.compile(r"(?i)(?:,[^,.;:!?\n]{1,25}){0,4},?\s+(?:or|nor)\s")
_LIKEWISE = re.compile(
    r"(?i)\W*(?:(?:and\s+)?(?:so|nor|neither)\s+(?:is|does|do|are)|same\s+(?:for|with|goes\s+for))\b"
)
_PRESENT = re.compile(
    r"(?i)\s+(?:(?:is|are|can\s+be)\s+(?:\w+ly\s+)?(?:in\s+the|visible|present|shown|seen|there)|appears?\s+in)\b"
)
_CHOOSES = re.compile(r"(?i)(?:choos|pick|select|go)")
_OTHERWISE = re.compile(
    r"(?i)\s+(?:is|was|fits|matches|seems|looks)\s+(?:the\s+)?(?!not?\b|out|wrong|incorrect|in\b)\w"
)
_IF = re.compile(
    r"(?i)(?:(?<!\bas\s)\b(?:if|unless|otherwise|only\s+(?:at|when|by|during)|it\s+would\s+take)|\A\W*(?:(?:but|and|so|or|only)\s+)?(?:assum(?:e|ing)|provided|suppos\w+|(?:were|for)\s+(?:option\s+)?\W?(?-i:[A-J])\W?\s+(?:to\b|correct|right|true)|had\s+(?:i|we)))\b(?!\s+(?:(?:i|we|you|one)\b(?!\s+(?:could\s+(?:\w+ly\s+)?(?:see|view|look|access)|w(?:ere|as)\s+able|saw|knew|had\s+(?:seen|access))\b)"
    r"|(?:anything|forced|pressed|asked|in\s+doubt)\b))"
)
_THINKS = re.compile(r"(?i)\W*(?:\w+\W+)?I(?:'d|\s+would)?\s+(?:think|say|guess)\b")
_SO = re.compile(r"(?i)(?:then\s+)?(?:i|it)\b")
_PLURAL = re.compile(r"(?i)[\s)\]\"']*(?::|(?:are|were|do|have|can|could|would|will|must|may)(?:\b|not\b|n't))")
_STATES = re.compile(
    r"(?i)\b(?:is|are|was|were|has|have|do|does|shows?|contains?|see|depicts?|resembles?|match(?:es)?|fits?|shares?|looks?"
    r"|seems?|appears?|corresponds?|encloses?)\b"
)
_STILL = re.compile(
    r"(?i)\band\s+(?!so\s+is\s+\W?(?-i:[A-J])\b)(?:therefore\s+|thus\s+|so\s+)?(?:is|are|seems?|appears?|looks?)\b(?!\s+(?:not|no|also\s+not)\b)"
)
_ABSENCE = re.compile(
    r"(?i)\b(?:does|do|is|are|has|have)(?:\s+not|n't)\b|\bwithout\b|\b(?:has|have|shows?|contains?)\s+no\b"
)
_OPPOSITES = tuple(tuple(pair.split("/")) for pair in lexicon.words("opposite comparisons"))


@dataclass(frozen=True)
class OptionClause:
    """Part of a response, with the options it affirms and denies, and whether it denies one by its letter alone."""

    text: str
    is_question: bool
    affirmed: tuple[Mention, ...]
    denied: frozenset[str]
    denied_by_letter: bool = False

    @property
    def remainder(self) -> str:
        """Its text without the words of the options it affirms, but for one like "not sure"."""
        text = self.text
        for mention in [mention for mention in self.affirmed[::-1] if mention.kind != "unknown"]:
            text = text[: mention.start] + text[mention.end :]
        return text

    @property
    def concludes(self) -> bool:
        """Whether it is the name of one option alone, or concludes with it."""
        return bool(self.pick and (CONCLUSION.search(self.text) or not re.search(r"\w", self.remainder)))

    @property
    def in_one_list(self) -> bool:
        """Whether its options are named in one list: "Image 1 and Image 2"."""
        return all(_LISTED.fullmatch(self.text[a.end : b.start]) for a, b in pairwise(self.affirmed))

    @property
    def pick(self) -> str:
        """The only affirmed option; "" for none or several."""
        return next(iter(self.letters)) if len(self.letters) == 1 else ""

    @property
    def letters(self) -> frozenset[str]:
        """The options that it affirms."""
        return frozenset(mention.letter for mention in self.affirmed)


class _Request(NamedTuple):
    """What a question asks for: absence, in which words, the opposite of these words."""

    absence: bool
    words: str
    opposite: re.Pattern[str] | None


def clauses_of(text: str, names: Names, question: str) -> list[OptionClause]:
    """Return the clauses of a response; of a truncated one, those before the last, with what they conclude."""
    clauses: list[OptionClause] = []
    wording = f"{question} {names.choices}".lower()
    request = _Request(bool(_ABSENCE.search(question)), wording, _opposite(question, names))
    start = 0
    texts = re.compile(
        "|".join(re.escape(choice.rstrip(".")) for choice in names.choices if _CLAUSE.search(choice)) or r"\Z", re.I
    )
    spans = [match.span() for match in texts.finditer(text)]
    for cut in [*_CLAUSE.finditer(text), None]:
        end = cut.start() if cut else len(text)
        part = text[start:end]
        if cut and cut["another"] and not _STATES.search(part):
            continue  # "Image 1, Image 2 and Image 3 are …" is one clause
        if cut and _IF.match(part.strip()) and _SO.match(text, end + len(cut[0])):
            continue  # "If it were darker, I would say B"
        name = Mention(end - 1, end, part[-1:])
        named = name.letter in names.letters and text_after(text[end:], name, names) != text[end:]
        if cut and (named or any(begin < cut.start() < last for begin, last in spans)):
            continue  # "B. Image 2 - correct" as well, and "not a cup but a mug" as an option
        conceded = _CONCESSION.match(part)
        parts = (part[: conceded.end()], part[conceded.end() :]) if conceded else (part,)
        for piece in filter(str.strip, parts):
            clause = _clause(piece, bool(cut and cut["question"]), names, request)
            if clauses and not clauses[-1].letters and clauses[-1].denied and _LIKEWISE.match(piece):
                clause = replace(clause, affirmed=(), denied=clause.letters)  # "A is wrong. Same for B."
            clauses.append(clause)
        start = cut.end() if cut else end
    plans = bool(clauses) and text[-1:].isalnum() and _PLAN.match(clauses[-1].text)
    kept = clauses if len(clauses) == 1 and text[-1:] != ":" else clauses[:-1]
    begins = kept is clauses and not any(mention.start for mention in clauses[0].affirmed)
    if plans or (_CUT_OFF.search(text) and not begins):
        clauses = [clause if clause.concludes else replace(clause, affirmed=()) for clause in kept]
    return clauses


def _clause(text: str, is_question: bool, names: Names, request: _Request) -> OptionClause:
    affirmed, denied = list[Mention](), list[Mention]()
    cuts = [0, *(cut.end() for cut in _APART.finditer(text)), len(text)]
    consumed, turned = 0, False  # "A is farther than B" affirms B where the closer one is requested
    is_question = (is_question and not _THINKS.match(text)) or bool(_IF.search(text))  # a condition is no answer either
    mentions = [*names.find(text)]
    whole, ends = text, dict[int, int]()  # end of a mention → end of its option's text after it
    for mention in mentions:
        at = mention.end - 1 if denied and _CHOOSES.match(text, mention.start) else mention.start
        before, after = text[max(0, at - 80) : at], text_after(text[mention.end :], mention, names)
        start, end = max(cut for cut in cuts if cut <= mention.start), min(cut for cut in cuts if cut >= mention.end)
        against = _against(text[start:end]) if mention.of_letter else None
        if mention.start < consumed:
            continue  # part of an option's text after its letter: "(E) None of the above"
        if _RESTATES.match(after):
            break  # "Option B says: cat"
        consumed = ends[mention.end] = len(text) - len(after)
        text = text[: mention.end] + " " * (consumed - mention.end) + text[consumed:]
        if _chooses_nothing(text, mention, mentions, before, after) or (request.absence and _PRESENT.match(after)):
            continue  # "The dog is visible" to "What is not visible?"
        no = _DENIED_AFTER.match(after[:60])
        if (
            mention.kind in ("none", "unknown", "same")
            and not _DISMISSED.search(before)
            and not ((no and no["judged"]) or _NOT_SO.match(after))
        ):
            affirmed.append(mention)
        elif (LOOKS.search(before) and not _FOUND.match(after)) or (
            _PLAN.match(text) and not (mention.by_letter or re.fullmatch(r"\W*|.*,\s*", before))
        ):
            continue
        elif (than := _denial(text, mention, denied, before, after)) or (
            against and against[0].lower() not in request.words
        ):
            (affirmed if turned and re.search(r"\bthan\b|\bas\b", than) else denied).append(mention)
        elif (
            no and (no["judged"] or not request.absence) and not _STILL.search(after[:200]) and not _WEAKER.match(after)
        ):
            denied.append(mention)
            while affirmed and _PLURAL.match(after) and _LISTED.fullmatch(text[affirmed[-1].end : denied[-1].start]):
                denied.append(affirmed.pop())  # "A and B are wrong"
        elif request.opposite and request.opposite.search(after[:200]):
            turned = True
            denied.append(mention)
            if len(names.letters.replace(mention.letter, "")) == 1:  # "B is farther away" to "Which is closer, A or B?"
                affirmed.append(replace(mention, letter=names.letters.replace(mention.letter, "")))
        elif (less := _WEAKER.match(after)) and (less["less"] or less["under"] or "?!").lower() not in request.words:
            turned = True
            denied.append(mention)
        else:
            affirmed.append(mention)
    if re.search(r"(?i)\bneither\b.*\bnor\b", text):
        affirmed = [mention for mention in affirmed if mention.kind != "none"]  # both are denied, which may be all
    if re.search(r"(?i)\bboth\s+(?:the|an?|his|her)\b.*\band\b", text) and len(affirmed) < 3:
        affirmed = [mention for mention in affirmed if mention.kind != "both"]  # "Both the man and the cat"
    by_letter = any(mention.of_letter and ends[mention.end] == mention.end for mention in denied)
    for mention in denied:  # "(B) Cannot be determined: no" is not undecided
        whole = whole[: mention.end] + " " * (ends[mention.end] - mention.end) + whole[ends[mention.end] :]
    return OptionClause(whole, is_question, tuple(affirmed), frozenset(mention.letter for mention in denied), by_letter)


def _denial(text: str, mention: Mention, denied: list[Mention], before: str, after: str) -> str:
    """Return the words before a mention that deny it, a comma if it stands in a list of denied ones, else ""."""
    if match := _DENIED_BEFORE.search(f"{before} or " if _OR_NEXT.match(after[:80]) else before):
        return match[0]
    between = text[denied[-1].end : mention.start] if denied else "."
    listed = _LISTED.fullmatch(between) and not (_OTHERWISE.match(after) or _CHOOSES.match(text, mention.start))
    too = denied and (re.search(r"\b(?:so|as) is \Z", before) or re.match(r"\W*too\W*\Z", after))
    return "," if listed or too else ""


def _chooses_nothing(text: str, mention: Mention, mentions: list[Mention], before: str, after: str) -> bool:
    """Return whether words for an option like "None" or "Both" have another sense in their clause."""
    if mention.kind == "none":  # "The giraffe is not in any image", "There is none in Image 2"
        lettered = any(one.of_letter and not one.by_letter for one in mentions)
        return mention is not mentions[0] or lettered or bool(_IMPERFECT.match(after) or _NEGATED.search(before))
    if mention.kind == "both":  # "A and B both fit"
        lettered = any(one.of_letter and one.letter != mention.letter for one in mentions)
        return lettered or before.lower().endswith("of ") or bool(_WEIGHED.match(after))
    return mention.kind == "unknown" and bool(CONTRAST.match(text))  # "The man smiles, though I cannot tell why"


def text_after(rest: str, mention: Mention, names: Names) -> str:
    """Return the text after a mention, and after the text of its option if that follows: "(B) no, it is not far"."""
    choice = names.choices[names.letters.index(mention.letter)].strip().rstrip(".")
    match = re.match(rf"(?i)[\s\"')\]*]*[:.,|–—-]?[\s\"'(\[*]*{re.escape(choice)}(?!\w|\s+wait\b)", rest)
    return rest[match.end() :] if match else rest


def _opposite(question: str, names: Names) -> re.Pattern[str] | None:
    """Return a pattern for the opposite of the question's word: "farther" for "closer"."""
    wording = f"{question} {' '.join(names.texts.values())}".lower()
    words = {
        other
        for pair in _OPPOSITES
        for word, other in (pair, pair[::-1])
        if word in wording and re.search(rf"\b{word}\b", wording) and not re.search(rf"\b{other}\b", wording)
    }
    if "and not in" in wording and re.search(r"(?i)\band not in\b", question):
        return re.compile(r"(?i)\A[^,;]*?\bin\s+(?:both|all)\b")
    if not words:
        return None
    return re.compile(
        r"(?i)\A[^,;]*?\b(?:is|are|appears?|seems?|looks?|has|have|shows?|being)\b[^,;]{0,30}"
        rf"\b(?:{'|'.join(sorted(words)).replace('_', ' ')})\b"
    )
