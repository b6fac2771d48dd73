"""When a call of the Hub is repeated, and the line for one that fails; no network."""

from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from huggingface_hub import errors

from vhbench.adapters import hub
from vhbench.schema import VhbenchError


def failed(
    kind: type[Exception] = errors.HfHubHTTPError, status: int = 0, wait: str = "", text: str = "x"
) -> Exception:
    error = kind.__new__(kind)
    Exception.__init__(error, text)
    headers = {"Retry-After": wait} if wait else {}
    error.response = SimpleNamespace(status_code=status, headers=headers) if status else None  # type: ignore[attr-defined]
    return error


def caused(cause: Exception, kind: type[Exception] = RuntimeError) -> Exception:
    error = failed(kind, text="outer")
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "number", "seconds"),
    [
        (failed(status=429, wait="7"), 0, 7), (failed(status=503, wait="300"), 0, 300),
        (failed(status=500, wait="301"), 0, 300), (failed(status=504, wait="soon"), 3, 8), (failed(status=502), 0, 1),
        (failed(status=501), 0, None), (failed(status=505), 0, None), (failed(status=404, wait="7"), 0, None),
        (ConnectionError("x"), 2, 4), (httpx.ReadTimeout("x"), 1, 2), (caused(ConnectionError("x")), 1, 2),
        (caused(failed(status=503, wait="9")), 1, 9), (ValueError("x"), 0, None), (caused(ValueError("x")), 0, None),
        (None, 0, None),
    ],
)  # fmt: skip
def test_only_what_may_pass_is_repeated(error: Exception | None, number: int, seconds: float | None) -> None:
    assert hub._wait(error, number) == seconds


def test_six_calls_are_made_and_each_wait_is_twice_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    calls: list[int] = []
    monkeypatch.setattr(hub.time, "sleep", slept.append)

    def call(good: int, error: Exception) -> int:
        calls.append(1)
        if len(calls) < good:
            raise error
        return len(calls)

    assert hub.retried(lambda: call(6, ConnectionError("x"))) == 6
    assert slept == [1, 2, 4, 8, 16]
    calls.clear()
    with pytest.raises(ConnectionError):
        hub.retried(lambda: call(7, ConnectionError("x")))
    assert len(calls) == 6
    calls.clear()
    with pytest.raises(ValueError, match="no"):
        hub.retried(lambda: call(9, ValueError("no")))
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (failed(errors.RevisionNotFoundError, 404), "there is no such commit, or it was deleted"),
        (failed(errors.GatedRepoError, 403), "access is restricted: log in with `hf auth login`, and request access on "
         "its page"),
        (failed(errors.RepositoryNotFoundError, 404), "repository not found, or no access to it"),
        (failed(status=429), "rate limit of the Hub; run the command again later"),
        (failed(status=429, wait="9"), "rate limit of the Hub; run the command again in 9 seconds"),
        (failed(errors.OfflineModeIsEnabled), "not in the local cache, and the Hub cannot be reached"),
        (failed(errors.LocalEntryNotFoundError), "not in the local cache, and the Hub cannot be reached"),
        (caused(failed(status=401), errors.LocalEntryNotFoundError), "the Hub does not accept the token"),
        (caused(failed(status=500), errors.LocalEntryNotFoundError), "not in the local cache, and the Hub cannot be "
         "reached"),
        (failed(status=401), "the Hub does not accept the token"),
        (failed(status=403), "the token has no write access, or the branch is protected: allow it in the repository's "
         "settings"),
        (failed(status=409), "another push interfered; run the command again"),
        (failed(status=412), "another push interfered; run the command again"),
        (failed(status=410, text="a\n  b hf_AbC9 c"), "a b hf_… c; run the command again to resume"),
        (failed(status=410, text=""), "HfHubHTTPError; run the command again to resume"),
        (failed(status=410, text="y" * 400), "y" * 300 + "; run the command again to resume"),
    ],
)  # fmt: skip
def test_a_failure_has_one_line_with_what_to_do(error: Exception, line: str) -> None:
    def fail() -> Any:
        raise error

    with pytest.raises(VhbenchError) as told, hub.one_line("push"):
        fail()
    assert str(told.value) == f"push: {line}"


def test_faults_of_ours_stay_what_they_are() -> None:
    for error in (ValueError("x"), VhbenchError("y"), caused(ValueError("x"))):
        with pytest.raises(type(error)) as told, hub.one_line("push"):
            raise error
        assert told.value is error
    with pytest.raises(VhbenchError, match="push: outer; run"), hub.one_line("push"):
        raise caused(httpx.ReadTimeout("x"))
