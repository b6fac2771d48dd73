"""Removal of reasoning, roles, special tokens, markup, JSON and LaTeX from responses.

:func:`plain` returns the response's visible text without markup; captions are parsed from it. :func:`strip_markup`
returns its marked answer (boxed, in an answer tag or a JSON value, after "Answer:"), or all of it without a mark. Both
are "" if reasoning begins and does not end: it contains no answer, even if something in it is boxed.
"""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from itertools import pairwise
from typing import Any, TypeVar

from vhbench.language.parsing.wordings import wording

T = TypeVar("T")


# Runs of signs and spaces are possessive (*+, ++): without backtracking, a long run is scanned once, not once per end.
_ENOUGH = 5_000

_THINKING = (
    r"(?:seed:)?think\w*|thoughts?|thought_process|anal(?:ysis|y[sz]e)|reason(?:ing)?|rationale|reflect(?:ion)?"
    r"|scratchpad"
)
# LLaVA-CoT's stages; without the others, a caption may be the requested answer.
_STAGES = rf"{_THINKING}|summary|caption"
# Case-insensitivity is avoided: a pattern whose first letter may have either case is tried at every letter of a long
# text.
_MARKS = (
    r"<(?=[/|]?[A-Za-z])(?i:(?P<end>/)?(?:{names})(?:\s[^<>\n]{{0,100}})?(?<!/)>|\|(?:(?:(?:begin|start)"
    r"|(?P<end_token>end))_(?:of_)?(?:think(?:ing)?|thought|reasoning)\|>|channel\|?>\s?(?:analysis|commentary|thought"
    r"|(?P<final>final)(?:<\|message\|>)?))|(?P<end_gemma>channel\|>))|\[(?i:(?P<end_bracket>/)?think(?:ing)?\])"
    r"|◁(?P<end_kimi>/)?think▷|(?P<final_bare>assistantfinal)|\Aanalysis(?=[A-Z\"'])"
)
_MARK, _MARK_OR_STAGE = (re.compile(_MARKS.format(names=names)) for names in (_THINKING, _STAGES))
_CONCLUSION = re.compile(r"(?i)<(?:conclusion|reasoning)>")

_TURN_ENDS = re.compile(
    r"(?i)<\|(?:im_end|eot_id|eom_id|end_?of_?text|end|eot|return|end▁of▁sentence|end_of_turn_token)\|>"
    r"|</s>|<(?:eos|end_of_turn|end_of_utterance|eod|eoa)>"
)
_TURN_BEGINS = re.compile(
    r"(?s)\A\s*+(?:(?:<s>|<bos>|<\|begin_of_text\|>)\s*+)?"
    r"(?:(?:<\|(?:im_start|start_header_id)\|>|<start_of_turn>)\s?(?:system|user).*?)?"
    r"(?:<\|(?:im_start|start_header_id)\|>|<start_of_turn>)\s?(?:assistant|model)(?:<\|end_header_id\|>)?"
)
_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|<0x0A>")
_ECHO = re.compile(
    r"(?s)\A\s*+(?:.*\[/INST\]|(?:(?i:system|user|human|question|q)\s*(?::|\n).{0,5000}?)?"
    r"(?:\b(?i:assistant|gpt)\s*:|(?:\A|\n)\s*+(?:assistant|model)\s*\n)\s*+)"
)
_ECHOED_QUESTION = re.compile(r"(?is)\A\s*+(?:q|question)\s*:.{0,2000}?(?<!\w)(?:a|answer)\s*:\s*+(?=\S)")
_NEXT_TURN = re.compile(r"\n[ \t]*+(?:(?i:question|user|human|q)\s*:|user\s*\n|### ?(?:Human|User|Instruction)\b)")

