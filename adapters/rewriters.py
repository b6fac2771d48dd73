"""Question rewriters: OpenAI-compatible endpoints or local transformers models."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.adapters.language_models import Endpoint, LocalModel, ask_once, split_spec
from vhbench.protocols import Rewriter
from vhbench.schema import VhbenchError


@dataclass(frozen=True, slots=True)
class CachedRewriter:
    """Language model with cached responses; implements :class:`vhbench.protocols.Rewriter`."""

    model: Endpoint | LocalModel
    folder: Path | None = None

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.name

    def rewrite(self, prompt: str) -> str:
        """Return the response, from the cache if available."""
        key = [self.name, getattr(self.model, "url", ""), self.model.max_new_tokens, prompt]
        return ask_once("rewritings", key, lambda: self.model.ask(prompt), self.folder)


def load_rewriter(spec: str, *, cache: Path | None = None) -> Rewriter | None:
    """Return the cached rewriter for a spec: ``openai:MODEL@URL`` or ``transformers:NAME``; None for ``rule``.

    Args:
        spec: rewriter specification.
        cache: cache folder; the user's by default.

    Raises:
        VhbenchError: if the spec has another format.
    """
    if spec == "rule":
        return None
    parts = split_spec(spec)
    if parts is None:
        raise VhbenchError(f"rewriter: expected rule, openai:MODEL@URL (http…) or transformers:NAME, got {spec!r}")
    kind, name, url = parts
    model = Endpoint(name, url, what="rewriter") if kind == "openai" else LocalModel(name, what="rewriter")
    return CachedRewriter(model, cache)
