import pytest

torch = pytest.importorskip("torch")

from torch.nn.functional import interpolate  # noqa: E402

from vhbench.adapters.resizing import QuickResizing  # noqa: E402


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("size", [(20, 30), (50, 31), (9, 90), (61, 80)])
def test_values_and_gradients_are_those_of_pytorch(mode: str, size: tuple[int, int]) -> None:
    torch.manual_seed(0)
    image, weight = torch.rand(2, 3, 61, 80), torch.rand(2, 3, *size)
    found = []
    for quick in (False, True):
        pixels = image.clone().requires_grad_()
        with QuickResizing() if quick else torch.enable_grad():
            resized = interpolate(pixels, size=list(size), mode=mode, align_corners=False, antialias=True)
        (gradient,) = torch.autograd.grad((resized * weight).sum(), pixels)
        found.append((resized.detach(), gradient))
    for plain, ours in zip(*found, strict=True):
        torch.testing.assert_close(ours, plain, rtol=1e-4, atol=1e-4)


def test_what_needs_no_gradient_is_left_to_pytorch() -> None:
    image = torch.rand(1, 3, 40, 50)
    with QuickResizing():
        ours = interpolate(image, size=[20, 25], mode="bicubic", align_corners=False, antialias=True)
    assert torch.equal(ours, interpolate(image, size=[20, 25], mode="bicubic", align_corners=False, antialias=True))