_STYLED = re.compile(
    r"\\(?:text(?:bf|it|rm|sf|tt|normal)?|math(?:rm|bf|it|sf|tt|bb)|bf|rm|emph|underline|operatorname\*?|mbox|bm)"
    r"\s?\{([^{}]*)\}"
)
_BOX = re.compile(r"\\f?boxed\s?(?:\{+\s*+([^{}]*)\}*|([A-Za-z0-9]+))|<\|begin_of_box\|>(.*?)(?=<\||\Z)", re.DOTALL)
_TAGGED = re.compile(
    r"(?is)<(?:final[_ ]?)?(?:answer|conclusion|output|response|solution|final|choice|option)>"
    r"(?P<content>[^<]*+(?:<(?!/?(?:final|answer|conclusion|output|response|solution|choice|option))[^<]*+)*+)"
)
_DENIED = re.compile(r"(?i)\b(?:not|than)\W*\Z")
_JOINED = re.compile(r"(?i)(?:\W|</?\w+>|and\b|or\b)*")
_PLACE = re.compile(r"<box>[\d\s.,()\[\]]*</box>|<\|box_start\|>[\d\s.,()\[\]]*<\|box_end\|>")
# tag, but not a letter in angle brackets: "<A>"
_TAG = re.compile(r"</?(?!(?P<letter>[A-J])>(?!.*</(?P=letter)>))[A-Za-z][\w:.-]{0,40}\s?/?>", re.DOTALL)
_LATEX = re.compile(r"\\[()\[\],;:! ]|\\q?quad\b|\\(?:left|right|displaystyle)\b|\$+")
_FENCE = re.compile(r"```[ \t]*+\w*+")
_LINE_START = re.compile(r"(?m)^[ \t]*+(?:>[ \t]*+)*+(?:[-+•·●*][ \t]++)?+")
_DELETED = re.compile(r"~~[^~\n]{1,200}~~")
_BULLETS = frozenset(">-+•·●* \t")
_SIGNS = re.compile(r"[*_`#]+")
_SPACES = re.compile(r"[^\S\n]{2,}|[^\S\n ]")  # white space other than a single space
_ENUMERATED = re.compile(r"(?m)^[ \t]*+\d{1,2}[.)][ \t]++(?=\S)")

_OBJECT = re.compile(r"[{\[]\s*+[{\"']")
_PAIR = re.compile(
    r"(?P<quote>[\"'])(?P<key>[^\"'\n]{1,60})(?P=quote)\s*+:\s*+"
    r"(?P<value>\"(?:[^\"\\]|\\.)*+\"?+|'(?:[^'\\]|\\.|'(?!\s*+[,}\]]))*+'|\[[^\[\]{}]*+\]|[^\s,{}\[\]\"']++)",
    re.DOTALL,
)
_KEY = re.compile(
    r"(?i)(?:the[ _-]?)?(?:final|correct|short|best|predicted|selected|chosen|your|my)?[ _-]?(?:answer|choice|option"
    r"|prediction|response|result|conclusion|output|label|verdict|decision)(?:[ _-]?(?:letter|text))?"
)

_ADJECTIVE = (
    r"(?:(?:the|my|(?-i:a)|final|correct|right|best|short|actual|true|only|likely|most|appropriate|accurate|closest|overall)"
    r"[^\S\n]+){0,6}+"
)
_NOUN = r"(?:ans|answer|choice|option|selection|response|conclusion|verdict|decision)"
_IS = r"(?:is|was|would\s+be|should\s+be|must\s+be|will\s+be|has\s+to\s+be|(?:seems|appears)\s+to\s+be)"
_FOREIGN = (
    r"(?:答案|回答|结论|答え|結論|答(?=[:=])|(?<!\w)(?:답변?|정답|réponse|respuesta|antwort|resposta|risposta|ответ"
    r"|(?:ال)?جواب|الإجابة|उत्तर))"
)
_LEAD = re.compile(
    rf"(?im)(?<![\w'-])(?<!\ban )(?<!\bno )(?<!\beach )(?<!\bevery )(?<!\bwrong )(?<!\bincorrect )"
    rf"{_ADJECTIVE}{_NOUN}(?:\s+(?:to|for|of|with|in"
    rf"|from)\s(?:(?!\b(?:which|format|example)\b)[^.:\n]){{1,80}}?)?(?:\s+here)?(?:,\s*(?:though|however|then),)?(?:\s*[:=]\s*+|\s+[-–—]+\s+|\s+{_IS}(?![\w'])(?!\s+(?:correct|right)\b)(?:\s+(?:that|therefore|thus"
    rf"|indeed|definitely|clearly|simply)\b)?\s*+:?\s*+)|^[^\w\n]{{0,10}}{_ADJECTIVE}{_NOUN}[^\w\n]{{0,10}}\n"
    rf"|{_FOREIGN}\s*(?:[:=]\s*+|是\s*:?\s*+|은\s*+|は\s*:?\s*+)"
)
# statement of an option, or of yes or no, and nothing else
_AT_ONCE = re.compile(r"\W*(?:[A-Z][).:]+\s*)?[^.,;:!?\n]{1,60}[.;!\n]\W*")
_UNASSERTED = re.compile("(?i)" + wording("not asserted"))


