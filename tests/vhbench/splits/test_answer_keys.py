"""The key of a hidden test set: what is written is read again, and a faulty line is named."""

import stat
from pathlib import Path

import pytest

from vhbench.schema import Question, VhbenchError
from vhbench.splits.answer_keys import KeyHead, is_key, read_head, read_key, refuse_other, write_key

HEAD = KeyHead("ode", "1.0.0", "abc", {"dog": ["dogs"]})
FIRST = b'{"format":"vhbench-key-1"}\n'
SECOND = b'{"benchmark":"ode","version":"1.0.0","content_hash":"abc","vocabulary":{}}\n'


def test_a_key_is_read_as_it_was_written_and_is_its_owner_s_alone(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    question = Question(id="q1", question="Is there a dog?", answer="yes", kind="yes_no", images=())
    write_key(path, HEAD, [("ode_standard", question)])
    assert is_key(path)
    assert read_head(path) == HEAD
    [(config, row)] = read_key(path)
    assert (config, row["id"], row["question"], row["answer"]) == ("ode_standard", "q1", "Is there a dog?", "yes")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ([b"{}\n"], "{path}: expected the key of a hidden test set, as written by `vhbench push --hidden`"),
        ([FIRST, b'{"benchmark":1}\n'], "{path}: "),
        ([FIRST], "{path} is None: "),
        ([FIRST, b"{\n"], "{path}, line 2: is not JSON"),
    ],
)
def test_the_file_of_a_faulty_head_is_named(lines: list[bytes], fault: str, tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    path.write_bytes(b"".join(lines))
    with pytest.raises(VhbenchError) as refused:
        read_head(path)
    assert str(refused.value).startswith(fault.format(path=path))


def test_the_line_of_a_faulty_row_is_named(tmp_path: Path) -> None:
    path = tmp_path / "key.jsonl"
    path.write_bytes(FIRST + SECOND + b'["ode_standard",{"id":"q1"}]\n["ode_standard"]\n')
    with pytest.raises(VhbenchError) as refused:
        list(read_key(path))
    assert str(refused.value).startswith(f"{path}, line 4")


@pytest.mark.parametrize(
    ("benchmark", "version", "content_hash", "refused"),
    [
        ("ode", "1.0.0", "abc", ""),
        ("ode", "1.0.0", "", ""),
        ("ode", "1.0.0", "other", "is the key of ode 1.0.0 abc…"),
        ("ode", "1.0.1", "abc", "is the key of ode 1.0.0 abc…"),
        ("mioh", "1.0.0", "abc", "is the key of ode 1.0.0 abc…"),
    ],
)
def test_only_the_key_of_the_same_version_is_written_over(
    benchmark: str, version: str, content_hash: str, refused: str, tmp_path: Path
) -> None:
    path = tmp_path / "key.jsonl"
    refuse_other(path, benchmark, version, content_hash)  # there is nothing yet
    refuse_other(tmp_path, benchmark, version, content_hash)  # a folder
    write_key(path, HEAD, [])
    if not refused:
        return refuse_other(path, benchmark, version, content_hash)
    with pytest.raises(VhbenchError, match=refused):
        refuse_other(path, benchmark, version, content_hash)
    path.write_text("notes")
    with pytest.raises(VhbenchError, match="and is no key; choose another file"):
        refuse_other(path, benchmark, version, content_hash)
