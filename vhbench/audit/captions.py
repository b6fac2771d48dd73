"""Holds what a caption is scored against to its scene: what is there, what is not, and what nobody knows."""

from collections.abc import Iterable, Iterator

from vhbench.schema import Question, Scene

_NAMED = 5
"""Words that one line names."""


def faults(question: Question, scene: Scene, vocabulary: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the words of a caption's row, given the truth about its image.

    The vocabulary, the words that captions are searched for, is empty where it is not known.
    """
    shown = {thing.category for thing in scene.objects}.union(scene.areas)
    settled = shown | scene.known
    objects, neutral = set(question.objects), set(question.neutral)
    for words, what in (
        (objects - shown, "objects names what the scene does not show"),
        (shown - objects, "objects lacks what the scene shows"),
        (shown.intersection(question.candidates), "candidates names what the scene shows"),
        (set(question.candidates) - settled, "candidates names what the scene does not know to be absent"),
        (neutral & settled, "neutral names what the scene knows"),
        (set(vocabulary) - settled - neutral, "neutral lacks words of the vocabulary that the scene does not know"),
    ):
        if words:
            more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
            yield f"{what}: {', '.join(sorted(words)[:_NAMED])}{more}"
