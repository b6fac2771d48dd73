"""Question rewriters: OpenAI-compatible endpoints or local transformers models."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.adapters.language_models import LanguageModel, ask_once, model_of
from vhbench.protocols import Rewriter
from vhbench.schema import VhbenchError


@dataclass(frozen=True, slots=True)
class CachedRewriter:
    """Language model with cached responses; implements :class:`vhbench.protocols.Rewriter`."""

    model: LanguageModel
    folder: Path | None = None

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model.name

    def rewrite(self, prompt: str) -> str:
        """Return the response, from the cache if available."""
        key = [self.name, self.model.url, self.model.max_new_tokens, prompt]
        return ask_once("rewritings", key, lambda: self.model.ask(prompt), self.folder)


def load_rewriter(spec: str, *, cache: Path | None = None) -> Rewriter | None:
    """Return the rewriter ``openai:MODEL@URL`` or ``transformers:NAME``, None for ``rule``; raise for another spec."""
    if spec == "rule":
        return None
    if (model := model_of(spec, what="rewriter")) is None:
        raise VhbenchError(f"rewriter: expected rule, openai:MODEL@URL (http…) or transformers:NAME, got {spec!r}")
    return CachedRewriter(model, cache)
