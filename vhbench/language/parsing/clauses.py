"""Clauses of a response, with the options each affirms and denies."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from vhbench.language import lexicon
from vhbench.language.parsing.option_names import Mention, Names

_BE = (
    r"(?:is|are|was|were|does|do|did|has|have|had|can|could|would|should|will|seems?|appears?|looks?|shows?|contains?)"
)
REJECTING_SIGN = re.compile("[❌✗✘☐≠¬]")
_DENIED_BEFORE = re.compile(
    r"(?i)(?:\b(?:none(?=\s+in\b)|not(?!\s+only)|never|cannot|neither|nor|without(?!\s+(?:an?y?\s+)?(?:doubt|question)|.*\bI(?:'d|\s+would)\b)|problems?\s+with|issues?\s+with|contrary\s+to|unlike|unlikely(?:\s+to)?(?:\s+be)?|disagree\s+with|(?:wrong|incorrect)\s+(?:answer|option|choice|one)\s+(?:is|was|(?:would|could)(?:\s+be)?)|(?:wrong|incorrect|mistake)\s+to|hardly|nobody|no\s+one|except|exclud(?:e[ds]?|ing)|reject(?:s|ed|ing)?"
    r"|than|scrap|forget|retract|followed\s+(?:\w+ly\s+)?by|beats|trumps|edges\s+out|(?:ranks\s+above|ahead\s+of)|out(?:performs|ranks|does|shines|weighs|classes)|surpasses|defeats|wins?\s+(?:against|over)|(?:superior|preferable)\s+to|(?:(?-i:[A-J])|picked|chosen|selected|preferred)\s+over|instead\s+of|rather\s+than|rul(?:e[ds]?|ing)\s+out|eliminat(?:ed?|ing)|as\s+opposed\s+to|compared\s+(?:to|with)"
    r"|in\s+contrast\s+to|prefer\w*\s.*\b(?:over|to)|(?<!no\s)(?<!without\s)(?<!\sa\s)(?<!any\s)doubts?|avoid|no\s(?!doubt)[^,;:]*\bin)|n't)\b(?P<between>(?:(?!\b(?:leav|choos|pick|select|support|favou?r|keep|accept|confirm))[^,;:])*)\Z"
    r"|(?:\b(?:not|never|cannot|neither|nor|none|nothing)|n't)\s+(?:\w+\s+){0,4}?(?:choos|pick|select|support|favou?r|accept|confirm)\w*\s+(?:option\s+)?\W?\Z"
    rf"|(?-i:\b[A-J])\)?\s*>\s*\(?\Z|\A\W*(?:{REJECTING_SIGN.pattern}|(?:wrong|incorrect|false|rejected|excluded|eliminated)\s*:)\W*\Z"
)
_DENIED_AFTER = re.compile(
    rf"(?i)\A[\s\"')\]|]*(?:\([^()]*\)\s*)?[\s:–—=>→(-]*(?:(?:image|picture|option|one|this|that|it)(?:'s)?\s+)?(?:(?:also|clearly|definitely"
    rf"|probably)\s+)?(?:(?P<judged>(?:makes\s+no|would\s+have\s+been|as\s+(?:an?\s+)?(?:mistake|error)|(?:\w+)?,\s+which\s+(?:is|was|would\s+be)\s+(?:wrong|incorrect|false)|incorrect|wrong|false|absent|ruled\s+out|out(?=\s*(?:[,;.]|\Z))|(?:exclud|reject|eliminat|discard|dismiss)ed|contradicts)\b|(?:is|are|(?:seem|look|sound|appear)s?|was|ha(?:s|ve)\s+been|(?:can|must|has\s+to|may|might|could|would|should)\s+be)\s+(?:(?:also|both|all|\w+ly)\s+)?"
    rf"(?:an?\s+(?:mistake|error)|far\s+from\s+(?:right|correct|true|certain)|hardly\s+(?:right|correct|true)|nowhere|incorrect|wrong|ruled|eliminated|excluded|rejected|discarded|dismissed|unlikely|false|out\b|not\s+(?:it|right|correct|visible|shown|present|what|the\s+(?:\w+\s+)?answer)\b|(?:the\s+)?(?:least|wrong)\b|what\s+\w+\s+(?:would|might|may|could)\b|the\s+worst\s+(?:option|choice|answer)\b)"
    rf"|{REJECTING_SIGN.pattern})|{_BE}(?:n't|\s+(?:also\s+|clearly\s+|definitely\s+|probably\s+)?(?:not(?!\s+only)|no"
    r"|never|without|nothing))\b|(?:cannot|can't)\b(?!\s+be\s+(?:wrong|denied))|won't\b|(?:no(?!\s+(?:doubt|question|contest)\b)|not(?!\s+[(\[]?(?-i:[A-J])\b)|none|without(?!\s+(?:an?y?\s+)?(?:doubt|question|hesitation))|lacks?)\b"
    r"|(?:is|are|seems?|was)\s+(?:also\s+)?(?:absent|irrelevant))"
)
_CLAUSE = re.compile(
    r"(?<=[\w)\"'])(?<!\bvs)[.!]+(?=\)?(?:\s|\Z))|(?P<question>\?+)|[;\n]+"
    r"|(?:,\s*|(?<!\b[Ii]f)\s+)(?=(?:(?:and\s+)?(?:so(?!\s+(?:called|do|does|is|has)\b)|therefore|thus|hence|but|while|whereas|although|though|however|yet"
    r"|because|since)\b))"
    r"|(?P<another>,\s+|\s+(?=and\b))(?=(?:the\s+)?(?:\w+\s+)?(?:image|picture|point|box|option|one)\s*+\w*+\s+(?!and\b|or\b|nor\b)\w"
    r"|and\s+(?:the\s+)?(?:\w+\s+)?(?:image|picture|point|box|option)\s*+\w*+\s+(?:is|are|has|have|does|do|shows?|contains?"
    r"|an?|no)\b)"
    r"|,\s+(?=(?:and\s+)?(?:second|less\s+likely|both|neither|only|wait|actually|sorry|on\s+(?:reflection|closer|second)|no,|not|i\s|it(?:'s|\s+is)\s+(?:option\s+)?[(\[]?(?-i:[A-J]))\b)|\s+[–—-]+\s+(?!(?:(?:this|that|it)\s+)?(?:is\s+|does\s+)?(?:not?|(?:in)?correct"
    r"|wrong|right|true|false|absent|ruled)\b)",
    re.IGNORECASE,
)
CONCLUSION = re.compile(
    r"(?i)\A\W*(?:and\s+)?(?:so\b(?!\s+(?:similar|close|that|much|many))|therefore|thus|hence|consequently|in"
    r"\s+(?:conclusion|summary|short|the\s+end)|to\s+(?:conclude|sum\s+up)|overall|as\s+a\s+result|accordingly"
    r"|ultimately|finally|conclusion|given\s+(?:this|these)|based\s+on\s+(?:this|these))\b|\b(?:i(?:'d|'ll|\s+would"
    r"|\s+will|\s+must|\s+have\s+to|\s+now)?\s+(?:say|think|believe|choose|pick|select|go\s+(?:with|for)|guess|conclude|opt\s+for|lean)"
    r"|let's\s+go\s+(?:with|for)|that\s+leaves|leaving\s+only|it\s+must\s+be|it\s+has\s+to\s+be|my\s+(?:best\s+)?(?:guess|choice|pick|answer)"
    r"|best\s+(?:guess|match|answer|option|choice|fit)|mo(?:st|re)\s+likely|(?:is|be|as|looks|seems|fits|works)\s+(?:the\s+|even\s+|much\s+|far\s+|fully\s+|completely\s+|entirely\s+)?(?:most\s+)?(?:correct"
    r"|right|appropriate|better|stronger)\b(?!\s+of\b)|(?:is|be)\s+the\s+(?:\w+\s+)?(?:answer|option|choice|one)\b|(?:is|be)\s+what\b(?!\s+\w+\s+(?:would|might|may|could)\b)|(?-i:\b[A-J])\W+it\s+(?:is|must\s+be)\W*\Z|\bit(?:'s|\s+is)\s+(?-i:\W?[A-J]\b))"
)
_WHILE = r"while|whereas|although|even\s+if|(?:even\s+)?though"
_CONCESSION = re.compile(
    rf"(?i)\A\W*(?:{_WHILE}|despite|in\s+spite\s+of|regardless\s+of|no\s+matter|unlike|in\s+contrast\s+to|compared\s+(?:to|with)|contrary\s+to|instead\s+of|rather\s+than|as\s+opposed\s+to|more\s+(?:so\s+)?than"
    r"|(?:(?:after|having)\s+)?(?:exclud|eliminat|rul)(?:ing|ed))\b[^,]+,"
)
CONTRAST = re.compile(rf"(?i)\A\W*(?:{_WHILE}|unlike|compared|in\s+contrast|on\s+the\s+other\s+hand)\b")
LOOKS = re.compile(
    r"(?i)\b(?:examin\w*|look(?:ed|ing|s)?\s+(?:\w+\s+)?(?:at|for)|why\s+(?:one|some\w*|people|you)|compar(?:e|ed|es|ing)\b|check\w*|analy[sz]\w*|consider\w*"
    r"|inspect(?:ed|ing|s)?\b|stud(?:y|ied|ying)|start(?:ing)?\s+with|focus\w*\s+on|whether|was\s+going\s+to|choices?\s+(?:are"
    r"|were)|options?\s+(?:are|were|include)|tempt(?:ing|ed)\s+to|(?:would|could|might)\s+have\s+(?:said|chosen|picked|thought|gone|been)|(?:people|others|many|some|someone|you|one|another|person)\s+(?:\w+\s+){0,2}(?:might|may|could)"
    r"|(?:people|others|many|some|someone)\s+(?:\w+\s+)?would)\b(?:[^,;:]|,\s*(?:and\s+)?then\b)*\Z"
    r"|\b(?:others|(?:some|many|most)\s+people|example|for\s+instance|such\s+as|format(?:\s+is)?|like\s+this)\W*(?:answers?\s*(?:is|was)?\W*)?\Z|(?:\A\W*(?:of|the\s+(?:first|second|third|fourth|next|last|other)\s+(?:(?:option|choice|one)\s+)?is)|\b(?:between|among|out\s+of))\b(?:(?!\b(?:is|would\s+be)\b)[^,;:])*\Z"
)
_FOUND = re.compile(r"(?i)\s+(?:to\s+be\b|(?:as\s+)?(?:the\s+)?(?:correct|right|best|better|mo(?:re|st)\s+\w+)\b)")
_WEAKER = re.compile(
    r"(?i)\s+(?:(?:is|was|seems|looks|appears|fits|matches|ranks|scores)\s+(?:(?:the|an?|even|much|far|\w+ly)\s+)*(?:(?P<less>less|worse|weaker|poorer|lower"
    r"|(?:further|farther)\s+(?:off|(?:away\s+)?from))\b(?:[^,;.]{0,30}?\s+than)?|(?P<under>below|behind)|not\s+as\s+\w+\s+as|inferior\s+to|second\s+to"
    r"|(?:beaten|outdone|surpassed|outperformed)\s+by)|(?:loses|yields)\s+(?:out\s+)?(?:to|against)|falls\s+short\s+of|trails|lags\s+behind)\b"
)
_AGAINST = re.compile(
    r"(?i)不(?:是|对|选|能选|正确|符合|可能)|错误?|并非|排除|\b(?:nothing(?!\s+else)|contradict(?:s|ed)|conflicts?|mismatch\w*|clash(?:es)?|(?<!never\s)fails|impossible|implausible|improbable|inaccurate|inconsistent|incompatible|invalid|untenable|untrue|mis(?:represent|describe|state)s|(?<!I\sam\s)(?<!I'm\s)(?<!not\s)mistaken"
    r"|(?:gets?|has|have)\s+(?:\w+\s+){0,3}wrong|(?:off|wide\s+of|misses)\s+the\s+mark|misleading|nicht|pas|no\s+es|não\s+é|non\s+è|unsupported|(?:poor|bad|weak)\s+(?:match|choice|fit|option|answer)|a\s+stretch|(?:is|are)\s+(?:both\s+)?off|tempting|hesitat\w*|or\s+wrong|unsuitable|discard\w*|dismiss\w*|no\s+(?:\w+\s+)?(?:evidence|signs?|support|reason)|told\s+apart|need(?:s|ed)?\s+(?:to\s+be|more|further)"
    r"|first\s+(?:thought|idea|guess|instinct|impression|choice\s+(?:was|would))|if\s+(?!i\b)\w+\s+(?:\w+\s+)?(?:were|was|had)"
    r"|at\s+first(?=\W*\Z)|comes\s+close(?!\s+to)|is\s+close(?=\W*\Z)|(?:comes|ranks|is)\s+second|then(?=\s+\W?(?-i:[A-J])\W*\Z)|(?:second|2nd)(?=\s*[:=]|\W*\Z|[\s-]+(?:best|choice|guess|pick)\b)|runner-?up|less\s+likely(?!\s+than))\b"
)
"""What speaks against a letter in its part of a clause."""
_against = lru_cache(maxsize=64)(_AGAINST.search)  # a list of letters asks for one part as often as it names them
_APART = re.compile(r",|(?:\b(?:and|as)|:)\s+(?=[(\[]?[A-J][)\]]?\s+(?:is|was|\w+s|second|next|last)\b)")
_DISMISSED = re.compile(rf"(?i)\b(?:than|instead\s+of)\W*\Z|{REJECTING_SIGN.pattern}\W*\Z")
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
_OTHERWISE = re.compile(
    r"(?i)\s+(?:is|was|fits|matches|seems|looks)\s+(?:the\s+)?(?!not?\b|out|wrong|incorrect|in\b)\w"
)
_IF = re.compile(
    r"(?i)(?:(?<!\bas\s)\b(?:if|unless|otherwise|only\s+(?:at|when|by|during)|it\s+would\s+take)|\A\W*(?:(?:but|and|so|or|only)\s+)?(?:assuming|provided|suppos\w+|had\s+(?:i|we)))\b(?!\s+(?:(?:i|we|you|one)\b(?!\s+(?:could\s+(?:\w+ly\s+)?(?:see|view|look|access)|w(?:ere|as)\s+able|saw|knew|had\s+(?:seen|access))\b)"
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
        clauses += [_clause(piece, bool(cut and cut["question"]), names, request) for piece in parts if piece.strip()]
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
    consumed, turned, by_letter = 0, False, False  # "A is farther than B" affirms B where the closer one is requested
    is_question = (is_question and not _THINKS.match(text)) or bool(_IF.search(text))  # a condition is no answer either
    mentions = [*names.find(text)]
    letters = {mention.letter for mention in mentions if mention.of_letter and not mention.by_letter}
    for mention in mentions:
        before, after = text[: mention.start][-80:], text_after(text[mention.end :], mention, names)
        start, end = max(cut for cut in cuts if cut <= mention.start), min(cut for cut in cuts if cut >= mention.end)
        against = _against(text[start:end]) if mention.of_letter else None
        if mention.start < consumed:
            continue  # part of an option's text after its letter: "(E) None of the above"
        consumed = len(text) - len(after) if len(after) < len(text) - mention.end else mention.end
        if mention.kind == "none" and (
            mention is not mentions[0] or letters or _IMPERFECT.match(after) or _NEGATED.search(before)
        ):
            continue  # "The giraffe is not in any image", "There is none in Image 2", "Neither Image 1 nor Image 2"
        others = {one.letter for one in mentions if one.of_letter} - {mention.letter}
        if mention.kind == "both" and (others or before.lower().endswith("of ") or _WEIGHED.match(after)):
            continue  # "A and B both fit" means no option "Both"
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
        elif (
            (than := _DENIED_BEFORE.search(before))
            or (denied and _LISTED.fullmatch(text[denied[-1].end : mention.start]) and not _OTHERWISE.match(after))
            or (denied and before.endswith("so is "))
            or (against and against[0].lower() not in request.words)
        ):
            (affirmed if turned and than and re.search(r"\bthan\b|\bas\b", than[0]) else denied).append(mention)
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
    for mention in denied:  # "(B) Cannot be determined: no" is not undecided
        width = len(text) - mention.end - len(text_after(text[mention.end :], mention, names))
        by_letter |= not width and mention.of_letter
        text = text[: mention.end] + " " * width + text[mention.end + width :]
    return OptionClause(text, is_question, tuple(affirmed), frozenset(mention.letter for mention in denied), by_letter)


def text_after(rest: str, mention: Mention, names: Names) -> str:
    """Return the text after a mention, and after the text of its option if that follows: "(B) no, it is not far"."""
    choice = names.choices[names.letters.index(mention.letter)].strip().rstrip(".")
    match = re.match(rf"(?i)[\s\"')\]*]*[:.,|–—-]?[\s\"'(\[*]*{re.escape(choice)}(?!\w)", rest)
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
