"""Question rewriters: OpenAI-compatible endpoints or local transformers models."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.adapters.language_models import Endpoint, LocalModel, ask_once, split_spec
from vhbench.protocols import Rewriter
from vhbench.schema import VhbenchError

_MAX_NEW_TOKENS = 128


@dataclass(frozen=True, slots=True)
class EndpointRewriter(Endpoint):
    """Chat model behind an endpoint."""

    max_new_tokens: int = _MAX_NEW_TOKENS
    what: str = "rewriter"

    def rewrite(self, prompt: str) -> str:
        """Return the response, see :meth:`vhbench.adapters.language_models.Endpoint.ask`."""
        return self.ask(prompt)


@dataclass
class LocalRewriter(LocalModel):
    """Causal language model of transformers."""

    max_new_tokens: int = _MAX_NEW_TOKENS
    what: str = "rewriter"

    def rewrite(self, prompt: str) -> str:
        """Return the response, see :meth:`vhbench.adapters.language_models.LocalModel.ask`."""
        return self.ask(prompt)


@dataclass(frozen=True, slots=True)
class CachedRewriter:
    """Rewriter with cached responses."""

    inner: Rewriter
    folder: Path | None = None

    @property
    def name(self) -> str:
        """Name of the inner rewriter."""
        return self.inner.name

    def rewrite(self, prompt: str) -> str:
        """Return the response, from the cache if available."""
        key = [self.name, getattr(self.inner, "url", ""), _MAX_NEW_TOKENS, prompt]
        return ask_once("rewritings", key, lambda: self.inner.rewrite(prompt), self.folder)


def load_rewriter(spec: str, *, cache: Path | None = None) -> Rewriter:
    """Return the cached rewriter for a spec: ``openai:MODEL@URL`` or ``transformers:NAME``.

    Args:
        spec: rewriter specification.
        cache: cache folder; the user's by default.

    Raises:
        VhbenchError: if the spec has another format.
    """
    found = split_spec(spec)
    if found is None:
        raise VhbenchError(f"rewriter: expected rule, openai:MODEL@URL (http…) or transformers:NAME, got {spec!r}")
    kind, model, url = found
    inner: Rewriter = EndpointRewriter(model, url) if kind == "openai" else LocalRewriter(model)
    return CachedRewriter(inner, cache)
