"""lmms-eval's model ``vhbench_adapter``: any of its own model classes with a PEFT adapter.

Its classes take a ``pretrained`` model and no adapter. Only lmms-eval imports this file.
"""

from typing import Any

from lmms_eval.api.model import lmms
from lmms_eval.models import get_model

from vhbench.adapters.loading import loading, needed_by


class AdapterModel(lmms):  # type: ignore[misc]
    """Model of another class (lmms-eval's name, such as ``llava_hf``), with a PEFT adapter (folder or repository)."""

    def __new__(cls, model_class: str, adapter: str, **arguments: Any) -> Any:
        """Return an instance of the class itself, so that everything but the weights is its own."""
        with needed_by("an adapter", "finetune"):
            import peft  # noqa: F401
        model = get_model(model_class, force_simple=cls.is_simple)(**arguments)
        with loading(f"adapter {adapter}"):
            model.model.load_adapter(adapter)
        return model


class AdapterModelChat(AdapterModel):
    """The same for chat classes, where there is one."""

    is_simple = False
