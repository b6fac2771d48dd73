"""Boxes that detectors report, and the batches in which they look; no model."""

from collections.abc import Sequence
from typing import Any

import pytest
import torch

from vhbench.adapters.detectors import ZeroShotDetector, detection, distinct
from vhbench.protocols import Detection
from vhbench.schema import VhbenchError


def test_boxes_are_clipped_to_the_image() -> None:
    size = (40, 60)  # height, width
    assert detection("dog", 0.12345678, (-5, 10.126, 70, 50), size) == Detection("dog", 0.123457, (0, 10.13, 60, 29.87))
    assert detection("dog", 1.0, (1, 2, 4, 8), size).box == (1, 2, 3, 6)
    assert detection("dog", 1.0, (61, -9, 70, -2), size).box == (60, 0, 0, 0)


def test_duplicates_and_empty_boxes_are_dropped() -> None:
    best = Detection("dog", 0.9, (0, 0, 10, 10))
    half = Detection("dog", 0.8, (0, 0, 10, 5))  # IoU 0.5: no duplicate
    more = Detection("dog", 0.7, (0, 0, 10, 6))
    other = Detection("cat", 0.6, (0, 0, 10, 10))
    flat = [Detection("dog", 0.99, (20, 20, 0, 5)), Detection("dog", 0.99, (20, 20, 5, 0))]
    assert distinct([other, more, *flat, half, best]) == [best, half, other]
    same = [Detection("dog", 0.5, (x, 0, 10, 10)) for x in (50, 20)]
    assert distinct(same) == same[::-1]  # equal scores: by their boxes


class Halving(ZeroShotDetector):
    """Finds every word that it is asked for; a batch of more than ``most`` looks does not fit into memory."""

    def __init__(self, most: int, batch: int) -> None:
        self.name, self.most, self._batch = "halving", most, batch
        self.tried: list[int] = []

    def _forward(self, looks: Sequence[Any]) -> list[list[Detection]]:
        self.tried.append(len(looks))
        if len(looks) > self.most:
            raise torch.cuda.OutOfMemoryError
        return [[Detection(word, len(image) / 10, (0, 0, 1, 1)) for word in words] for image, words in looks]


def test_batches_are_halved_and_words_asked_twenty_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    detector = Halving(most=1, batch=3)
    many = [f"w{number:02}" for number in range(25)]
    first, second, third = detector.detect([b"1", b"22", b"333"], [many, ["b", "a"], ["c"]])
    assert [found.category for found in first] == many
    assert [(found.category, found.score) for found in second] == [("a", 0.2), ("b", 0.2)]
    assert [(found.category, found.score) for found in third] == [("c", 0.3)]
    assert detector.tried == [3, 1, 2, 1, 1, 1]  # looks of 20, 5 and 2 words, then the one of 1
    assert detector.knows("anything") is True


def test_an_image_that_does_not_fit_and_an_image_without_words_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    with pytest.raises(VhbenchError, match=r"^halving: one image does not fit into GPU memory$"):
        Halving(most=0, batch=8).detect([b"", b""], [["a"], ["b"]])
    with pytest.raises(VhbenchError, match=r"^halving: expected at least one word to detect$"):
        Halving(most=1, batch=8).detect([b"", b""], [["a"], []])
