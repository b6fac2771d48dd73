"""What adapters of models share: libraries that may be missing, models that cannot be loaded, devices, batches."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from vhbench.schema import VhbenchError

T = TypeVar("T")


@contextmanager
def needed_by(what: str, extra: str = "generate") -> Iterator[None]:
    """Say which extra to install where an import fails.

    Raises:
        VhbenchError: in place of the ImportError.
    """
    try:
        yield
    except ImportError as error:
        raise VhbenchError(f"{what} needs: pip install 'vhbench[{extra}]' ({error})") from error


@contextmanager
def loading(what: str) -> Iterator[None]:
    """Say in one line what could not be loaded.

    Raises:
        VhbenchError: in place of what transformers and diffusers raise.
    """
    try:
        yield
    except (OSError, ValueError, ImportError) as error:  # SmolVLM's processor asks for num2words
        lines = str(error).strip().splitlines() or [type(error).__name__]
        raise VhbenchError(f"cannot load {what}: {lines[0].strip()}") from error


def pick_device(wanted: str = "auto") -> str:
    """Return where a model runs: where it was told to, or for "auto" on a GPU if there is one."""
    import torch

    return ("cuda" if torch.cuda.is_available() else "cpu") if wanted == "auto" else wanted


def batches(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in order, so many at once."""
    return (items[start : start + size] for start in range(0, len(items), size))
