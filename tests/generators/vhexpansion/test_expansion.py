"""The rows of a case, their ids and configs, and the images that they show."""

import io

import numpy as np
import pytest
from PIL import Image

from vhbench.generators.vhexpansion import expansion, perturbations
from vhbench.generators.vhexpansion.expansion import InitialCase, UnusableImage
from vhbench.generators.vhexpansion.rewriting import Twin
from vhbench.schema import Question
from vhbench.seeding import rng

QUESTION = Question(
    "pope-1", images=(b"own",), question="Is there a cat?", answer="yes", kind="yes_no", benchmark="vhexpansion",
    source="pope",
)  # fmt: skip
CASE = InitialCase(QUESTION, Twin("Is there no cat?", form="llm"))


def rows(**options) -> list[tuple]:
    return [
        (row.config, one.id, one.pair_id, one.question, one.answer, one.negated, one.mode, one.perturbation, one.images)
        for row in expansion.pair(CASE, **options)
        for one in [row.question]
    ]


def test_a_case_and_its_negated_twin_are_a_pair() -> None:
    own = (b"own",)
    assert rows() == [
        ("vhexpansion_pope", "pope-1", "pope-1", "Is there a cat?", "yes", False, "llm", "", own),
        ("vhexpansion_pope", "pope-1/negated", "pope-1", "Is there no cat?", "no", True, "llm", "", own),
    ]


def test_a_perturbed_pair_has_the_perturbed_image_and_names_the_perturbation() -> None:
    config, name, blurred = "vhexpansion_pope_blur", "pope-1/blur", (b"",)
    assert rows(perturbation="blur", image=b"") == [
        (config, name, name, "Is there a cat?", "yes", False, "llm", "blur", blurred),
        (config, f"{name}/negated", name, "Is there no cat?", "no", True, "llm", "blur", blurred),
    ]


def png(*size: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", size, "red").save(file, "PNG")
    return file.getvalue()


def test_images_are_decoded_unless_they_are_broken_or_too_small() -> None:
    assert expansion.decode(png(3, 2)).tolist() == [[[255, 0, 0]] * 3] * 2
    with pytest.raises(UnusableImage, match=r"^1×5 pixels$") as small:
        expansion.decode(png(1, 5))
    with pytest.raises(UnusableImage, match="image") as broken:
        expansion.decode(b"no image")
    assert (small.value.reason, broken.value.reason) == ("image_too_small", "unreadable_image")


@pytest.mark.parametrize("options", [{}, {"severity": 3}, {"severity": 3, "relative": True}])
def test_a_perturbed_image_is_a_png_seeded_by_seed_name_and_digest(options: dict) -> None:
    pixels = rng(0, "image").integers(0, 256, (700, 8, 3), np.uint8)
    made = expansion.perturbed(pixels, "digest", "gaussian_noise", seed=5, **options)
    change = perturbations.perturbation("gaussian_noise", options.get("severity"), relative="relative" in options)
    expected = change(pixels, rng(5, "vhexpansion", "gaussian_noise", "digest"))
    assert (np.asarray(Image.open(io.BytesIO(made))) == expected).all()
    assert made.startswith(b"\x89PNG")


def test_the_compression_of_a_perturbed_image_can_be_chosen() -> None:
    pixels = rng(0, "image").integers(0, 4, (40, 40, 3), np.uint8)
    made = {n: expansion.perturbed(pixels, "", "brightness", seed=0, compression=n) for n in (9, 4, 0)}
    assert len(made[9]) < 40 * 40 * 3 < len(made[0])
    assert expansion.perturbed(pixels, "", "brightness", seed=0) == made[4] != made[9]
