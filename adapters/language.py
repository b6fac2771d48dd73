"""Nouns and word similarity for AMBER's metric, from NLTK and spaCy if installed."""

from collections.abc import Callable
from typing import Any

from vhbench.schema import VhbenchError

Nouns = Callable[[str], list[str]]
Similarity = Callable[[str, str], float]

CHOICES = ("builtin", "nltk-spacy", "auto")
SPACY_MODEL = "en_core_web_lg"  # the model used by AMBER; scores with a smaller one are not comparable


def language_tools(choice: str) -> tuple[Nouns | None, Similarity | None]:
    """Return ``nouns`` and ``similarity`` for :func:`vhbench.tasks.metrics.amber.score`.

    Args:
        choice: "builtin" (None for both: the metric's own closed vocabulary), "nltk-spacy" (the reference's tools,
            required), or "auto" (each of the reference's tools if available).

    Raises:
        VhbenchError: for an unknown choice, or for missing tools with installation instructions.
    """
    if choice not in CHOICES:
        raise VhbenchError(f"unknown language tools {choice!r}, expected one of {', '.join(CHOICES)}")
    if choice == "builtin":
        return None, None
    return _or_none(nltk_nouns, choice), _or_none(spacy_similarity, choice)


def nltk_nouns() -> Nouns:
    """Return AMBER's nouns: tokens that NLTK tags as nouns, lemmatised by WordNet; raise without NLTK or its data."""
    try:
        import nltk
        from nltk.stem import WordNetLemmatizer

        lemmatize = WordNetLemmatizer().lemmatize
        lemmatize("dogs")
        nltk.pos_tag(nltk.word_tokenize("Two dogs."))
    except (ImportError, LookupError):
        raise VhbenchError(
            "NLTK or its data is missing: pip install nltk; "
            "python -m nltk.downloader punkt_tab averaged_perceptron_tagger_eng wordnet"
        ) from None

    def nouns(text: str) -> list[str]:
        return [lemmatize(word) for word, tag in nltk.pos_tag(nltk.word_tokenize(text)) if tag.startswith("NN")]

    nouns.__name__ = f"NLTK {nltk.__version__} tagger and WordNet"
    return nouns


def spacy_similarity(model: str = SPACY_MODEL) -> Similarity:
    """Return AMBER's similarity: the cosine of spaCy's vectors, parsed once per word; raise without its model."""
    try:
        import spacy

        pipeline = spacy.load(model)
    except (ImportError, OSError):
        raise VhbenchError(
            f"spaCy or its model {model} is missing: pip install spacy; python -m spacy download {model}"
        ) from None
    known: dict[str, Any] = {}

    def similarity(first: str, second: str) -> float:
        one, two = (known.get(word) or known.setdefault(word, pipeline(word)) for word in (first, second))
        return float(one.similarity(two))

    meta = pipeline.meta  # its own name, not the folder it was loaded from
    similarity.__name__ = f"spaCy {meta['lang']}_{meta['name']} {meta['version']}"
    return similarity


def _or_none(make: Callable[[], Any], choice: str) -> Any:
    try:
        return make()
    except VhbenchError:
        if choice == "auto":
            return None
        raise
