"""Language models that rewrite questions: any OpenAI-compatible endpoint, or a transformers model on this machine."""

import hashlib
import json
import os
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from vhbench.adapters.loading import loading, needed_by, pick_device
from vhbench.files import cache_folder, canonical, read_json, write_atomic
from vhbench.protocols import Rewriter
from vhbench.schema import VhbenchError

KEY = "VHBENCH_API_KEY"
"""Environment variable with the endpoint's key; OPENAI_API_KEY is read where it is not set."""

MAX_NEW_TOKENS = 128


@dataclass(frozen=True, slots=True)
class EndpointRewriter:
    """A chat model behind ``URL/chat/completions``: OpenAI, vLLM, SGLang, llama.cpp, Ollama and others.

    Attributes:
        name: the model's there.
        url: base URL, such as ``http://localhost:8000/v1``.
        tries: how often a request is sent before giving up.
        pause: seconds before the second try; doubled each time.
        timeout: seconds for one answer.
    """

    name: str
    url: str
    tries: int = 4
    pause: float = 1
    timeout: float = 120

    def rewrite(self, prompt: str) -> str:
        """Return the model's answer.

        Raises:
            VhbenchError: if the endpoint cannot be reached, refuses, or answers in another form.
        """
        with needed_by("a rewriter's endpoint"):
            import httpx
        url = f"{self.url.rstrip('/')}/chat/completions"
        message = {"role": "user", "content": prompt}
        body = {"model": self.name, "messages": [message], "temperature": 0, "max_tokens": MAX_NEW_TOKENS, "seed": 0}
        key = os.environ.get(KEY) or os.environ.get("OPENAI_API_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        problem = ""
        for attempt in range(self.tries):
            if attempt:
                time.sleep(self.pause * 2 ** (attempt - 1))
            try:
                response = httpx.post(url, json=body, headers=headers, timeout=self.timeout)
            except httpx.HTTPError as error:
                problem = str(error) or type(error).__name__
                continue
            if response.status_code == 429 or response.status_code >= 500:
                problem = f"HTTP {response.status_code}"
                continue
            return _content(url, response.status_code, response.text)
        raise VhbenchError(f"rewriter {url}: {problem} ({self.tries} tries)")


@dataclass
class LocalRewriter:
    """A causal language model of transformers, greedy; loaded when it is first asked."""

    name: str
    device: str = "auto"

    def rewrite(self, prompt: str) -> str:
        """Return the model's answer.

        Raises:
            VhbenchError: if the model cannot be loaded.
        """
        tokenizer, model = self._loaded
        import torch

        if tokenizer.chat_template:
            chat = [{"role": "user", "content": prompt}]
            prompt = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        inputs = tokenizer(prompt, return_tensors="pt", add_special_tokens=not tokenizer.chat_template)
        inputs = inputs.to(model.device)
        with torch.inference_mode():
            output = model.generate(**inputs, max_new_tokens=MAX_NEW_TOKENS, do_sample=False)
        return str(tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        with needed_by("a transformers rewriter"):
            from transformers import AutoModelForCausalLM, AutoTokenizer
        with loading(f"rewriter {self.name}"):
            tokenizer = AutoTokenizer.from_pretrained(self.name)
            model = AutoModelForCausalLM.from_pretrained(self.name, dtype="auto", use_safetensors=True)
        return tokenizer, model.to(pick_device(self.device)).eval()


@dataclass(frozen=True, slots=True)
class CachedRewriter:
    """Asks a rewriter once for each prompt and keeps the answers in a folder, one small JSON file each."""

    inner: Rewriter
    folder: Path

    @property
    def name(self) -> str:
        """The inner rewriter's name."""
        return self.inner.name

    def rewrite(self, prompt: str) -> str:
        """Return the answer, from the folder if it is there."""
        source = getattr(self.inner, "url", "")
        digest = hashlib.sha256(json.dumps([self.name, source, MAX_NEW_TOKENS, prompt]).encode()).hexdigest()
        path = self.folder / digest[:2] / f"{digest}.json"
        try:
            return str(read_json(path)["answer"])
        except (VhbenchError, KeyError, TypeError):
            pass  # not there, or damaged: ask again
        answer = self.inner.rewrite(prompt)
        write_atomic(path, canonical({"model": self.name, "prompt": prompt, "answer": answer}), durable=False)
        return answer


def load_rewriter(spec: str, *, cache: Path | None = None) -> Rewriter:
    """Return the rewriter that a spec names: ``openai:MODEL@URL`` or ``transformers:NAME``, with a cache.

    Args:
        spec: see above.
        cache: folder of the answers; by default in the user's cache.

    Raises:
        VhbenchError: if the spec has another form.
    """
    kind, _, rest = spec.partition(":")
    model, _, url = rest.rpartition("@")
    inner: Rewriter
    if kind == "openai" and model and url.startswith(("http://", "https://")):
        inner = EndpointRewriter(model, url)
    elif kind == "transformers" and rest:
        inner = LocalRewriter(rest)
    else:
        raise VhbenchError(f"rewriter {spec!r}: must be rule, openai:MODEL@URL (http…) or transformers:NAME")
    return CachedRewriter(inner, cache or cache_folder() / "rewritings")


def _content(url: str, status: int, text: str) -> str:
    """Take the answer out of a chat completion."""
    try:
        data = json.loads(text)
        if status == 200:
            return str(data["choices"][0]["message"]["content"])
        reason = data["error"]["message"] if isinstance(data.get("error"), dict) else text
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        reason = text
    raise VhbenchError(f"rewriter {url}: HTTP {status}: {' '.join(str(reason).split())[:200] or 'no answer'}")
