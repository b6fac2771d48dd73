import json
from pathlib import Path
from typing import Any

import pytest

from vhbench import cli


def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.argv", ["vhbench", "score", *arguments])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def rows(name: str, *values: Any) -> str:
        file = tmp_path / name
        file.write_text("\n".join(map(json.dumps, values)), encoding="utf-8")
        return str(file)

    return rows


def test_chair(capsys: Any, monkeypatch: Any, write: Any) -> None:
    captions = write("captions.jsonl", {"image_id": 1, "caption": "a dog"}, {"image_id": 2, "caption": "a cat"})
    files = (
        "--gold",
        write("gold.json", {"1": ["dog"], "2": []}),
        "--synonyms",
        write("s.json", {"dog": [], "cat": []}),
    )
    code, out, _ = run(capsys, monkeypatch, "chair", "--responses", captions, *files, "--json")
    assert code == 0
    assert json.loads(out)["CHAIR_i"] == 0.5
    code, out, _ = run(capsys, monkeypatch, "chair", "--responses", captions, *files)
    assert "CHAIR_i     0.5000" in out


def test_yes_no_joins_questions_by_id(capsys: Any, monkeypatch: Any, write: Any) -> None:
    said = write("said.jsonl", {"question_id": 1, "answer": "Yes, it is"}, {"question_id": 2, "answer": "I know"})
    asked = write("asked.jsonl", {"question_id": 1, "label": "yes"}, {"question_id": 2, "label": "no"})
    options = ("yes-no", "--responses", said, "--questions", asked, "--positive", "yes", "--json")
    assert json.loads(run(capsys, monkeypatch, *options)[1])["accuracy"] == 0.5
    assert json.loads(run(capsys, monkeypatch, *options, "--parser", "ode")[1])["accuracy"] == 1.0


def test_symmetric_and_multiple_choice(capsys: Any, monkeypatch: Any, write: Any) -> None:
    pairs = write(
        "pairs.jsonl",
        {"id": "a", "pair_id": "p", "answer": "yes", "response": "Yes"},
        {"id": "b", "pair_id": "p", "answer": "no", "response": "No", "negated": True},
    )
    code, out, _ = run(capsys, monkeypatch, "symmetric", "--responses", pairs)
    assert (code, "symmetric_accuracy       1.0000" in out) == (0, True)
    told = write(
        "told.jsonl", *({**json.loads(line), "mode": "wrapped"} for line in Path(pairs).read_text().splitlines())
    )
    code, out, _ = run(capsys, monkeypatch, "symmetric", "--responses", told, "--by", "mode")
    assert (code, "mode = wrapped: 1 pairs" in out) == (0, True)
    code, _, err = run(capsys, monkeypatch, "symmetric", "--responses", pairs, "--by", "mode")
    assert (code, "--by mode: expected a field with values in at least one row" in err) == (2, True)
    choices = write("mc.jsonl", {"id": "a", "choices": ["x", "y"], "answer": "A", "response": "A", "task": "counting"})
    code, out, _ = run(capsys, monkeypatch, "multiple-choice", "--responses", choices)
    assert (code, "aggregate              1.0000" in out) == (0, True)


def test_amber(capsys: Any, monkeypatch: Any, write: Any) -> None:
    files = (
        *("--responses", write("r.jsonl", {"id": 1, "response": "a dog"})),
        *("--annotations", write("a.json", {"id": 1, "type": "generative", "truth": ["dog"], "hallu": ["cat"]})),
        *("--relation", write("rel.json", {"dog": [], "cat": []})),
    )
    code, out, _ = run(capsys, monkeypatch, "amber", *files)
    assert (code, "Cover      100.0" in out) == (0, True)
    code, out, _ = run(capsys, monkeypatch, "amber", *files, "--compat", "--json", "--evaluation-type", "g")
    assert json.loads(out)["printed"] == {"Generative Task": {"CHAIR": 0.0, "Cover": 99.9, "Hal": 0.1, "Cog": 0.0}}


def test_bad_input_gets_one_line(capsys: Any, monkeypatch: Any, write: Any, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": 1}\n{"id": ', encoding="utf-8")
    good = write("good.jsonl", {"id": 1, "answer": "yes", "response": "yes"})
    for arguments, message in (
        (("yes-no", "--responses", str(broken), "--positive", "yes"), f"{broken}, line 2: not JSON"),
        (("yes-no", "--responses", "/no/such", "--positive", "yes"), "cannot read /no/such"),
        (
            ("yes-no", "--responses", good, "--positive", "maybe"),
            "expected the positive class 'yes' or 'no', got 'maybe'",
        ),
        (("yes-no", "--responses", good, "--positive", "yes", "--by", "colour"), "got 'colour'"),
        (
            ("yes-no", "--responses", good, "--positive", "yes", "--questions", write("q", {"id": 2})),
            "expected the id of one of 1 questions in",
        ),
        (("chair", "--responses", good), "expected a vocabulary: --synonyms FILE"),
        (("chair", "--responses", good, "--synonyms", write("s.json", {"dog": []})), "--gold FILE or --instances FILE"),
        (("symmetric", "--responses", good), "expected a pair_id"),
        (
            ("amber", "--responses", good, "--annotations", good, "--relation", good, "--language", "x"),
            "builtin, nltk-spacy",
        ),
    ):
        code, _, err = run(capsys, monkeypatch, *arguments)
        assert (code, err.count("\n")) == (2, 1), err
        assert message in err
