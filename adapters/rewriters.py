"""Language models that rewrite questions: any OpenAI-compatible endpoint, or a transformers model on this machine."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.adapters.language_models import Endpoint, LocalModel, ask_once, split_spec
from vhbench.protocols import Rewriter
from vhbench.schema import VhbenchError

_MAX_NEW_TOKENS = 128


@dataclass(frozen=True, slots=True)
class EndpointRewriter(Endpoint):
    """A chat model behind an endpoint."""

    max_new_tokens: int = _MAX_NEW_TOKENS
    what: str = "rewriter"

    def rewrite(self, prompt: str) -> str:
        """Return the model's answer. Raises as :meth:`vhbench.adapters.language_models.Endpoint.ask` does."""
        return self.ask(prompt)


@dataclass
class LocalRewriter(LocalModel):
    """A causal language model of transformers."""

    max_new_tokens: int = _MAX_NEW_TOKENS
    what: str = "rewriter"

    def rewrite(self, prompt: str) -> str:
        """Return the model's answer. Raises as :meth:`vhbench.adapters.language_models.LocalModel.ask` does."""
        return self.ask(prompt)


@dataclass(frozen=True, slots=True)
class CachedRewriter:
    """Asks a rewriter once for each prompt, and keeps the answers in the cache."""

    inner: Rewriter
    folder: Path | None = None

    @property
    def name(self) -> str:
        """The inner rewriter's name."""
        return self.inner.name

    def rewrite(self, prompt: str) -> str:
        """Return the answer, from the folder if it is there."""
        key = [self.name, getattr(self.inner, "url", ""), _MAX_NEW_TOKENS, prompt]
        return ask_once("rewritings", key, lambda: self.inner.rewrite(prompt), self.folder)


def load_rewriter(spec: str, *, cache: Path | None = None) -> Rewriter:
    """Return the rewriter that a spec names: ``openai:MODEL@URL`` or ``transformers:NAME``, with a cache.

    Args:
        spec: see above.
        cache: folder of the cache; the user's by default.

    Raises:
        VhbenchError: if the spec has another form.
    """
    found = split_spec(spec)
    if found is None:
        raise VhbenchError(f"rewriter {spec!r}: must be rule, openai:MODEL@URL (http…) or transformers:NAME")
    kind, model, url = found
    inner: Rewriter = EndpointRewriter(model, url) if kind == "openai" else LocalRewriter(model)
    return CachedRewriter(inner, cache)
