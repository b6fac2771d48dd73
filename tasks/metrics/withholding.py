"""Withholding of scores after failed requests, and of responses that show nothing about a model.

A failed request shows nothing about a model. A share of up to :data:`ALLOWED` counts as incorrect, which changes
accuracy by at most that; with more, scores are withheld: they are None, with the reason in one line. So are they if
most responses are repetitions of a few texts without an answer (an error page, "N/A"; not an always-yes model), if most
are loops, if one caption serves most images, or if most captions are in another language than English, or contain no
word of the vocabulary. Refusals are responses: they count as incorrect, at any rate.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import takewhile

from vhbench.files import short_digest
from vhbench.language.lexicon import words
from vhbench.records import outcome_of
from vhbench.schema import Record
from vhbench.tasks.metrics.metric import Claims

ALLOWED = 0.01  # maximum share of failed requests for reporting scores
_MOST = 0.5  # maximum share of uninformative responses for reporting scores
_FEWEST = 10  # minimum number of responses for which uninformative ones are looked for
_REPEATED = 0.05  # minimum share of equal responses, to count as repetitions of one text
_PERIOD = 40  # maximum number of words that a loop repeats
_SHOWN = 200  # maximum characters of an error in a line
_EXAMPLES = 3
_MANY_WORDLESS = 0.2  # share of captions without a word of the vocabulary above which a warning is printed

_NO_ANSWER = "responses repeat a text without an answer"
_FOREIGN_TEXT, _WORDLESS, _LOOPS = "are not in English", "contain no word of the vocabulary", "are loops"
_DIGIT, _LONG_NUMBER = re.compile(r"\d"), re.compile(r"(?:\d\D*){3}")
"""Words with a digit differ between copies of an error: times, request numbers. Short ones in a caption are counts."""

_TOKEN, _WORD = re.compile(r"[!-~\d]+|[^\s!-~\d]+"), re.compile(r"[^\W\d_]+")
_FOREIGN = words("function words of other languages")
_ENGLISH = words("function words") | words("prepositions") | words("auxiliary verbs")


class ResponseCounts:
    """Counts of responses, from which the reason to withhold scores follows."""

    def __init__(self) -> None:
        """Begin without responses."""
        self.total = self.failed = self.captions = 0
        self.first_error = ""
        self._problems = Counter[str]()
        self._firsts: dict[str, str] = {}
        self._alike = Counter[bytes]()
        self._texts: dict[bytes, str] = {}

    def add(self, record: Record, claims: Claims | None = None) -> None:
        """Count a response; ``claims`` are those of a caption, if known."""
        self.total += 1
        if record.failure == "failed":
            self.failed += 1
            self.first_error = self.first_error or record.response.strip()
        if outcome_of(record) or not record.response:
            return
        self._note(_LOOPS, record, is_loop(record.response))
        counts = record.kind == "caption" and (claims is None or claims.named)
        number = _LONG_NUMBER if counts else _DIGIT
        tokens = ["#" if number.search(word) else word for word in _TOKEN.findall(record.response.casefold())]
        key = short_digest(" ".join(tokens))
        self._alike[key] += 1
        if self._alike[key] == 2:
            self._texts[key] = record.response.strip()[:_SHOWN]
        if record.kind == "caption":
            self.captions += 1
            self._note(_FOREIGN_TEXT, record, is_foreign(record.response))
            self._note(_WORDLESS, record, claims is not None and not claims.named)

    def _note(self, problem: str, record: Record, is_there: bool) -> None:
        """Count a problem of a response, with the first that has it."""
        if is_there:
            self._problems[problem] += 1
            self._firsts.setdefault(problem, record.response.strip()[:_SHOWN])

    @property
    def reason(self) -> str | None:
        """The reason to withhold scores in one line, or None."""
        if failure := reason(self.failed, self.total):
            return f"{failure}; the first: {self.first_error[:_SHOWN]!r}" if self.first_error else failure
        return self.uninformative

    @property
    def uninformative(self) -> str | None:
        """The reason to withhold scores of responses that show nothing about a model, or None."""
        if self.total < _FEWEST:
            return None
        least = max(2, _REPEATED * self.total)
        repeated = [(count, self._texts[key]) for key, count in self._alike.most_common(20) if count >= least]
        problem, texts = ("captions are identical", repeated[:1]) if self.captions else (_NO_ANSWER, repeated)
        examples = "; ".join(f"{count} times {text!r}" for count, text in texts[:_EXAMPLES])
        if line := self._uninformative(problem, sum(count for count, _ in texts), examples):
            return line
        kind, end = ("captions", "") if self.captions else ("responses", " without an answer")
        for problem in (_FOREIGN_TEXT, _WORDLESS, _LOOPS):
            first = f"the first: {self._firsts.get(problem)!r}"
            if line := self._uninformative(f"{kind} {problem}{end}", self._problems[problem], first):
                return line
        return None

    def _uninformative(self, problem: str, count: int, examples: str) -> str | None:
        """Return a reason, with examples, if most responses have this problem."""
        if count <= _MOST * self.total:
            return None
        return f"{count} of {self.total} {problem}, more than {100 * _MOST:.0f} %: scores are withheld; {examples}"

    @property
    def warning(self) -> str | None:
        """A warning if many captions contain no word of the vocabulary: they count as free of hallucinations."""
        count = self._problems[_WORDLESS]
        if self.total < _FEWEST or count <= _MANY_WORDLESS * self.total:
            return None
        share = f"{count} of {self.total} captions ({100 * count / self.total:.1f} %)"
        return f"{share} {_WORDLESS}, and so no hallucination; the first: {self._firsts[_WORDLESS]!r}"


def is_foreign(text: str) -> bool:
    """Return whether most function words of a text are of another language than English.

    >>> [is_foreign(text) for text in ("Un chien sur la plage", "Een hond op het strand", "A dog on a beach", "dog")]
    [True, True, False, False]
    """
    tokens = _WORD.findall(text.casefold())
    foreign = sum(word in _FOREIGN for word in tokens)
    return foreign > 1 and foreign > sum(word in _ENGLISH for word in tokens)


def is_loop(text: str) -> bool:
    """Return whether more than half of a text, at its end, repeats the same words at least four times.

    >>> is_loop("A dog. " + "The sky is blue. " * 9 + "The"), is_loop("the the the the the the the the the")
    (True, True)
    >>> is_loop("No, no, no."), is_loop("A dog, a cat, a boat, a tree, a car, a man and a hat.")
    (False, False)
    """
    words = text.casefold().split()[:-1]  # the last word may be cut off
    for period in range(1, min(_PERIOD, len(words) // 4) + 1):
        pairs = zip(reversed(words), words[-1 - period :: -1], strict=False)
        run = period + sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if run >= max(4 * period, 8) and 2 * run > len(words):
            return True
    return False


def reason(failed: int, total: int, *, allow_failed: bool = False) -> str | None:
    """Return the reason to withhold scores after failed requests in one line, or None.

    >>> reason(1, 100), reason(2, 100, allow_failed=True)
    (None, None)
    >>> reason(2, 100)
    '2 of 100 requests failed (2.0 %), more than 1 %: scores are withheld'
    """
    if allow_failed or failed <= ALLOWED * total:
        return None
    share = f"{failed} of {total} request{'s' if total > 1 else ''} failed ({100 * failed / total:.1f} %)"
    return f"{share}, more than {100 * ALLOWED:.0f} %: scores are withheld"


def reason_of(records: Iterable[Record]) -> str | None:
    """Return the reason to withhold the scores of records, with the first error, or None.

    >>> reason_of([Record("q", response="Error: no vision tower", failure="failed")])
    "1 of 1 request failed (100.0 %), more than 1 %: scores are withheld; the first: 'Error: no vision tower'"
    >>> reason_of([Record(f"q{number}", response="N/A") for number in range(20)])
    "20 of 20 responses repeat a text without an answer, more than 50 %: scores are withheld; 20 times 'N/A'"
    """
    counts = ResponseCounts()
    for record in records:
        counts.add(record)
    return counts.reason
