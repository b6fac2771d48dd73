"""Devices, dtypes and batches, and one line for what cannot be imported or loaded."""

import pytest
import torch

from vhbench.adapters import loading
from vhbench.schema import VhbenchError


@pytest.mark.parametrize(
    ("gpu", "bf16", "device", "dtype"),
    [(False, False, "cpu", "float32"), (True, True, "cuda", "bfloat16"), (True, False, "cuda", "float16")],
)
def test_what_auto_selects(monkeypatch: pytest.MonkeyPatch, gpu: bool, bf16: bool, device: str, dtype: str) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: bf16)
    assert loading.pick_device() == device
    assert loading.pick_dtype("auto", device) == dtype
    assert (loading.pick_device("cuda:1"), loading.pick_dtype("float16", device)) == ("cuda:1", "float16")
    assert loading.pick_dtype("auto", "cuda:1") == ("bfloat16" if bf16 else "float16")


def test_an_unknown_dtype_is_named() -> None:
    with pytest.raises(VhbenchError) as raised:
        loading.pick_dtype("int8", "cpu")
    assert str(raised.value) == "--dtype: expected one of auto, float32, float16, bfloat16, got 'int8'"


@pytest.mark.parametrize(
    ("listed", "names"), [("0, 2", ("0", "2")), ("", ()), ("-1", ()), ("GPU-5f", ("GPU-5f",)), (None, ("0", "1", "2"))]
)
def test_visible_devices(monkeypatch: pytest.MonkeyPatch, listed: str | None, names: tuple[str, ...]) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if listed is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", listed)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 3)
    assert loading.visible_devices.__wrapped__() == names


def test_a_missing_dependency_and_a_model_that_cannot_be_loaded_are_one_line() -> None:
    with pytest.raises(VhbenchError) as raised, loading.needed_by("--detector"):
        raise ImportError("No module named 'x'")
    assert str(raised.value) == "--detector needs: pip install 'vhbench[generate]' (No module named 'x')"
    with pytest.raises(VhbenchError, match=r"pip install 'vhbench\[train\]'"), loading.needed_by("x", "train"):
        raise ImportError
    for error in (OSError, ValueError, ImportError):
        with pytest.raises(VhbenchError) as raised, loading.loading("the model 'x'"):
            raise error("\n  no weights  \nmore")
        assert str(raised.value) == "cannot load the model 'x': no weights"
    with pytest.raises(VhbenchError, match=r"^cannot load x: OSError$"), loading.loading("x"):
        raise OSError
    with pytest.raises(KeyError), loading.loading("x"):
        raise KeyError


def test_batches_are_in_order_and_the_last_may_be_smaller() -> None:
    assert list(loading.batches([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
    assert list(loading.batches("abcd", 2)) == ["ab", "cd"]
    assert list(loading.batches([], 2)) == []
