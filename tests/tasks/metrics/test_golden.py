"""Every case of the reference's golden files, printed figures and raw counters."""

import json
from collections import Counter
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from vhbench.files import read_json
from vhbench.language import parsing
from vhbench.language.captions.reference_vocabulary import pattern_singular
from vhbench.tasks.metrics import amber, chair, yes_no


def exact(first: str, second: str) -> float:
    return float(first == second)


def crc(first: str, second: str) -> float:
    return 1.0 if first == second else crc32("|".join(sorted((first, second))).encode()) % 1000 / 1000


SIMILARITIES = {"exact": exact, "crc": crc}


def golden(reference: Path, name: str) -> Any:
    return read_json(reference / "golden" / name)


def test_amber(reference: Path) -> None:
    files = {name: read_json(reference / "AMBER" / f"{name}.json") for name in ("annotations", "relation")}
    for case in golden(reference, "amber.json")["cases"]:
        result = amber.score(
            case["responses"],
            **files,
            safe_words=reference / "AMBER" / "safe_words.txt",
            nouns=str.split,
            similarity=SIMILARITIES[case["sim"]],
            evaluation_type=case["evaluation_type"],
            compat=True,
        )
        assert result["printed"] == case["printed"], case["name"]
        assert result["counters"] == case["counters"], case["name"]


def test_ode_captions(reference: Path) -> None:
    case = golden(reference, "ode_scoring.json")["generative"]
    result = amber.score(
        case["responses"],
        annotations=case["annotations"],
        relation=reference / "AMBER" / "relation.json",
        safe_words=reference / "AMBER" / "safe_words.txt",
        nouns=str.split,
        similarity=exact,
        evaluation_type="g",
        compat=True,
    )
    assert result["printed"]["Generative Task"] == case["expected"]


def test_ode_answers(reference: Path) -> None:
    for answer, expected in golden(reference, "ode_scoring.json")["answer_parsing"]:
        assert (parsing.ode(answer) or "other") == expected, answer


def test_chair_captions(reference: Path) -> None:
    data = golden(reference, "chair.json")
    synonyms = reference / "CHAIR" / "synonyms.txt"
    result = chair.score(data["rows"], data["gold"], synonyms=synonyms, compat=True)
    for row, caption in zip(data["rows"], result["captions"], strict=True):
        mentions = caption["mentions"]
        assert [mention["word"] for mention in mentions] == row["matched"]
        assert [mention["node"] for mention in mentions] == row["nodes"]
        assert [[m["word"], m["node"]] for m in mentions if m["hallucinated"]] == row["hallucinated"]
        assert (caption["CHAIR_s"], caption["CHAIR_i"]) == (row["CHAIRs"], row["CHAIRi"])


@pytest.mark.parametrize("dash", "‒–—―")
def test_words_beside_a_dash_are_words_as_in_nltk(dash: str) -> None:
    gold = {"1": ["dog"]}
    result = chair.score({"1": f"A dog{dash}a cat"}, gold, synonyms={"dog": [], "cat": []}, compat=True)
    assert [mention["node"] for mention in result["captions"][0]["mentions"]] == ["dog", "cat"]


def test_pattern_singular(reference: Path) -> None:
    for word, singular in golden(reference, "chair.json")["singularize"].items():
        assert pattern_singular(word) == singular, word


@pytest.mark.parametrize("model", ["instructblip", "llava", "minigpt-4", "mmgpt", "mplug"])
def test_chair_on_real_captions(reference: Path, model: str) -> None:
    name = f"Instruction1_{model}.json"
    expected = golden(reference, "chair_pope_captions.json")["results"][name]
    captions = read_json(reference / "POPE" / "caption_data" / name)
    files: dict[str, Any] = {
        "gold": reference / "CHAIR" / "gold_objects.json",
        "synonyms": reference / "CHAIR" / "synonyms.txt",
    }
    result = chair.score(captions, **files, compat=True)
    found = result["counters"] | result["printed"]
    assert {name: found[name] for name in expected["reference"]} == expected["reference"]


def six_repairs(word: str) -> str:
    """The golden file's "fixed": pattern's singulariser, right for six words; all else is the reference's."""
    right = {word: word for word in ("bus", "minibus", "airbus")}
    right |= {"ties": "tie", "canoes": "canoe", "magpies": "magpie"}
    return right.get(word) or pattern_singular(word)


