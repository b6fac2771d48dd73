"""Rewards for reinforcement learning on questions with exact ground truth, for TRL, verl, ms-swift and verifiers.

:func:`reward` is 1 for the correct answer and −1/(n − 1) for anything else among n possible answers, so that a uniform
guess is worth 0 and "I don't know" may be. Responses are parsed by :mod:`vhbench.language.parsing`, which also scores
them. By default only a *strict* response is parsed: the answer alone ("Yes.", "(B)"), or one ``<answer>B</answer>`` at
its end, each after any reasoning. So no response earns more by giving several answers (``vhbench export rl --check``).
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import repeat
from string import ascii_uppercase
from typing import Any

from vhbench.language import parsing

LONGEST = 4_000  # characters after the reasoning; a longer response has no prediction
_TAGGED = re.compile(r"(?is)\A(?:(?!</?answer>).)*<answer>((?:(?!</?answer>).)*)</answer>\s*\Z")
_ALONE = re.compile(r"(?i)\s*[(*]*\s*(?:yes|no|[A-Z])\s*[).*!]*\s*")
_NAMES = re.compile(r"\b(?:[A-HJ-Z]|[Yy]es|[Nn]o)\b")
# marks of an answer; a response with two of one kind answers twice
_MARKS = (re.compile(r"\\f?boxed"), re.compile(r"(?i)\banswers?\b\W{0,3}(?:is\b|:)"), re.compile(r"(?i)<answer>"))


def reward(
    kind: str,
    response: str,
    answer: str,
    choices: Sequence[str] = (),
    question: str = "",
    *,
    strict: bool | None = True,
    wrong: float | None = None,
    abstain: float | None = None,
) -> float:
    """Return the reward of a response to a closed question.

    Args:
        kind: "yes_no" or "multiple_choice".
        response: response of the model.
        answer: reference answer: "yes", "no" or a letter.
        choices: answer options of a multiple-choice question.
        question: its text, on which the meaning of a sentence depends.
        strict: parse strict responses only; False for any wording, as in scoring.
        wrong: reward of an incorrect, ambiguous or missing answer; None for −1/(n − 1) among n possible answers.
        abstain: reward of "I don't know"; None for that of a wrong answer.

    >>> [reward("yes_no", text, "yes") for text in ("Yes.", "I see it. <answer>yes</answer>", "no", "yes and no")]
    [1.0, 1.0, -1.0, -1.0]
    >>> reward("multiple_choice", "I don't know.", "B", ("1", "2", "3"), abstain=0.0)
    0.0
    """
    if prediction(kind, response, choices, question, strict=strict) == answer:
        return 1.0
    if abstain is not None and _abstains(kind, response, tuple(choices), question):
        return float(abstain)
    return -1.0 / (max(len(possible_answers(tuple(choices))), 2) - 1) if wrong is None else float(wrong)


@lru_cache(maxsize=1024)
def possible_answers(choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return the letters of the options, or yes and no; the option "I don't know" is never correct.

    >>> possible_answers(("1", "2", "I don't know")), possible_answers(())
    (('A', 'B'), ('yes', 'no'))
    """
    letters = zip(ascii_uppercase, choices, strict=False)
    return tuple(letter for letter, text in letters if not parsing.failure(text, unread=True)) or ("yes", "no")


def prediction(
    kind: str, response: str, choices: Sequence[str] = (), question: str = "", *, strict: bool | None = True
) -> str:
    """Return the answer that a response is rewarded for, "" for none. Arguments as in :func:`reward`."""
    return _prediction(kind, response, tuple(choices), question, strict)


@lru_cache(maxsize=1024)  # a group of completions has many equal ones
def _prediction(kind: str, response: str, choices: tuple[str, ...], question: str, strict: bool | None) -> str:
    text = parsing.after_thoughts(response)
    if len(text) > LONGEST:
        return ""
    if strict is False:
        several = any(len(mark.findall(text)) > 1 for mark in _MARKS)
        return "" if several else parsing.parse(kind, response, choices, question=question)
    tagged = _TAGGED.fullmatch(text)
    text = tagged[1] if tagged else text
    return parsing.parse(kind, text, choices, question=question) if _ALONE.fullmatch(text) else ""


@lru_cache(maxsize=1024)
def _abstains(kind: str, response: str, choices: tuple[str, ...], question: str) -> bool:
    """Return whether a response only abstains and names no option; an option with these words does not count."""
    text = parsing.after_thoughts(response)[-LONGEST:]
    tagged = _TAGGED.fullmatch(text)
    text = tagged[1] if tagged else text
    possible = possible_answers(choices)
    others = [text if letter in possible else "" for letter, text in zip(ascii_uppercase, choices, strict=False)]
    listed = any(re.search(rf"(?i)(?<!\w){re.escape(option)}(?!\w)", text) for option in others if option)
    named = listed or _NAMES.search(text) or parsing.parse(kind, text, others, question=question)
    return not named and parsing.failure(text, unread=True) == "abstained"


def trl_reward(
    completions: Sequence[Any],
    kind: Sequence[str],
    answer: Sequence[str],
    choices: Sequence[Sequence[str]],
    question: Sequence[str],
    **columns: Any,
) -> list[float]:
    """Return the rewards of a batch, for TRL's ``GRPOTrainer(reward_funcs=[trl_reward])`` and for ms-swift.

    Completions are texts, or lists of messages of which the last one answers; the others are columns of the rows. Of
    ``columns``, ``strict``, ``wrong`` and ``abstain`` are used; all others are ignored.
    """
    settings = [columns.get(name) or repeat(None) for name in _SETTINGS]
    return [
        reward(k, _text(text), a, tuple(options), q, **dict(zip(_SETTINGS, own, strict=True)))
        for text, k, a, options, q, *own in zip(completions, kind, answer, choices, question, *settings, strict=False)
    ]


_SETTINGS = ("strict", "wrong", "abstain")


def trl_form(
    completions: Sequence[Any],
    kind: Sequence[str],
    choices: Sequence[Sequence[str]],
    question: Sequence[str],
    **columns: Any,
) -> list[float]:
    """Return 1 for each strict response, whatever it answers: an optional second reward."""
    rows = zip(completions, kind, choices, question, strict=True)
    return [float(prediction(k, _text(text), tuple(options), q) != "") for text, k, options, q in rows]


def compute_score(
    data_source: str, solution_str: str, ground_truth: str, extra_info: Mapping[str, Any] | None = None, **kwargs: Any
) -> float:
    """Return the reward of a response, for verl's ``custom_reward_function``.

    ``extra_info`` has the row's ``kind``, ``choices``, ``question``, ``strict``, ``wrong`` and ``abstain``; settings in
    ``kwargs`` precede the row's (``custom_reward_function.reward_kwargs``).
    """
    row = {**(extra_info or {}), **kwargs}
    settings = {name: row.get(name) for name in _SETTINGS}
    return reward(row["kind"], solution_str, ground_truth, tuple(row["choices"]), row["question"], **settings)


def _text(completion: Any) -> str:
    """Return the last message's text, "" without one; TRL passes plain text for plain prompts."""
    content = completion if isinstance(completion, str) else completion and completion[-1].get("content")
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content or ())
