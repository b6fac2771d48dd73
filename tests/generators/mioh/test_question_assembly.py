"""Questions that name images name the ones they show."""

import numpy as np

from vhbench.generators.mioh.answer_options import Balance
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
