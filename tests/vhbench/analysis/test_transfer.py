"""Transfer of attacks on four cases, of a model whose answers are given."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from vhbench.analysis import transfer as module
from vhbench.analysis.transfer import transfer
from vhbench.schema import Question, VhbenchError

CLEAN = {"a": "yes", "b": "yes", "c": "no", "d": "maybe"}
ATTACKED = {"a": "no", "b": "yes", "c": "what?", "d": "no"}


def question(case: str, method: str = "", **options: Any) -> Question:
    pair = f"{case}/{method}" if method else case
    answer = {"image": f"{case}{method}".encode(), "answer": CLEAN[case] if CLEAN[case] in ("yes", "no") else "yes"}
    answer |= options
    return Question(
        pair, question="Is there a dog in the image?", answer=answer["answer"], kind="yes_no",
        images=(answer["image"],), pair_id=pair, perturbation=method, negated=answer.get("negated", False),
    )  # fmt: skip


def ask(image: bytes, text: str) -> str:
    case = image.decode()
    return ATTACKED[case[0]] if len(case) > 1 else CLEAN[case]


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[Question]:
    made = [question(case, method) for method in ("", "ifgsm") for case in CLEAN] + [question("a", "jpeg")]
    made.append(question("a", "ifgsm", negated=True, answer="no"))
    monkeypatch.setattr(module.splits, "read_rows", lambda split: (SimpleNamespace(question=one) for one in made))
    monkeypatch.setattr(module, "read_image", lambda image: image)
    return made


def test_only_what_was_right_before_can_be_turned(rows: list[Question]) -> None:
    found = transfer(Path("split"), ask)
    assert list(found) == ["ifgsm"]
    told = found["ifgsm"]
    assert (told["right_before"], told["turned_wrong"], told["unread_after"]) == (2, 1, 1)
    assert (told["success_rate"], told["success_bounds"]) == (50, pytest.approx([100 / 3, 200 / 3]))
    assert set(told["outcomes"]) == {"a", "b", "c"}  # the fourth was not answered before
    rows.append(question("b", "apgd"))
    assert {method: set(one["outcomes"]) for method, one in transfer(Path("split"), ask).items()} == {
        "apgd": {"b"}, "ifgsm": {"a", "b", "c"},
    }  # fmt: skip


def test_what_cannot_be_asked_is_named(rows: list[Question]) -> None:
    def fails(image: bytes, text: str) -> str:
        raise ValueError("too large")

    with pytest.raises(VhbenchError, match="question a: too large"):
        transfer(Path("split"), fails)
    del rows[0]
    with pytest.raises(VhbenchError, match="split: a/ifgsm is attacked, but a itself is not in the split"):
        transfer(Path("split"), ask)
    rows[:] = [question("a"), question("a", "jpeg")]
    with pytest.raises(VhbenchError, match="split: holds no attacked images; build it with --attack"):
        transfer(Path("split"), ask)
