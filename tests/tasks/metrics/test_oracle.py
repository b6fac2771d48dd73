"""AMBER's and CHAIR's counting once more, written apart and plainly from their description, on random captions."""

from typing import Any
from zlib import crc32

from hypothesis import given, settings
from hypothesis import strategies as st

from vhbench.tasks.metrics import amber, chair

WORDS = ["dog", "cat", "sky", "Sky", "sea", "boat", "ship", "man", "child", "kid", "person", "light", "tree", "the"]
RELATION = {"dog": ["boat"], "child": ["person", "kid"], "person": ["man", "child"], "sky": ["sea"], "tree": []}
SAFE = ["light", "sea"]

words = st.lists(st.sampled_from(WORDS), max_size=7)
truths = st.lists(st.sampled_from(sorted(RELATION)), max_size=4)


def alike(first: str, second: str) -> float:
    return 1.0 if first == second else crc32("|".join(sorted((first, second))).encode()) % 1000 / 1000


def amber_counts(rows: list[tuple[list[str], list[str], list[str]]]) -> dict[str, int]:
    """Section 2 of the semantics, step by step."""
    total = dict.fromkeys(("nouns", "wrong", "truth", "covered", "listed", "likely", "clean"), 0)
    known = {*RELATION, *(word for found in RELATION.values() for word in found)}
    for said, truth, hallu in rows:
        present = [(w, i) for i, t in enumerate(truth) for w in RELATION[t]] + [(t, i) for i, t in enumerate(truth)]
        listed = [(w, i) for i, h in enumerate(hallu) for w in RELATION[h]] + [(h, i) for i, h in enumerate(hallu)]
        covered, likely, wrong = set(), set(), 0
        nouns = [noun for noun in said if noun in known]
        for noun in nouns:
            if noun in SAFE:
                continue
            owner = [i for word, i in present if word == noun][:1]
            if not owner:
                likely.update([i for word, i in listed if word == noun][:1])
                likely.update([i for word, i in listed if alike(noun, word) > 0.8][:1])
                owner = [i for word, i in present if alike(noun, word) > 0.8][:1]
            covered.update(owner)
            wrong += not owner
        found = (len(nouns), wrong, len(truth), len(covered), len(hallu), len(likely), int(not wrong))
        total = {name: total[name] + number for name, number in zip(total, found, strict=True)}
    return total


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(words, truths, truths), min_size=1, max_size=5), st.randoms())
def test_amber(rows: list[tuple[list[str], list[str], list[str]]], random: Any) -> None:
    responses = [{"id": i, "response": " ".join(said)} for i, (said, _, _) in enumerate(rows)]
    random.shuffle(responses)
    result = amber.score(
        responses,
        annotations=[{"id": i, "truth": truth, "hallu": hallu} for i, (_, truth, hallu) in enumerate(rows)],
        relation=RELATION,
        safe_words=SAFE,
        nouns=str.split,
        similarity=alike,
        evaluation_type="g",
        compat=True,
    )
    n = amber_counts(rows)
    assert result["printed"]["Generative Task"] == {
        "CHAIR": round(n["wrong"] / (n["nouns"] + 0.001) * 100, 1),
        "Cover": round(n["covered"] / (n["truth"] + 0.001) * 100, 1),
        "Hal": round(100 - n["clean"] / (len(rows) + 0.001) * 100, 1),
        "Cog": round(n["likely"] / (n["listed"] + 0.001) * 100, 1),
    }


LINES = [["person", "man"], ["dog", "puppy"], ["hot dog"], ["train"], ["toilet"], ["chair", "seat"], ["bear"], ["tie"]]
SINGULAR = {"dogs": "dog", "puppies": "puppy", "ties": "ty", "trains": "train", "men": "man"}
MERGES = {"hot dog": "hot dog", "passenger train": "train", "train track": "train track", "baby bear": "bear"}
MERGES |= {"toilet seat": "toilet", "bow tie": "tie"}
TOKENS = "a man men hot dog dogs puppies passenger train trains track toilet seat baby bear bow tie ties".split()


def chair_nodes(tokens: list[str]) -> list[str]:
    """Section 1 of the semantics, step by step."""
    singular = [SINGULAR.get(token, token) for token in tokens]
    merged: list[str] = []
    while singular:
        pair = " ".join(singular[:2])
        merged.append(MERGES.get(pair, singular[0]))
        singular = singular[2 if pair in MERGES else 1 :]
    if "toilet" in merged and "seat" in merged:
        merged = [word for word in merged if word != "seat"]
    node = {word: line[0] for line in LINES for word in line}
    return [node[word] for word in merged if word in node]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(TOKENS), max_size=9))
def test_chair(tokens: list[str]) -> None:
    vocabulary = chair.vocabulary_of({line[0]: line[1:] for line in LINES}, compat=True)
    assert [found.node for found in vocabulary.find(" ".join(tokens))] == chair_nodes(tokens)
