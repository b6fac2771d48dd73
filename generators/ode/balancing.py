"""Which noes go with which yeses, so that each asked word is as often right as wrong.

Whoever sees no picture can still learn which words tend to be right. So a question whose answer is no asks for what is
right elsewhere: of all pictures of a share, every word (a thing, a place, a colour, a number) is asked as often with
the answer no as with yes, as far as the pictures allow. Words are nodes, and a question with its no is an edge from the
word that is right to the one that is wrong: wanted is the largest set of edges of which as many end at each word as
begin there.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import networkx as nx
import numpy as np

_EDGE = 1000
"""What an edge is worth against the ranks of its words: more edges are always better."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A question whose answer is yes, and those that could be asked about the same thing with the answer no.

    Attributes:
        scene: whose picture it is about.
        question_type: ODE's; words are balanced within it.
        about: what it asks about; its yes and its no share it.
        word: that is right.
        yes: the question.
        noes: word that is wrong → the question, best first.
        spare: words of ``noes`` that are asked where none keeps the balance; without any the question is left out.
    """

    scene: str
    question_type: str
    about: str
    word: str
    yes: str
    noes: Mapping[str, str] = field(default_factory=dict)
    spare: tuple[str, ...] = ()


def balanced(choices: Sequence[Choice], random: np.random.Generator) -> list[str]:
    """Return for each choice the word of its no, "" where it is better not asked.

    Args:
        choices: of one type of question, and all pictures among which they are balanced.
        random: decides between equals.
    """
    if not choices:
        return []
    flow = nx.network_simplex(_graph(choices, random))[1]
    chosen = [next((place for place, used in flow[i].items() if used), None) for i in range(len(choices))]
    words = [str(place[2]) if place else "" for place in chosen]
    counts = Counter(choice.word for choice in choices if choice.spare)
    counts.subtract(word for word in words if word)
    taken = {(choice.scene, choice.noes[word]) for choice, word in zip(choices, words, strict=True) if word}
    for i, choice in enumerate(choices):
        open_ = [word for word in choice.spare if (choice.scene, choice.noes[word]) not in taken]
        if not words[i] and open_:
            words[i] = min(open_, key=lambda word: -counts[word])  # the first of those that are right most often
            counts[words[i]] -= 1
            taken.add((choice.scene, choice.noes[words[i]]))
    return words


def _graph(choices: Sequence[Choice], random: np.random.Generator) -> "nx.DiGraph[object]":
    """Return the network whose cheapest circulation is wanted.

    An edge of a choice leads from its right word over the choice to a wrong word in its picture, of which a question
    is asked there once, and on to that word.
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
