"""A question and a true answer to it, as a model is taught them: in the very words in which it will be asked."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from PIL import Image

from vhbench.columns import CELLS, RECORD
from vhbench.files import read_image
from vhbench.schema import Question, Scene
from vhbench.tasks import prompts
from vhbench.training.rationales import reason
from vhbench.training.reference_captions import caption

Form = Literal["short", "reasoned"]
Message = Mapping[str, Any]

FORMS: tuple[Form, ...] = ("short", "reasoned")
"""How a closed question is answered: in one word or letter, or in that and why. Captions have one form."""

_REASONED = {
    "yes_no": "Please answer yes or no, and say why.",
    "multiple_choice": "Answer with the option's letter from the given choices, and say why.",
}
"""The last line of a prompt that asks for a reason; one that asks for the answer alone has the benchmark's own."""

TOLD = ("kind", "benchmark", *CELLS)
"""Columns of the question that go with a lesson, so that it can be told where it comes from and chosen again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingExample:
    """One row to train on.

    Attributes:
        id: unique within a data set.
        images: encoded, in the order in which the prompt shows them.
        prompt: the parts of the user's message: {"type": "image", "text": ""} or {"type": "text", "text": …}.
        answer: what the model is taught to say.
        right: "yes", "no", a letter, or "" for captions and general rows: what both polarities are balanced by.
        form: "short", "reasoned", "caption" or "general".
        earlier: messages before the prompt, of conversations with several turns.
        rejected: what the model is taught not to say; "" where there is no such.
        rejected_by: "model" for its own words, "flipped" for the other answer to a question that it answered rightly.
        told: columns of the question, see :data:`TOLD`.
        scene_ids: of its images, where they are known.
    """

    id: str
    images: tuple[bytes, ...]
    prompt: tuple[Message, ...]
    answer: str
    right: str = ""
    form: str = "short"
    earlier: tuple[Message, ...] = ()
    rejected: str = ""
    rejected_by: str = ""
    told: Mapping[str, str] = field(default_factory=dict)
    scene_ids: tuple[str, ...] = ()

    @property
    def asked(self) -> list[Message]:
        """The messages up to the answer."""
        return [*self.earlier, {"role": "user", "content": list(self.prompt)}]


def lessons(
    question: Question,
    scenes: Sequence[Scene],
    forms: Sequence[Form] = FORMS,
    *,
    seed: int = 0,
    unsaid: Collection[str] = (),
) -> list[TrainingExample]:
    """Return what a question teaches: a caption once, a closed question in each form that the scenes allow.

    Args:
        question: with its right answer.
        scenes: the truth about its images, as far as it is known.
        forms: of answers to closed questions.
        seed: decides the wording of a caption.
        unsaid: what captions do not name where it is only painted around.
    """
    images = tuple(map(read_image, question.images))
    told = {
        name: str(getattr(question, name)).lower() if name == "negated" else getattr(question, name) for name in TOLD
    }
    common = TrainingExample(
        id=question.id, images=images, prompt=(), answer="", right=question.answer, told=told,
        scene_ids=question.scene_ids,
    )  # fmt: skip
    if question.kind == "caption":
        if len(scenes) != 1:
            return []
        return [replace(common, form="caption", prompt=prompt(question), answer=caption(scenes[0], seed, unsaid))]
    found = []
    for form in forms:
        answer = short(question) if form == "short" else reason(question, scenes)
        if answer:
            found.append(
                replace(common, id=f"{question.id}-{form}", form=form, prompt=prompt(question, form), answer=answer)
            )
    return found


def short(question: Question) -> str:
    """Return the right answer to a closed question in a word: "Yes", "No" or a letter."""
    return question.answer.capitalize()


def prompt(question: Question, form: Form = "short") -> tuple[Message, ...]:
    """Return the parts of the message that lmms-eval's chat models are sent, the images left open.

    A reasoned answer is asked for in another last line; everything else is the benchmark's own.
    """
    doc = {name: getattr(question, name) for name in RECORD} | {"images": [_BLANK] * len(question.images)}
    last = {"post_prompt": _REASONED[question.kind]} if form == "reasoned" else None
    (message,) = prompts.to_messages(doc, last)
    return tuple(_part(part) for part in message["content"])


def _part(part: Message) -> Message:
    return {"type": "image", "text": ""} if part["type"] == "image" else {"type": "text", "text": part["text"]}


_BLANK = Image.new("RGB", (1, 1))
