"""Image features of transformers VLMs at the input of the language model.

The model's own forward pass runs up to that point, so that its arguments (grids, masks, tile sizes) are the model's
own. The model is not modified.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from vhbench.schema import VhbenchError

Connector = Callable[[Any, Mapping[str, Any]], Any]
"""Function of a model and its processor's inputs that returns image features."""

_NAMED: Final = {
    "blip": "vision_model",
    "git": "git.visual_projection",
    "idefics": "model.vision_model",
    "llama4": "multi_modal_projector",
    "kosmos-2.5": "image_to_text_projection",
    "mllama": "model.multi_modal_projector",
    "phi4_multimodal": "model.embed_tokens_extend.image_embed.img_projection_down ..",
    "pix2struct": "encoder",
}
"""Model type → module that feeds the LLM, for classes without ``get_image_features``.

If the module runs once per image, its parent ("..") ends the captured pass.
"""


class _Reached(Exception):
    """Stops a forward pass at the connector; its argument is the features."""


def connector_of(model: Any, name: str) -> Connector:
    """Return a function that computes the image features of a model; raise if their location is unknown."""
    path, _, parent = _NAMED.get(model.config.model_type, "").partition(" ")
    if module := _module(model, path):
        last = _module(model, path.rpartition(".")[0]) if parent else module
        return lambda owner, inputs: _outputs_of(module, last, owner, inputs)
    owners = [part for part in model.modules() if hasattr(part, "get_image_features")]  # outermost first
    if not owners:
        raise VhbenchError(
            f"model {name} ({type(model).__name__}) has no get_image_features: a white-box attack needs a "
            "transformers vision-language model that has one, such as LLaVA, InstructBLIP or Qwen2-VL"
        )
    return lambda owner, inputs: _given(owners, owner, inputs)


def _given(owners: list[Any], model: Any, inputs: Mapping[str, Any]) -> Any:
    """Return ``get_image_features`` of the forward pass."""
    for owner in owners:
        owner.get_image_features = _stopping(owner.get_image_features)
    try:
        return _reached(model, inputs)
    finally:
        for owner in owners:
            del owner.get_image_features  # removes the instance attribute, restoring the class's


def _stopping(function: Callable[..., Any]) -> Callable[..., Any]:
    def stopped(*args: Any, **kwargs: Any) -> Any:
        raise _Reached(function(*args, **kwargs))

    return stopped


def _reached(model: Any, inputs: Mapping[str, Any]) -> Any:
    """Run a forward pass up to the connector."""
    try:
        model(**inputs)
    except _Reached as reached:
        return reached.args[0]
    raise ValueError("its forward pass requests no image features")


def _outputs_of(module: Any, last: Any, model: Any, inputs: Mapping[str, Any]) -> Any:
    """Return a module's outputs in the forward pass, up to the end of another module."""
    found: list[Any] = []

    def keep(_module: Any, _given: Any, output: Any) -> None:
        found.append(getattr(output, "last_hidden_state", output))

    def stop(_module: Any, _given: Any, _output: Any) -> None:
        raise _Reached(found)

    with module.register_forward_hook(keep), last.register_forward_hook(stop):
        return _reached(model, inputs)


def _module(model: Any, path: str) -> Any:
    for part in filter(None, path.split(".")):
        model = getattr(model, part, None)
    return model if path else None
