"""The claims about annotated photos that a verifier is calibrated to: a correct and an incorrect one each."""

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from PIL import Image

from vhbench.generators.ode import attribute_contraries, environments, place_checks, verifier_scores
from vhbench.schema import Scene, SceneObject, VhbenchError


def png(size: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (size, size)).save(file, "PNG")
    return file.getvalue()


class Verifier:
    """Gives the first text 0.7, and remembers what was asked of images of which widths."""

    name = "remembering"

    def __init__(self) -> None:
        self.asked: list[tuple[int, str, int]] = []

    def probabilities(self, images: Sequence[bytes], texts: Sequence[Sequence[str]]) -> list[list[float]]:
        for image, choices in zip(images, texts, strict=True):
            self.asked.append((Image.open(io.BytesIO(image)).width, choices[0], len(choices)))
        return [[0.7, *[0.3 / (len(each) - 1)] * (len(each) - 1)] for each in texts]


def scene(number: int, *attributes: tuple[str, str]) -> Scene:
    thing = SceneObject(1, "door", (10, 10, 20, 20), 400, attributes=attributes)
    return Scene(f"s{number}", png(40), 40, 40, (thing,))


def test_each_attribute_is_claimed_beside_one_that_it_excludes() -> None:
    verifier = Verifier()
    scores = verifier_scores.scores([scene(1, ("state", "open"), ("colour", "red"), ("state", "odd"))], verifier)
    assert scores == {"opening": [(0.7, True), (0.7, False)], "colour": [(0.7, True), (0.7, False)]}
    assert [width for width, _, _ in verifier.asked] == [24] * 4  # the door with a margin of a tenth
    right, wrong, red, other = (text for _, text, _ in verifier.asked)
    assert (right, wrong, red) == ("a photo of an open door", "a photo of a closed door", "a photo of a red door")
    contraries = attribute_contraries.of("red")
    assert other.removesuffix(" door").rpartition(" ")[2] in contraries


def test_an_attribute_that_the_object_has_as_well_is_never_the_incorrect_claim() -> None:
    both = scene(1, ("state", "open"), ("state", "closed"))
    assert verifier_scores.scores([both], Verifier()) == {}


def test_another_photo_draws_another_incorrect_colour() -> None:
    verifier = Verifier()
    verifier_scores.scores([scene(number, ("colour", "red")) for number in range(5)], verifier)
    drawn = [text.removeprefix("a photo of a ") for _, text, _ in verifier.asked[1::2]]
    assert drawn == ["black door", "blue door", "black door", "white door", "black door"]


def test_each_attribute_of_a_photo_draws_its_own() -> None:
    verifier = Verifier()
    verifier_scores.scores([scene(1, ("colour", "red"), ("colour", "blue"))], verifier)
    asked = [text.removeprefix("a photo of a ") for _, text, _ in verifier.asked]
    assert asked == ["red door", "black door", "blue door", "brown door"]


def test_photos_are_claimed_to_show_their_place_and_one_that_it_excludes(tmp_path: Path) -> None:
    for place in ("kitchen", "beach", "floor"):  # a floor excludes no place
        (tmp_path / place / "folder").mkdir(parents=True)
        for size in (1, 2, 3):
            (tmp_path / place / f"{size}.png").write_bytes(png(size + (place == "beach") * 10))
    verifier = Verifier()
    scores = verifier_scores.scores([scene(1), scene(2)], verifier, tmp_path)  # as many of each place as scenes
    assert scores == {"place": [(0.7, True), (0.7, False)] * 4}
    widths = [width for width, _, _ in verifier.asked]
    assert (widths[::2], len({*widths})) == (widths[1::2], 4)
    for place, claims in (("beach", verifier.asked[:4]), ("kitchen", verifier.asked[4:])):
        own, others = f"a photo of {environments.description(place)}", place_checks.others(place, environments.DEFAULT)
        excluded = {f"a photo of {environments.description(other)}" for other in others}
        assert [text for _, text, _ in claims[::2]] == [own] * 2
        assert {text for _, text, _ in claims[1::2]} <= excluded
        assert {count for _, _, count in claims[::2]} == {1 + len(others)}
    again = Verifier()
    verifier_scores.scores([scene(1), scene(2)], again, tmp_path)
    assert again.asked == verifier.asked


def test_another_photo_of_a_place_draws_another_incorrect_place(tmp_path: Path) -> None:
    (tmp_path / "kitchen").mkdir()
    for number in range(12):
        (tmp_path / "kitchen" / f"{number}.png").write_bytes(png(number + 1))
    verifier = Verifier()
    verifier_scores.scores([scene(1)] * 5, verifier, tmp_path)
    drawn = [(width, text.removeprefix("a photo of ")) for width, text, _ in verifier.asked[1::2]]
    assert drawn == [(10, "a street"), (9, "a stage"), (6, "a desert"), (3, "grass"), (11, "a sports court")]


def test_a_folder_without_photos_of_places_is_reported(tmp_path: Path) -> None:
    (tmp_path / "floor").mkdir()
    (tmp_path / "floor" / "1.png").write_bytes(png(1))
    with pytest.raises(VhbenchError) as raised:
        verifier_scores.scores([scene(1)], Verifier(), tmp_path)
    places = ", ".join(environments.DEFAULT.settings)
    message = f"--places {tmp_path}: expected subfolders of photos named after places ({places})"
    assert str(raised.value) == message
