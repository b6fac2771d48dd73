"""NLTK and spaCy as AMBER uses them: what is said where they are missing, and what they do where they are there.

Their data are downloads of their own, not packages. So a tagger is trained here on three sentences, a WordNet of four
words written, and an English pipeline with a few vectors saved; the libraries read them as they would read the large.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from vhbench.adapters import language
from vhbench.schema import VhbenchError
from vhbench.tasks.metrics import amber

SENTENCES = ["Two/CD dogs/NNS chase/VBP Rex/NNP ./.", "A/DT man/NN holds/VBZ a/DT knife/NN ./."]
SENTENCES += ["The/DT wolves/NNS watch/VBP the/DT men/NNS ./."]
NOUNS = ("dog", "knife", "man", "wolf")
VECTORS = {"dog": (1, 0), "wolf": (1, 0.1), "car": (0, 1), "truck": (0.1, 1), "doll": (1, 1)}
VECTORS |= {"man": (-1, 0), "knife": (-1, -1)}


@pytest.fixture(scope="session")
def nltk_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder as NLTK's downloader leaves it, with a tiny tagger, tokeniser and WordNet."""
    from nltk.corpus.reader import WordNetCorpusReader
    from nltk.tag.perceptron import PerceptronTagger

    root = tmp_path_factory.mktemp("nltk_data")
    tagger = PerceptronTagger(load=False)
    tagger.train([[tuple(word.rsplit("/", 1)) for word in line.split()] for line in SENTENCES], nr_iter=8)
    files = {
        f"taggers/averaged_perceptron_tagger_eng/{name}": json.dumps(values)
        for name, values in zip(tagger.param_files("eng"), tagger.encode_json_obj(), strict=True)
    }
    punkt = ("collocations.tab", "sent_starters.txt", "abbrev_types.txt", "ortho_context.tab")
    files |= {f"tokenizers/punkt_tab/english/{name}": "" for name in punkt}
    files |= {f"corpora/wordnet/{name}": "" for name in WordNetCorpusReader._FILES}
    files["corpora/wordnet/lexnames"] = "00\tnoun.Tops\t1\n"
    files["corpora/wordnet/noun.exc"] = "men man\nwolves wolf\n"
    files["corpora/wordnet/index.noun"] = "".join(f"{noun} n 1 0 1 0 {i:08}\n" for i, noun in enumerate(NOUNS))
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def nltk_data(nltk_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    use_nltk_data(nltk_folder, monkeypatch)


def use_nltk_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let NLTK find its data in one folder only, and forget what it has read elsewhere."""
    import nltk
    from nltk.corpus import LazyCorpusLoader
    from nltk.corpus.reader import WordNetCorpusReader

    monkeypatch.setattr(nltk.data, "path", [str(folder)])
    monkeypatch.setattr(nltk.corpus, "wordnet", LazyCorpusLoader("wordnet", WordNetCorpusReader, None))
    nltk.tag._get_tagger.cache_clear()
    nltk.tokenize._get_punkt_tokenizer.cache_clear()


READ: list[str] = []
"""The words that the pipeline of :func:`spacy_model` was given."""


@pytest.fixture(scope="session")
def spacy_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An English pipeline with a few vectors, which notes what it reads."""
    import spacy

    @spacy.Language.component("note_what_is_read")
    def note(doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
        READ.append(doc.text)
        return doc

    pipeline = spacy.blank("en", meta={"name": "core_web_lg", "version": "0.0.1"})
    pipeline.add_pipe("note_what_is_read")
    for word, vector in VECTORS.items():
        pipeline.vocab.set_vector(word, np.array(vector, dtype="float32"))
    folder = tmp_path_factory.mktemp("spacy") / language.SPACY_MODEL
    pipeline.to_disk(folder)
    return folder


@pytest.fixture
def spacy_data(spacy_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(spacy_model.parent)  # spaCy takes a name for a folder where no such package is installed
    READ.clear()


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nltk", "spacy"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("nltk_data")
@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_nouns_are_tagged_and_in_the_singular() -> None:
    nouns = language.nltk_nouns()
    assert nouns("Two dogs chase Rex. The wolves watch the men.") == ["dog", "Rex", "wolf", "man"]
    assert nouns.__name__.startswith("NLTK ")


@pytest.mark.usefixtures("spacy_data")
def test_similarity_is_the_cosine_and_words_are_read_once() -> None:
    similarity = language.spacy_similarity()
    assert similarity("dog", "wolf") == pytest.approx(1 / 1.01**0.5)
    assert similarity("dog", "car") == pytest.approx(0)
    assert similarity("car", "dog") == pytest.approx(0)
    assert similarity("doll", "dog") == pytest.approx(0.5**0.5)
    assert READ == ["dog", "wolf", "car", "doll"]
    assert similarity.__name__ == "spaCy en_core_web_lg 0.0.1"
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
    with pytest.raises(VhbenchError, match="expected one of builtin, nltk-spacy, auto"):
        language.language_tools("stanza")


@pytest.mark.filterwarnings("ignore:The multilingual functions")
@pytest.mark.parametrize("lost", ["taggers", "tokenizers", "corpora"])
def test_missing_data_is_named_too(
    nltk_folder: Path, lost: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in {"taggers", "tokenizers", "corpora"} - {lost}:
        shutil.copytree(nltk_folder / folder, tmp_path / folder)
    use_nltk_data(tmp_path, monkeypatch)
    with pytest.raises(VhbenchError, match="NLTK or its data is missing"):
        language.nltk_nouns()


@pytest.mark.usefixtures("nltk_data", "spacy_data")
@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_the_score_says_which_tools_it_used() -> None:
    nouns, similarity = language.language_tools("nltk-spacy")
    annotation = {"id": 1, "truth": ["dog", "car"], "hallu": ["knife"]}
    result = amber.score(
        [{"id": 1, "response": "The wolves watch. A man holds a knife."}],
        annotations=[annotation],
        relation={"wolf": [], "man": []},
        nouns=nouns,
        similarity=similarity,
        evaluation_type="g",
    )
    [found] = result["responses"]
    assert found["nouns"] == ["wolf", "man", "knife"]
    assert found["covered"] == ["dog"], "a wolf is a dog by its vector"
    assert found["hallucinated"] == ["man", "knife"]
    assert result["tools"]["nouns"].startswith("NLTK ")
    assert result["tools"]["similarity"] == "spaCy en_core_web_lg 0.0.1"
