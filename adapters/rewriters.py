"""Question rewriters: OpenAI-compatible endpoints or local transformers models."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.adapters.language_models import LanguageModel, ask_once, load_language_model
from vhbench.protocols import Rewriter
from vhbench.schema import VhbenchError

_MAX_NEW_TOKENS = 128


@dataclass(frozen=True, slots=True)
class CachedRewriter:
    """Language model that rewrites questions, with cached responses."""

    model: LanguageModel
    folder: Path | None = None

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.name

    def rewrite(self, prompt: str) -> str:
        """Return the response, from the cache if available."""
        key = [self.name, getattr(self.model, "url", ""), _MAX_NEW_TOKENS, prompt]
        return ask_once("rewritings", key, lambda: self.model.ask(prompt), self.folder)


def load_rewriter(spec: str, *, cache: Path | None = None) -> Rewriter:
    """Return the cached rewriter for a spec: ``openai:MODEL@URL`` or ``transformers:NAME``.

    Args:
        spec: rewriter specification.
        cache: cache folder; the user's by default.

    Raises:
        VhbenchError: if the spec has another format.
    """
    model = load_language_model(spec, max_new_tokens=_MAX_NEW_TOKENS, what="rewriter")
    if model is None:
        raise VhbenchError(f"rewriter {spec!r}: must be rule, openai:MODEL@URL (http…) or transformers:NAME")
    return CachedRewriter(model, cache)