# What SEMANTICS section 8 asks of the default beyond "fixed", in what 10,000 real captions have of it:
# unreachable synonyms are reachable ("cheesecake", "iPhone"), a name of three words is one mention ("stove top oven" is
# not stove and oven), hyphens ("bow-tie") and a full stop inside a closing quote ("Fire Hydrant." The; toilet.") too.
BEYOND_FIXED = {
    "instructblip": {"cake": 1},
    "llava": {"cake": 1, "cell phone": 1, "oven": -4},
    "minigpt-4": {"cake": 4, "fire hydrant": 1, "toilet": 1},
    "mmgpt": {"cake": 2, "cell phone": 1},
    "mplug": {"cake": 1, "cell phone": 3, "tie": 1},
}


@pytest.mark.parametrize("model", BEYOND_FIXED)
def test_the_six_repairs_on_real_captions_and_what_the_default_adds(reference: Path, model: str) -> None:
    name = f"Instruction1_{model}.json"
    expected = golden(reference, "chair_pope_captions.json")["results"][name]["fixed"]
    captions = read_json(reference / "POPE" / "caption_data" / name)
    gold, synonyms = read_json(reference / "CHAIR" / "gold_objects.json"), reference / "CHAIR" / "synonyms.txt"
    repaired = chair.vocabulary_of(synonyms, compat=True, singular=six_repairs)
    fixed = chair.score(captions, gold, synonyms=repaired, compat=True)
    found = fixed["counters"] | fixed["printed"]
    assert {name: found[name] for name in expected} == expected

    words = chair.vocabulary_of(synonyms)
    default = [(str(row["image_id"]), [found.node for found in words.find(row["text"])]) for row in captions]
    added = Counter(node for _, nodes in default for node in nodes)
    added.subtract(nodes_of(fixed))
    assert {node: number for node, number in added.items() if number} == BEYOND_FIXED[model]
    assert sum(not set(nodes) <= set(gold[image]) for image, nodes in default) == expected["hallucinated_captions"]


# Of these words, those by which no caption claims to see something: "no people", "train station", an orange cat. Of 160
# that were read by eye, 6 do claim it. CHAIR_s falls by so many captions.
UNCLAIMED = {
    "instructblip": (100, 13),
    "llava": (1115, 43),
    "minigpt-4": (1781, 192),
    "mmgpt": (469, 24),
    "mplug": (1568, 34),
}


@pytest.mark.parametrize("model", UNCLAIMED)
def test_what_real_captions_do_not_claim(reference: Path, model: str) -> None:
    captions = read_json(reference / "POPE" / "caption_data" / f"Instruction1_{model}.json")
    gold, synonyms = reference / "CHAIR" / "gold_objects.json", reference / "CHAIR" / "synonyms.txt"
    words = chair.vocabulary_of(synonyms)
    found = sum(len(words.find(row["text"])) for row in captions)
    result = chair.score(captions, gold, synonyms=words)["counters"]
    fixed = golden(reference, "chair_pope_captions.json")["results"][f"Instruction1_{model}.json"]["fixed"]
    flagged = fixed["hallucinated_captions"] - result["hallucinated_captions"]
    assert (found - result["words"], flagged) == UNCLAIMED[model]


def nodes_of(result: dict[str, Any]) -> Counter[str]:
    return Counter(mention["node"] for caption in result["captions"] for mention in caption["mentions"])


def test_pope_answers(reference: Path) -> None:
    for case in golden(reference, "pope.json")["scoring"]:
        expected = case["expected"]
        result = yes_no.score(case["answers"], case["labels"], positive="yes", parser="pope", compat=True)
        assert result["predictions"] == expected["pred"]
        assert {name: result["counters"][name] for name in ("TP", "FP", "TN", "FN")} == {
            name: expected[name] for name in ("TP", "FP", "TN", "FN")
        }
        for ours, theirs in {"accuracy": "acc", "precision": "precision", "recall": "recall", "f1": "f1"}.items():
            assert result[ours] == expected[theirs]
        assert result["yes_rate"] == expected["yes_ratio"]
        assert json.dumps(result)
