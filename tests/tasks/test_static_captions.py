"""What AMBER's report adds: the reference's own numbers of the part that was asked."""

from types import SimpleNamespace
from typing import Any

import pytest

from vhbench.schema import Record
from vhbench.tasks import static_captions


@pytest.mark.parametrize(("kind", "part"), [("caption", "g"), ("yes_no", "d")])
def test_captions_are_ambers_generative_part(kind: str, part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    manifest = SimpleNamespace(config={"relation": {"dog": ["puppy"]}})
    monkeypatch.setattr(static_captions.datasets, "resolve", lambda name: SimpleNamespace(manifest=manifest))

    def score(records: list[Record], **options: Any) -> dict[str, Any]:
        assert options == {"compat": True, "relation": {"dog": ["puppy"]}, "evaluation_type": part}
        return {"printed": "CHAIR: 1.0", "counters": {}, "tools": "builtin", "other": 1}

    monkeypatch.setattr(static_captions.amber, "score_records", score)
    result = static_captions.amber_reference([Record("q", kind=kind)])
    assert result == {"printed": "CHAIR: 1.0", "counters": {}, "tools": "builtin"}


def captions(*said: str) -> list[Record]:
    """Return captions of a dog, each of another image."""
    return [
        Record(str(n), kind="caption", benchmark="chair", response=text, objects=("dog",), scene_ids=(f"s{n}",))
        for n, text in enumerate(said)
    ]


@pytest.fixture
def _words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_captions.datasets, "vocabulary", lambda name: {"dog": ["puppy"], "cat": [], "bus": []})


@pytest.mark.usefixtures("_words")
def test_scores_of_the_beginnings_of_captions() -> None:
    long = "A dog " + "runs, " * 31 + "past a cat."  # 2 + 62 + 4 tokens: words and punctuation marks
    points = static_captions.by_length(captions(long, "<think>A bus.</think>A dog."))
    values = [(p["tokens"], p["longer"], p["chair_i"], p["chair_s"], p["cover"], p["words"]) for p in points]
    assert values == [
        (32, 0.5, 0, 0, 100, (17 + 2) / 2),
        (64, 0.5, 0, 0, 100, (33 + 2) / 2),
        (128, 0.0, pytest.approx(100 / 3), 50, 100, (36 + 2) / 2),
    ]
    assert set(points[0]["intervals"]) >= {"chair_i", "words"}


@pytest.mark.usefixtures("_words")
def test_a_caption_of_as_many_tokens_is_not_cut_and_a_missing_one_counts_whole() -> None:
    exact = "dog " * 32
    [only] = static_captions.by_length(captions(exact, ""))
    assert (only["tokens"], only["longer"]) == (32, 0)
    first, second = static_captions.by_length(captions(exact + "cat", ""))
    assert (first["longer"], second["longer"]) == (0.5, 0)


def test_chair_as_the_reference_computes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    config = {"vocabulary": {"dog": ["puppy"], "cat": []}, "reference_objects": {"s1": ["cat"]}}
    manifest = SimpleNamespace(config=config)
    monkeypatch.setattr(static_captions.datasets, "resolve", lambda name: SimpleNamespace(manifest=manifest))
    found = static_captions.chair_reference(captions("A dog.", "A dog and a cat."))
    assert found is not None
    assert found["printed"] == {"CHAIRs": 50.0, "CHAIRi": 33.33, "Recall": 100.0}
    assert set(found) == {"printed", "counters"}
    assert static_captions.chair_reference(captions("A room.")) is None
