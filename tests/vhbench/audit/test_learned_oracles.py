"""Classifiers that learn on one split find on another what gives the answer away, and nothing where nothing does."""

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vhbench import splits
from vhbench.audit import learned_oracles
from vhbench.schema import Question, Row, Scene, SceneObject, VhbenchError

RED, KNOWN = (("color", "red"),), frozenset(("color",))


def picture(random: np.random.Generator) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(random.integers(0, 256, (16, 16, 3), np.uint8)).save(buffer, "PNG")
    return buffer.getvalue()


def scene(name: str, holds: bool, more: int, image: bytes, toys: str = "toy {}") -> Scene:
    """Return an image with a cup and a plate, one of them red, and further objects, all but the first tiny."""
    things = [
        SceneObject(0, "cup", (0, 0, 8, 8), 64.0, attributes=RED if holds else (), known_attributes=KNOWN),
        SceneObject(1, "plate", (8, 8, 8, 8), 64.0, attributes=() if holds else RED, known_attributes=KNOWN),
        *(
            SceneObject(2 + i, toys.format(i), (0, 8, 4, 4), 16.0 * (i == 0), known_attributes=KNOWN)
            for i in range(more)
        ),
    ]
    names = frozenset(thing.category for thing in things)
    return Scene(name, image, 16, 16, tuple(things), known=names, countable=names)


def split(
    folder: Path, seed: int, leaks: bool, photos: int | None = None, common: bool = False, toys: str = "toy {}"
) -> Path:
    """Write questions about two images each; if they leak, an image where the answer is yes has more objects.

    Splits with the same ``photos`` show the same images; if ``common``, there is one that all questions show.
    Further objects are ``toys``, with their number.
    """
    random, rows, scenes = np.random.default_rng(seed if photos is None else photos), list[Row](), list[Scene]()
    seen_by_all = [scene(f"{seed}-all", False, 0, picture(random))] if common else []
    for i in range(80):
        yes, images = bool(i % 2), [picture(random) for _ in range(2)]
        more = [1 + 2 * yes if leaks else int(random.integers(3)) for _ in range(2)]
        own = [
            scene(f"{seed}-{i}-{j}", yes and j == i // 2 % 2, more[j], image, toys) for j, image in enumerate(images)
        ]
        own += seen_by_all
        scenes += own[: 3 if i == 0 else 2]
        rows.append(Row("mioh_easy", Question(
            f"q{seed}-{i}", images=tuple(s.image for s in own), question="Is there a red cup in any of the images?",
            answer="yes" if yes else "no", kind="yes_no", benchmark="mioh", scene_ids=tuple(s.id for s in own),
            question_type="A1", task="attribute", mode="comprehensive", pressure="easy", objects=("cup",),
        )))  # fmt: skip
    splits.write_split(folder, rows, benchmark="mioh", version="2.0.0", seed=seed, config={}, scenes=scenes)
    return folder


def test_what_objects_give_away_is_found_in_both_directions(tmp_path: Path) -> None:
    found, _ = learned_oracles.compare_splits(split(tmp_path / "a", 1, True), split(tmp_path / "b", 2, True))
    assert any(
        line.startswith("A1 easy: an oracle that learned from presence reaches 100.0 % and 100.0 %") for line in found
    )
    assert not any("words" in line or "pixels" in line for line in found)


def test_numbers_of_objects_alone_are_found_by_who_sees_them(tmp_path: Path) -> None:
    first, second = (split(tmp_path / f"{seed}", seed, True, toys="toy") for seed in (1, 2))
    leaks, _ = learned_oracles.compare_splits(first, second)
    assert any(line.startswith("A1 easy: an oracle that learned from unbound reaches 100.0 %") for line in leaks)
    assert not any("presence" in line for line in leaks)


def test_where_only_the_owner_of_the_colour_differs_nothing_is_learned(tmp_path: Path) -> None:
    found, table = learned_oracles.compare_splits(split(tmp_path / "a", 1, False), split(tmp_path / "b", 2, False))
    assert found == []
    header, row = table
    assert header == ["type", *learned_oracles.VIEWERS]
    shown = dict(zip(header, row, strict=True))
    assert shown["type"] == "A1"
    assert all("(bound 50)" in shown[name] for name in ("presence", "unbound", "words", "pixels"))
    assert "(bound 75)" in shown["one image"]


def test_photos_that_both_splits_show_are_not_remembered(tmp_path: Path) -> None:
    """Pixels and numbers of objects distinguish these photos, but do not help with new ones."""
    first, second = (split(tmp_path / f"{seed}", seed, False, photos=3) for seed in (1, 2))
    leaks, table = learned_oracles.compare_splits(first, second)
    assert leaks == []
    accuracies = [cell for cell in table[1][1:] if "bound 50" in cell]
    assert len(accuracies) == 4
    assert all(int(cell.split(",")[0]) < 70 for cell in accuracies)


def test_what_objects_give_away_is_found_on_shared_photos_too(tmp_path: Path) -> None:
    first, second = (split(tmp_path / f"{seed}", seed, True, photos=3) for seed in (1, 2))
    leaks, _ = learned_oracles.compare_splits(first, second)
    assert any("learned from presence reaches 100.0 % and 100.0 %" in line for line in leaks)


def test_where_all_questions_share_an_image_nothing_is_left_to_learn_from(tmp_path: Path) -> None:
    first, second = (split(tmp_path / f"{seed}", seed, True, photos=3, common=True) for seed in (1, 2))
    leaks, table = learned_oracles.compare_splits(first, second)
    assert leaks == []
    assert table[1:] == [["A1", *["n/a"] * len(learned_oracles.VIEWERS)]]


def test_a_split_is_not_tested_on_itself(tmp_path: Path) -> None:
    own = split(tmp_path / "a", 1, False)
    with pytest.raises(VhbenchError, match=r"--other-seed .*: expected another MIOH split with scenes"):
        learned_oracles.compare_splits(own, own)
