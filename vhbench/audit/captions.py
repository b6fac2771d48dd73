"""Checks of captions' scored words against scenes: present, absent, unknown objects."""

from collections.abc import Iterable, Iterator

from vhbench.schema import Question, Scene

_NAMED = 5
"""Maximum number of words in a line."""


def faults(question: Question, scene: Scene, vocabulary: Iterable[str]) -> Iterator[str]:
    """Yield the errors in the words of a caption's row, given its scene.

    The caption vocabulary is empty if unknown.
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
