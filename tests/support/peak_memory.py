"""Peak memory of tensors, counted by storage while PyTorch runs."""

import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class PeakMemory(TorchDispatchMode):
    """Count the bytes of every storage that an operation returns, as long as it lives."""

    def __init__(self, tensors: Any) -> None:
        """Begin with the bytes of tensors that exist already."""
        super().__init__()
        self.now = self.peak = 0
        self._seen: dict[int, Any] = {}
        for tensor in tensors:
            self._add(tensor)

    def _add(self, tensor: torch.Tensor) -> None:
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key not in self._seen:
            self._seen[key] = weakref.ref(storage, lambda _: self._drop(key, size))
            self.now += size
            self.peak = max(self.peak, self.now)

    def _drop(self, key: int, size: int) -> None:
        del self._seen[key]
        self.now -= size

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        for leaf in tree_leaves(found):
            if isinstance(leaf, torch.Tensor):
                self._add(leaf)
        return found
