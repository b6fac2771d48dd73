"""Balancing of yes and no questions, so that no word is correct more often than not.

A text-only baseline can learn which words tend to be correct. A question with the answer no therefore uses a word that
is correct elsewhere: over all images of a share, every word (object, place, colour, number) occurs as often with the
answer no as with yes, as far as the images allow. Words are nodes, and a question pair is an edge from the correct to
the incorrect word. The solution is the largest set of edges with equal in- and out-degree at every node.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx
import numpy as np

_EDGE = 1000  # weight of an edge relative to word ranks: more edges are always better


@dataclass(frozen=True, slots=True)
class Choice:
    """Question with the answer yes, and candidate questions on the same subject with no."""

    scene: str
    question_type: str  # ODE question type; words are balanced within it
    about: str  # subject shared by the yes and no questions
    word: str
    yes: str
    noes: Mapping[str, str] = field(default_factory=dict)  # incorrect word → question, best first
    spare: tuple[str, ...] = ()  # words of ``noes`` to use if none keeps the balance; without any, the pair is dropped


def balanced(choices: Sequence[Choice], random: np.random.Generator) -> list[str]:
    """Return, per choice of one question type, the word of its no question, or "" to drop the pair."""
    if not choices:
        return []
    flow = nx.network_simplex(_graph(choices, random))[1]
    chosen = [next((place for place, used in flow[i].items() if used), None) for i in range(len(choices))]
    words = [str(place[2]) if place else "" for place in chosen]
    counts = Counter(choice.word for choice in choices if choice.spare)
    counts.subtract(word for word in words if word)
    used_noes = {(choice.scene, choice.noes[word]) for choice, word in zip(choices, words, strict=True) if word}
    for i, choice in enumerate(choices):
        open_ = [word for word in choice.spare if (choice.scene, choice.noes[word]) not in used_noes]
        if not words[i] and open_:
            words[i] = min(open_, key=lambda word: -counts[word])  # the first of the most frequently correct ones
            counts[words[i]] -= 1
            used_noes.add((choice.scene, choice.noes[words[i]]))
    return words


def _graph(choices: Sequence[Choice], random: np.random.Generator) -> "nx.DiGraph[object]":
    """Return the network whose minimum-cost circulation is the solution.

    An edge of a choice leads from its correct word via the choice to an incorrect word in its image, with capacity 1
    per question, and on to that word.
    """
    right = {choice.word for choice in choices}
    graph: nx.DiGraph[object] = nx.DiGraph()
    for i in random.permutation(len(choices)).tolist():
        choice = choices[i]
        graph.add_edge(("word", choice.word), i, capacity=1, weight=0)
        graph.nodes[i]["demand"] = 0
        for rank, word in enumerate(name for name in choice.noes if name in right):
            place = ("picture", choice.scene, word, choice.noes[word])
            graph.add_edge(i, place, capacity=1, weight=min(rank, 20) - _EDGE)
            graph.add_edge(place, ("word", word), capacity=1, weight=0)
    return graph
