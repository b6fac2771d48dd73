"""Whether a release is withdrawn, superseded or moved, and small files of a repository."""

import base64
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import huggingface_hub
import pytest
from hub_standin import HubStandin

from vhbench.adapters import hub as reading
from vhbench.adapters.hub import Refs, ReleaseStatus, Yank
from vhbench.schema import VhbenchError

REPO = "org/ode"


@pytest.fixture
def online(hub: HubStandin, tmp_path: Path) -> Iterator[HubStandin]:
    with hub.in_process(tmp_path / "cache"):
        hub.create(REPO, private=False)
        yield hub


def commit(hub: HubStandin, name: str, content: bytes) -> str:
    value = {"path": name, "content": base64.b64encode(content).decode()}
    hub.commit(REPO, [{"key": "header", "value": {"summary": "x"}}, {"key": "file", "value": value}])
    return str(hub.resolve(REPO, "main"))


def test_versions_are_ordered_as_numbers() -> None:
    refs = Refs({"main": "c"}, dict.fromkeys(("v1.10.0", "v1.9.0", "v1.9.1"), "c"))
    assert refs.newest_last == ["v1.9.0", "v1.9.1", "v1.10.0"]
    assert [refs.below(version) for version in ("1.9.0", "1.9.1", "1.11.0", "1.10.0")] == [
        "", "v1.9.0", "v1.10.0", "v1.9.1",
    ]  # fmt: skip
    assert [refs.above(version) for version in ("1.9.0", "1.10.0", "2.0.0")] == ["v1.10.0", "", ""]
    assert (Refs({}, {}).below("1.0.0"), Refs({}, {}).above("1.0.0")) == ("", "")


def test_a_withdrawal_is_known_by_version_commit_or_content() -> None:
    yank = Yank("1.0.0", "wrong", "c", "h")
    given = [("1.0.0", "", ""), ("2.0.0", "c", ""), ("2.0.0", "", "h"), ("2.0.0", "h", "c"), ("", "", "")]
    assert [yank.means(*each) for each in given] == [True, True, True, False, False]
    assert not Yank("1.0.0", "wrong").means("2.0.0", "", "")


def test_withdrawals_are_read_as_they_are_written() -> None:
    yanks = [Yank("1.1.0", "b", "c", "h"), Yank("1.0.0", "a"), Yank("1.1.0", "later")]
    assert Yank.read(Yank.text(yanks)) == [yanks[1], yanks[2]]
    assert Yank.read("") == Yank.read("{") == Yank.read("[1]") == []
    assert Yank.read('{"1.0.0": {"reason": null, "revision": "c"}}') == [Yank("1.0.0", "", "c")]


def test_a_release_is_newest_superseded_moved_or_withdrawn(online: HubStandin) -> None:
    first = str(online.resolve(REPO, "main"))
    online.tag(REPO, first, "v1.0.0")
    assert reading.standing(REPO, "1.0.0", first, tag="v1.0.0") == ReleaseStatus()
    second = commit(online, "yanked.json", Yank.text([Yank("1.0.0", "wrong answers", first)]).encode())
    online.tag(REPO, second, "v1.1.0")
    online.tag(REPO, second, "v1.2.0-rc1")  # no version
    assert reading.standing(REPO, "1.0.0", first) == ReleaseStatus("wrong answers", "v1.1.0")
    assert reading.standing(REPO, "1.1.0", second, tag="v1.1.0") == ReleaseStatus()
    assert reading.standing(REPO, "1.1.0", second, tag="v1.0.0").moved
    assert reading.standing(REPO, "1.1.0", second, tag="v3.0.0").moved
    assert not reading.standing(REPO, "1.1.0", second).moved
    online.fail("cut", at=1)
    assert reading.standing(REPO, "1.0.0", first, tag="v3.0.0").moved is False


def test_a_hub_that_does_not_answer_is_not_waited_for(online: HubStandin, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(online, "yanked.json", b'{"1.0.0": "wrong answers"}')
    assert reading.text_of(REPO, "yanked.json") == '{"1.0.0": "wrong answers"}'
    monkeypatch.setattr(reading, "Thread", lambda **_: SimpleNamespace(start=int, join=lambda seconds: None))
    online.requests.clear()
    assert reading.standing(REPO, "1.0.0", "f" * 40, tag="v1.0.0") == ReleaseStatus("wrong answers")
    assert online.requests == []


def test_small_files_are_text_or_absent(online: HubStandin) -> None:
    commit(online, "notes.txt", b"\xff\xfe")
    assert (reading.text_of(REPO, "none.txt"), reading.file_of(REPO, "none.txt")) == ("", None)
    assert reading.text_of("org/none", "notes.txt") == ""
    with pytest.raises(VhbenchError, match=r"^org/ode: notes\.txt is not UTF-8 text \('utf-8' codec"):
        reading.text_of(REPO, "notes.txt")
    with pytest.raises(VhbenchError, match=r"^org/ode: not in the local cache"):
        reading.text_of(REPO, "other.txt", offline=True)
    assert reading.refs("org/none") is None
    with pytest.raises(VhbenchError, match=r"^org/ode at v9\.0\.0: there is no such commit"):
        reading.commit_of(REPO, "v9.0.0")


def test_a_cache_that_gives_another_commit_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "snapshot_download", lambda *_, **__: "/cache/" + "e" * 40)
    with pytest.raises(VhbenchError) as raised:
        reading.download(REPO, "f" * 40, offline=True)
    assert str(raised.value) == f"org/ode at commit {'f' * 40}: the cache gave {'e' * 40} instead"