_SHORT_TEXT, _MANY, _FEW = 300, 4_096, 8


def cached_by_text(function: Callable[[str], T]) -> Callable[[str], T]:
    """Cache a function's results: for many short texts and a few long ones, to bound memory."""
    short, long = lru_cache(maxsize=_MANY)(function), lru_cache(maxsize=_FEW)(function)

    @wraps(function)
    def cached(text: str) -> Any:
        return short(text) if len(text) <= _SHORT_TEXT else long(text)

    return cached


NOT_APPLICABLE = re.compile(r"(?i)\bn\s?[/.]\s?a\b\.?")  # N/A, whose letters are neither an option nor "no"


@cached_by_text  # each response is parsed for failures, marked answer, whole text and truncation
def plain(text: str) -> str:
    r"""Return a response's visible text, without reasoning, roles, tokens, markup or LaTeX.

    An echo of the prompt and text after the end of the model's turn are dropped. A very long text is cut to its
    beginning and its end.

    >>> plain("<think>No dog?</think>**Yes**<|im_end|>"), plain("<think>There is no"), plain(r"\(\boxed{\text{No}}\)")
    ('Yes', '', 'No')
    """
    return _bare(_own_turn(text))


@cached_by_text
def strip_markup(text: str) -> str:
    r"""Return the marked answer, cleaned as by :func:`plain`; without a mark, the whole text.

    Marks are a box, an answer tag, the value of a JSON object and words like "Answer:" or "The answer is"; the last one
    counts.

    >>> [strip_markup(text) for text in (r"A dog: \boxed{No}", '{"answer": "B", "why": "It is"}', '{"present": false}')]
    ['No', 'B', 'false']
    >>> [strip_markup(text) for text in ("A is red.\n**Answer:** B. Image 2", "<answer>C</answer>", "There is no dog.")]
    ['B. Image 2', 'C', 'There is no dog.']
    """
    response, text = text, _own_turn(text)
    marked = _last(_BOX, _unstyled(text)) or _last(_TAGGED, text) or text
    marked = _json_value(marked) or marked
    text = _bare(marked) if marked is not text else plain(response)
    leads = [
        (lead, rest)
        for lead in _LEAD.finditer(text)
        if any(map(str.isalnum, rest := text[lead.end() :].strip()))
        and not _UNASSERTED.search(text[max(0, lead.start() - 60) : lead.start()])
    ]
    for (earlier, both), (last, _) in pairwise(leads[-2:]):
        if _AT_ONCE.fullmatch(text, earlier.end(), last.start()) and "final" not in last[0].lower():
            return both  # "The answer is A. The answer is B.": no word takes the first one back
    return leads[-1][1] if leads else text


@cached_by_text
def _own_turn(text: str) -> str:
    """Return the model's own turn, after its reasoning, with normalized signs."""
    text = after_thoughts(text)
    if len(text) > 2 * _ENOUGH:  # endless responses must not stall the scoring
        text = text[:_ENOUGH] + "\n" + text[-_ENOUGH:]
    text = html.unescape(text)
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        for sign, usual in (("’", "'"), ("‘", "'"), ("“", '"'), ("”", '"'), ("▁", " "), ("​", ""), ("\ufe0f", "")):
            text = text.replace(sign, usual)
    text = text.replace("\r", "\n")
    text = _SPACES.sub(" ", text)
    if "\n\n\n" in text:
        text = re.sub(r"\n{3,}", "\n\n", text)
    if "<" in text:
        turns = _TURN_ENDS.split(_TURN_BEGINS.sub("", text, count=1))
        text = next((turn for turn in turns if turn.strip()), "")
    text = _ECHO.sub("", text, count=1)
    if ":" in text:
        text = _ECHOED_QUESTION.sub("", text, count=1)
    text = text.strip()
    return _NEXT_TURN.split(text, maxsplit=1)[0] if "\n" in text else text


