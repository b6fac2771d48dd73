"""Language models by prompt: OpenAI-compatible endpoints or local transformers models."""

import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from vhbench.adapters.loading import loading, needed_by, pick_device
from vhbench.files import cached
from vhbench.schema import VhbenchError

KEY = "VHBENCH_API_KEY"  # environment variable with the endpoint's key; OPENAI_API_KEY is the fallback
_LONGEST_PAUSE = 60.0  # maximum wait in seconds for ``Retry-After``


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Chat model behind ``URL/chat/completions``: OpenAI, vLLM, SGLang, llama.cpp or Ollama."""

    name: str
    url: str  # base URL, such as ``http://localhost:8000/v1``
    tries: int = 4  # maximum number of attempts per request
    pause: float = 1  # seconds before the second attempt, doubled each time; an endpoint may request more
    timeout: float = 120  # seconds per response
    max_new_tokens: int = 128  # maximum response length
    what: str = "model"  # role of the model, for errors

    def ask(self, prompt: str) -> str:
        """Return the model's response at temperature 0; raise if there is none after all attempts, or no usable one."""
        with needed_by(f"a {self.what}'s endpoint", "score"):
            import httpx
        message = {"role": "user", "content": prompt}
        body = {"model": self.name, "messages": [message], "temperature": 0, "seed": 0}
        body["max_tokens"] = self.max_new_tokens
        headers = {"Authorization": f"Bearer {key}"} if (key := _key()) else {}
        problem, wait = "", 0.0
        for attempt in range(self.tries):
            if attempt:
                time.sleep(max(self.pause * 2 ** (attempt - 1), wait))
            try:
                response = httpx.post(self._url, json=body, headers=headers, timeout=self.timeout)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                problem = str(error) or type(error).__name__
                continue
            if response.status_code == 429 or response.status_code >= 500:
                problem, wait = f"HTTP {response.status_code}", _asked_to_wait(response.headers)
                continue
            return self._content(response.status_code, response.text)
        raise self._fault(f"{problem} ({self.tries} tries)")

    @property
    def _url(self) -> str:
        return f"{self.url.rstrip('/')}/chat/completions"

    def _content(self, status: int, text: str) -> str:
        """Extract the response from a chat completion."""
        try:
            data = json.loads(text)
            if status == 200:
                choice = data["choices"][0]
                if choice.get("finish_reason") != "length":
                    return str(choice["message"]["content"])
                text = f"the reply was cut off at {self.max_new_tokens:,} tokens"
            reason = data["error"]["message"] if isinstance(data.get("error"), dict) else text
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            reason = text
        raise self._fault(f"HTTP {status}: {' '.join(str(reason).split())[:200] or 'no answer'}")

    def _fault(self, problem: str) -> VhbenchError:
        """Return an error without the key, even if the endpoint echoes it."""
        message = problem.replace(key, "***") if (key := _key()) else problem
        return VhbenchError(f"{self.what} {re.sub(r'//[^/@]*@', '//', self._url)}: {message}")


@dataclass
class LocalModel:
    """Causal language model of transformers with greedy decoding, loaded on first use."""

    name: str  # repository or folder; safetensors only, no remote code
    device: str = "auto"  # see :func:`vhbench.adapters.loading.pick_device`
    max_new_tokens: int = 128  # maximum response length
    what: str = "model"  # role of the model, for errors
    url: ClassVar[str] = ""

    def ask(self, prompt: str) -> str:
        """Return the model's response; raise if the model cannot be loaded."""
        tokenizer, model = self._loaded
        import torch

        if tokenizer.chat_template:
            chat = [{"role": "user", "content": prompt}]
            prompt = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        inputs = tokenizer(prompt, return_tensors="pt", add_special_tokens=not tokenizer.chat_template)
        inputs = inputs.to(model.device)
        with torch.inference_mode():
            output = model.generate(**inputs, max_new_tokens=self.max_new_tokens, do_sample=False)
        return str(tokenizer.decode(output[0, inputs["input_ids"].shape[1] :], skip_special_tokens=True))

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        with needed_by(f"a transformers {self.what}"):
            from transformers import AutoModelForCausalLM, AutoTokenizer
        with loading(f"{self.what} {self.name}"):
            tokenizer = AutoTokenizer.from_pretrained(self.name)
            model = AutoModelForCausalLM.from_pretrained(self.name, dtype="auto", use_safetensors=True)
        return tokenizer, model.to(pick_device(self.device)).eval()


def ask_once(kind: str, key: Sequence[Any], ask: Callable[[], str], folder: Path | None) -> str:
    """Return a cached response; the key, JSON types only, holds all it depends on. None is the user's cache folder."""
    ((*_, answer),) = cached(kind, [key], lambda missing: [[*key, ask()]], folder=folder)
    return str(answer)


LanguageModel = Endpoint | LocalModel


def model_of(spec: str, **settings: Any) -> LanguageModel | None:
    """Return the model of ``openai:MODEL@URL`` or ``transformers:NAME``; None for another spec.

    >>> model_of("openai:org/m@v2@http://localhost:8000/v1").name, model_of("transformers:org/m").name, model_of("gpt")
    ('org/m@v2', 'org/m', None)
    """
    kind, _, rest = spec.partition(":")
    name, _, url = rest.rpartition("@")
    if kind == "openai" and name and url.startswith(("http://", "https://")):
        return Endpoint(name, url, **settings)
    return LocalModel(rest, **settings) if kind == "transformers" and rest else None


def _key() -> str:
    return os.environ.get(KEY) or os.environ.get("OPENAI_API_KEY") or ""


def _asked_to_wait(headers: Mapping[str, str]) -> float:
    """Return the seconds of ``Retry-After``, which may be a date; 0 if missing."""
    text = headers.get("Retry-After", "").strip()
    try:
        seconds = (
            float(text) if re.fullmatch(r"[\d.]+", text) else parsedate_to_datetime(text).timestamp() - time.time()
        )
    except (ValueError, TypeError):
        return 0.0
    return min(max(seconds, 0.0), _LONGEST_PAUSE)
