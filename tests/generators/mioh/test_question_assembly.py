"""Questions that name images name the ones they show, and what they name does not tell the answer."""

from collections import Counter
from math import comb

import numpy as np
import pytest

from vhbench.generators.mioh.answer_options import Balance, arrange_images
from vhbench.generators.mioh.drafts import FIRST, SECOND, YES, Draft, ImageSlot
from vhbench.generators.mioh.question_assembly import ask
from vhbench.generators.mioh.question_types import QUESTION_TYPES
from vhbench.schema import Scene


def test_a_yes_no_question_names_its_images() -> None:
    draft = Draft(f"Do {FIRST} and {SECOND} show a dog?", (), YES, (ImageSlot(), ImageSlot()), (ImageSlot(),))
    scenes = [Scene(name, b"", 8, 8, ()) for name in "abcd"]
    for seed in range(8):
        random = np.random.default_rng(seed)
        question = ask(QUESTION_TYPES["E1"], draft, scenes, Balance(), Balance(), random, id="q")
        first, second = (question.scene_ids.index(scene.id) + 1 for scene in scenes[:2])
        assert question.question == f"Do Image {first} and Image {second} show a dog?"
        assert (question.answer, question.kind, question.choices) == (YES, "yes_no", ())


@pytest.mark.parametrize("images", [8, 10])
def test_offered_images_do_not_tell_which_of_them_is_correct(images: int) -> None:
    """The letter is likeliest where the fewest other images could be offered around it, if places are dealt evenly."""
    draft = Draft("Which image?", (), "", (ImageSlot(),) * 4, (ImageSlot(),), slot=0, last="None of the above")
    random, guessed, at = np.random.default_rng(3), 0.0, Counter[int]()
    for _ in range(250):  # cells of as many questions as images
        letters, places = Balance(), Balance()
        for _ in range(images):
            order = random.permutation(images).tolist()
            shown, choices, letter = arrange_images(draft, order, letters, places, random)
            at[shown.index(0)] += 1
            offered = [int(choice.split()[1]) - 1 for choice in choices[:-1]]
            ways = [comb(place, i) * comb(images - 1 - place, 3 - i) for i, place in enumerate(offered)]
            guessed += (ways["ABCD".index(letter)] == min(ways)) / ways.count(min(ways))
    assert guessed / (250 * images) == pytest.approx(0.25, abs=0.03)
    assert max(at.values()) - min(at.values()) < 0.2 * 250
