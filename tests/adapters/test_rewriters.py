"""Rewriters against a real endpoint on this machine and a real, tiny transformers model."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import tiny_language_model
from chat_endpoint import Endpoint, said

from vhbench.adapters import language_models
from vhbench.adapters.language_models import LocalModel
from vhbench.adapters.rewriters import CachedRewriter, load_rewriter
from vhbench.generators.vhexpansion.rewriting import twin_of
from vhbench.schema import VhbenchError


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("VHBENCH_API_KEY", "key-1")
    with Endpoint() as found:
        yield found


def rewriter(endpoint: Endpoint) -> language_models.Endpoint:
    return language_models.Endpoint("tiny", endpoint.url, pause=0.01, what="rewriter")


def test_a_valid_negation_is_taken(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.answer = lambda body: (200, said('Twin: "Is it false that the man rides a bike?"\n\nHope this helps!'))
    twin = twin_of("Does the man ride a bike?", CachedRewriter(rewriter(endpoint), tmp_path), "llm")
    assert (twin.text, twin.by, twin.refused) == ("Is it false that the man rides a bike?", "tiny", "")
    (request,) = endpoint.requests
    assert (request["path"], request["model"], request["temperature"]) == ("/v1/chat/completions", "tiny", 0)
    assert "Does the man ride a bike?" in request["messages"][0]["content"]
    assert endpoint.headers[0]["Authorization"] == "Bearer key-1"


def test_a_wrong_negation_falls_back_to_the_wrapper_and_says_why(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.answer = lambda body: (200, said("Is the sky red?"))
    twin = twin_of("Is the sky blue?", CachedRewriter(rewriter(endpoint), tmp_path), "llm")
    assert (twin.form, twin.by) == ("wrapped", "rule")
    assert twin.text == 'Is it false that the right answer to this question is yes: "Is the sky blue?"'
    assert (twin.refused, twin.reason) == ("Is the sky red?", "expected 1 negations, got 0")


def test_the_same_prompt_is_asked_once_even_by_the_next_process(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.answer = lambda body: (200, said("Is there no dog?"))
    for _ in range(2):
        cached = CachedRewriter(rewriter(endpoint), tmp_path)
        assert twin_of("Is there a dog?", cached, "llm").text == "Is there no dog?"
    assert len(endpoint.requests) == 1
    assert CachedRewriter(language_models.Endpoint("other", endpoint.url), tmp_path).rewrite("x")
    assert len(endpoint.requests) == 2, "another model has answers of its own"


def test_a_damaged_cache_entry_is_asked_again(endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.answer = lambda body: (200, said("Is there no dog?"))
    cached = CachedRewriter(rewriter(endpoint), tmp_path)
    cached.rewrite("x")
    (file,) = tmp_path.glob("*/*/*")
    file.write_text("{")
    assert cached.rewrite("x") == "Is there no dog?"
    assert len(endpoint.requests) == 2


def test_a_busy_endpoint_is_asked_again(endpoint: Endpoint) -> None:
    answers = iter([(429, b""), (503, b"busy"), (200, said("ok"))])
    endpoint.answer = lambda body: next(answers)
    assert rewriter(endpoint).ask("x") == "ok"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, b"", r"HTTP 500 \(4 tries\)"),
        (401, {"error": {"message": "no such key"}}, "HTTP 401: no such key"),
        (404, b"<html>not here</html>", "HTTP 404: <html>not here"),
        (200, {"choices": []}, "HTTP 200: "),
        (200, b"", "HTTP 200: no answer"),
    ],
)
def test_an_endpoint_that_does_not_answer_is_one_clear_line(
    endpoint: Endpoint, status: int, body: object, message: str
) -> None:
    endpoint.answer = lambda _: (status, body)
    with pytest.raises(VhbenchError, match=message) as caught:
        rewriter(endpoint).ask("x")
    assert endpoint.url in str(caught.value)
    assert "key-1" not in str(caught.value)


def test_nobody_listens() -> None:
    with pytest.raises(VhbenchError, match=r"rewriter http://127.0.0.1:9/v1/chat/completions: .*\(2 tries\)"):
        language_models.Endpoint("m", "http://127.0.0.1:9/v1", tries=2, pause=0, what="rewriter").ask("x")


def test_a_transformers_model_with_a_chat_template(tmp_path: Path) -> None:
    """A random model talks nonsense: the question is wrapped, equal each time."""
    tiny_language_model.save(tmp_path, "Is there a no dog in the image ? Question : Twin")
    local = LocalModel(str(tmp_path), device="cpu")
    first, second = (
        twin_of("Is there a dog in the image?", CachedRewriter(local, tmp_path / folder), "llm") for folder in "ab"
    )
    assert first == second
    assert first.text == 'Is it false that the right answer to this question is yes: "Is there a dog in the image?"'
    assert first.by == "rule"
    assert first.reason


@pytest.mark.parametrize("spec", ["gpt", "openai:m", "openai:m@ftp://x", "openai:@http://x", "transformers:", ""])
def test_a_spec_of_another_form(spec: str) -> None:
    with pytest.raises(VhbenchError, match=r"expected rule, openai:MODEL@URL \(http…\) or transformers:NAME"):
        load_rewriter(spec)


def test_a_model_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(VhbenchError, match=f"cannot load rewriter {tmp_path}/none: "):
        LocalModel(f"{tmp_path}/none", what="rewriter").ask("x")


def test_a_spec_names_model_and_url(tmp_path: Path) -> None:
    found = load_rewriter("openai:org/model@v2@http://localhost:8000/v1", cache=tmp_path)
    assert isinstance(found, CachedRewriter)
    assert found.model == language_models.Endpoint("org/model@v2", "http://localhost:8000/v1", what="rewriter")
