"""Text-to-image generation via diffusers."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from vhbench.adapters import painter_profiles
from vhbench.adapters.loading import DTYPES, loading, needed_by, pick_device, pick_dtype
from vhbench.images import to_png
from vhbench.schema import Rejection, Scene, SceneSpec, VhbenchError, VhbenchWarning
from vhbench.seeding import rng

_OFFLOADS = ("none", "model", "sequential")


class DiffusersSource:
    """Diffusers image source; implements :class:`vhbench.protocols.ImageSource`.

    Its scenes have no ground truth, so a detector must label them. Each image has its own recorded seed, which depends
    only on the build's seed and the spec's id. Images therefore do not depend on their batch (up to rounding in batched
    kernels).

    Args:
        model: name on the Hub or folder of a pipeline in diffusers' format.
        steps: denoising steps; None for those of the authors, see :mod:`vhbench.adapters.painter_profiles`.
        guidance: guidance scale; None for that of the authors.
        dtype: "auto" is bfloat16 on a GPU that supports it, float16 on others, float32 on a CPU.
        offload: "model" moves parts of the pipeline to the GPU on demand, "sequential" single layers.
        batch: images per batch; halved on GPU out-of-memory.
        revision: revision of the model on the Hub.
        device: "cuda", "cuda:1", "cpu"; "auto" for a GPU if available.

    Raises:
        VhbenchError: if diffusers is missing, an option is unknown or the model cannot be loaded.
    """

    exact = False

    def __init__(
        self,
        model: str,
        *,
        steps: int | None = None,
        guidance: float | None = None,
        dtype: str = "auto",
        offload: str = "none",
        batch: int = 4,
        revision: str = "",
        device: str = "auto",
    ) -> None:
        for name, value, allowed in (("dtype", dtype, DTYPES), ("offload", offload, _OFFLOADS)):
            if value not in allowed:
                raise VhbenchError(f"--{name}: expected one of {', '.join(allowed)}, got {value!r}")
        if batch < 1 or (steps is not None and steps < 1):
            raise VhbenchError(f"batch {batch}, steps {steps}: must both be at least 1")
        self.name = f"diffusers:{model.rstrip('/').rsplit('/', 1)[-1]}"
        self._batch = batch
        self._pipe, self._dtype = _load(model, dtype, offload, revision, device)
        self.settings = painter_profiles.settings(self._pipe, steps, guidance)
        if guidance is not None and not self.settings.scale:
            warnings.warn(
                f"--guidance {guidance:g}: {self.name} ({self.settings.family}) has no guidance; left out",
                VhbenchWarning,
                stacklevel=2,
            )

    def make(self, specs: Sequence[SceneSpec], *, seed: int) -> Iterator[Scene | Rejection]:
        """Yield one image per spec, in order, without ground truth; raise if one needs too much GPU memory."""
        done = 0
        while done < len(specs):
            batch = [s for s in specs[done : done + self._batch] if self._form(s) == self._form(specs[done])]
            images = self._images(batch, seed)
            if images is None:
                self._shrink()
                continue
            for spec, image in zip(batch, images, strict=True):
                detail = {"seed": _seed(seed, spec), "prompt": spec.prompt}
                blank = Rejection(spec.id, "blanked by the safety checker", detail)
                yield self._scene(spec, image, seed) if image else blank
            done += len(batch)

    def _form(self, spec: SceneSpec) -> tuple[int, int, int | None]:
        """Return width, height and text length of an image; those of a batch are equal."""
        own = self.settings.size
        return spec.width or own, spec.height or own, painter_profiles.sequence_length(self._pipe, [spec.prompt])

    def _images(self, specs: Sequence[SceneSpec], seed: int) -> list[bytes] | None:
        """Return the images, b"" for blanked ones; None on GPU out-of-memory."""
        import torch

        generators = [torch.Generator("cpu").manual_seed(_seed(seed, spec)) for spec in specs]
        width, height, length = self._form(specs[0])
        options = self.settings.options([spec.negative_prompt for spec in specs])
        if length:
            options["max_sequence_length"] = length
        try:
            prompts = [spec.prompt for spec in specs]
            made = self._pipe(prompts, generator=generators, width=width, height=height, **options)
        except torch.cuda.OutOfMemoryError:
            torch.cuda.empty_cache()
            return None
        unsafe = getattr(made, "nsfw_content_detected", None) or [False] * len(specs)
        return [b"" if flag else to_png(image) for image, flag in zip(made.images, unsafe, strict=True)]

    def _shrink(self) -> None:
        if self._batch == 1:
            raise VhbenchError(
                f"{self.name}: one image does not fit into GPU memory: try --offload model, --offload sequential or a "
                "smaller --size"
            )
        self._batch //= 2
        warnings.warn(
            f"{self.name}: out of GPU memory, batches of {self._batch} from here", VhbenchWarning, stacklevel=3
        )

    def _scene(self, spec: SceneSpec, image: bytes, seed: int) -> Scene:
        width, height, length = self._form(spec)
        options = self.settings.options([spec.negative_prompt])
        provenance = {
            "source": self.name,
            "pipeline": type(self._pipe).__name__,
            "family": self.settings.family,
            "seed": _seed(seed, spec),
            "prompt": spec.prompt,
            "negative_prompt": options.get("negative_prompt", [""])[0],
            "steps": self.settings.steps,
            "guidance": self.settings.guidance,
            "max_sequence_length": length,
            "dtype": self._dtype,
        }
        return Scene(f"{spec.id}-{seed}", image, width, height, objects=(), provenance=provenance)


def _seed(seed: int, spec: SceneSpec) -> int:
    return int(rng(seed, "diffusers", spec.id).integers(2**31))


def _load(model: str, dtype: str, offload: str, revision: str, device: str) -> tuple[Any, str]:
    """Return the pipeline, on its device, and the name of its dtype."""
    with needed_by("--images diffusers:…"):
        import torch
        from diffusers import AutoPipelineForText2Image
    device = pick_device(device)
    dtype = pick_dtype(dtype, device)
    if offload != "none" and not device.startswith("cuda"):
        raise VhbenchError(f"--offload {offload}: needs a GPU")
    options: dict[str, Any] = {"revision": revision} if revision else {}
    with loading(f"the text-to-image model {model!r}"):
        pipe = AutoPipelineForText2Image.from_pretrained(
            model, dtype=getattr(torch, dtype), use_safetensors=True, **options
        )
    pipe.set_progress_bar_config(disable=True)
    if offload == "model":
        pipe.enable_model_cpu_offload(device=device)
    elif offload == "sequential":
        pipe.enable_sequential_cpu_offload(device=device)
    else:
        pipe.to(device)
    return pipe, dtype
