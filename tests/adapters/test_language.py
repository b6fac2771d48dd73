"""NLTK and spaCy as AMBER uses them: what is said where they are missing, and what they do where they are there.

Their data are downloads of their own, not packages, so the tagger is played by one that tags by a table; NLTK's
tokeniser of words and all that the adapter does itself are real.
"""

import sys
import types
from typing import Any

import pytest

from vhbench.adapters import language
from vhbench.schema import VhbenchError
from vhbench.tasks.metrics import amber

TAGS = {"Two": "CD", "dogs": "NNS", "chase": "VBP", "Rex": "NNP"}


class Doc:
    def __init__(self, word: str) -> None:
        self.word = word

    def similarity(self, other: "Doc") -> float:
        return float(self.word[0] == other.word[0])


@pytest.fixture
def spacy(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Install a spaCy whose words are alike where they begin alike; return the words that it has read."""
    read: list[str] = []

    def load(model: str) -> Any:
        if model != language.SPACY_MODEL:
            raise OSError(model)

        class Pipeline:
            def __init__(self) -> None:
                self.meta = {"version": "3.8.0"}

            def __call__(self, word: str) -> Doc:
                read.append(word)
                return Doc(word)

        return Pipeline()

    module = types.ModuleType("spacy")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)
    return read


@pytest.fixture
def nltk_data(monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    from nltk.stem import WordNetLemmatizer
    from nltk.tokenize import NLTKWordTokenizer

    monkeypatch.setattr(nltk, "word_tokenize", NLTKWordTokenizer().tokenize)
    monkeypatch.setattr(nltk, "pos_tag", lambda words: [(word, TAGS.get(word, ".")) for word in words])
    monkeypatch.setattr(WordNetLemmatizer, "lemmatize", lambda self, word: word.removesuffix("s"))


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nltk", "spacy"):
        monkeypatch.setitem(sys.modules, name, None)


def test_nouns_are_tagged_and_in_the_singular(nltk_data: None) -> None:
    nouns = language.nltk_nouns()
    assert nouns("Two dogs chase Rex.") == ["dog", "Rex"]
    assert nouns.__name__.startswith("NLTK ")


def test_words_are_read_once(spacy: list[str]) -> None:
    similarity = language.spacy_similarity()
    assert (similarity("dog", "doll"), similarity("dog", "cat"), similarity("cat", "dog")) == (1.0, 0.0, 0.0)
    assert spacy == ["dog", "doll", "cat"]
    with pytest.raises(VhbenchError, match="spacy download en_core_web_sm"):
        language.spacy_similarity("en_core_web_sm")


def test_what_is_missing_is_named(nothing: None) -> None:
    with pytest.raises(VhbenchError, match=r"pip install nltk; python -m nltk\.downloader punkt_tab"):
        language.nltk_nouns()
    with pytest.raises(VhbenchError, match="pip install spacy; python -m spacy download en_core_web_lg"):
        language.spacy_similarity()
    with pytest.raises(VhbenchError, match="NLTK or its data is missing"):
        language.language_tools("nltk-spacy")
    assert language.language_tools("auto") == (None, None)
    assert language.language_tools("builtin") == (None, None)
    with pytest.raises(VhbenchError, match="must be one of builtin, nltk-spacy, auto"):
        language.language_tools("stanza")


def test_missing_data_is_named_too(monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [])
    monkeypatch.setattr(nltk, "pos_tag", lambda words: nltk.data.find("taggers/none"))
    with pytest.raises(VhbenchError, match="NLTK or its data is missing"):
        language.nltk_nouns()


def test_the_score_says_which_tools_it_used(nltk_data: None, spacy: list[str]) -> None:
    nouns, similarity = language.language_tools("nltk-spacy")
    result = amber.score(
        [{"id": 1, "response": "Two dogs chase Rex."}],
        annotations=[{"id": 1, "truth": ["dog"], "hallu": []}],
        relation={},
        nouns=nouns,
        similarity=similarity,
        evaluation_type="g",
    )
    assert result["printed"]["Generative Task"]["CHAIR"] == 0.0
    assert result["tools"]["nouns"].startswith("NLTK ")
    assert result["tools"]["similarity"] == "spaCy en_core_web_lg 3.8.0"