def after_thoughts(text: str) -> str:
    """Remove reasoning; "" if it does not end. Without a start tag it begins with the text.

    >>> after_thoughts("<think>No dog?</think> Yes"), after_thoughts("No dog?</think>Yes"), after_thoughts("<think>No")
    ('Yes', 'Yes', '')
    """
    mark = _MARK_OR_STAGE if _CONCLUSION.search(text) else _MARK
    pieces: list[str] = []
    start, thinking = 0, False
    for match in mark.finditer(text):
        ends = any(match.groups())
        if not ends and not thinking:
            pieces.append(text[start : match.start()])
        elif ends and (not thinking or match["final"] or match["final_bare"]):
            pieces.clear()
        start, thinking = match.end(), not ends
    return "" if thinking else " ".join([*pieces, text[start:]]).strip()


def _last(pattern: re.Pattern[str], text: str) -> str:
    """Return the last mark with content, together with a different one that it is joined to."""
    marks = [
        (next(filter(None, match.groups()), ""), match.span())
        for match in pattern.finditer(text)
        if not _DENIED.search(text[max(0, match.start() - 12) : match.start()])
    ]
    marks = [mark for mark in marks if any(map(str.isalnum, mark[0]))]
    for (earlier, (_, end)), (last, (start, _)) in pairwise(marks[-2:]):
        if earlier.strip() != last.strip() and _JOINED.fullmatch(text, end, start):
            return f"{earlier} or {last}"
    return marks[-1][0] if marks else ""


def _json_value(text: str) -> str:
    """Return the value of an answer-like key or the only value; of truth values the true key."""
    begins = _OBJECT.search(text) if "{" in text or "[" in text else None
    matches = _PAIR.finditer(text, begins.start()) if begins else ()
    pairs = [(pair["key"], pair["value"].strip("\"'")) for pair in matches]
    answers = [pair for pair in pairs if _KEY.fullmatch(pair[0])]
    if answers:
        return " or ".join(dict.fromkeys(value for key, value in answers if key == answers[0][0]))
    true = [key for key, value in pairs if value.lower() == "true"]
    if len(pairs) > 1 and len(true) == 1 and all(value.lower() in ("true", "false") for _, value in pairs):
        return true[0]
    return pairs[0][1] if len(pairs) == 1 else ""


def _unstyled(text: str) -> str:
    for _ in range(3 if "\\" in text else 0):
        text = _STYLED.sub(r" \1 ", text)
    return text


def _bare(text: str) -> str:
    """Drop markup, tags and tokens; keep the lines. Patterns run only if their sign occurs."""
    if "\\" in text or "<" in text:
        text = _BOX.sub(lambda box: f" {next(filter(None, box.groups()), '')} ", _unstyled(text))
        text = _TAG.sub(" ", _TOKEN.sub(" ", _PLACE.sub(" ", text)))
    if "INST]" in text:
        text = text.replace("[/INST]", " ").replace("[INST]", " ")
    if "\\" in text or "$" in text:
        text = _LATEX.sub(" ", text.replace("\\n", "\n") if "\n" not in text else text)
    if "`" in text:
        text = _FENCE.sub(" ", text)
    lines = "\n" in text
    if lines or text[:1] in _BULLETS:
        text = _LINE_START.sub("", text)
    if "~~" in text:
        text = _DELETED.sub(" ", text)
    if lines and len(_ENUMERATED.findall(text)) > 1:
        text = _ENUMERATED.sub("", text)
    text = _SIGNS.sub("", text)
    return (re.sub(r" {2,}", " ", text) if "  " in text else text).strip()


def caption_text(response: str) -> str:
    r"""Return the text of a caption: the visible text, or the texts of a JSON object.

    An object with values other than texts and lists of them is not a wrapped caption and stays unchanged.

    >>> caption_text('<think>A cat?</think>{"caption": "A dog.", "objects": ["dog", "sea"]}')
    'A dog.\ndog, sea'
    """
    text = plain(response)
    if not text.startswith("{"):
        return text
    try:
        content = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return text
    texts = list(_texts(content)) if isinstance(content, dict) else []
    return text if None in texts or not texts else "\n".join(filter(None, texts))


def _texts(mapping: dict[str, Any]) -> Iterator[str | None]:
    """Yield the texts of an object, None for other values."""
    for value in mapping.values():
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            yield ", ".join(value)
        elif isinstance(value, dict):
            yield from _texts(value)
        else:
            yield value if isinstance(value, str) else None
