"""Training examples: questions in the evaluation's prompts, with reference answers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from vhbench.columns import CELLS, RECORD
from vhbench.files import read_image
from vhbench.schema import Question, Scene, VhbenchError
from vhbench.tasks import prompts
from vhbench.training.rationales import reason
from vhbench.training.reference_captions import caption

Message = Mapping[str, Any]

FORMS = ("short", "reasoned")  # answer formats of closed questions: an answer, or an answer with a reason

_LAST: Mapping[str, Mapping[str, str]] = {
    "reasoned": {
        "yes_no": "Please answer yes or no, and say why.",
        "multiple_choice": "Answer with the option's letter from the given choices, and say why.",
    },
    "tagged": {
        "yes_no": "Reason first. End with yes or no in <answer></answer>.",
        "multiple_choice": "Reason first. End with the option's letter in <answer></answer>.",
    },
}
"""Last line of prompts that ask for more than a short answer; that one has the benchmark's own."""

FACETS = ("kind", "benchmark", *CELLS)  # question columns kept with an example, for its provenance and reselection


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingExample:
    """One row to train on."""

    id: str  # unique within a data set
    images: tuple[bytes, ...]  # encoded, in prompt order
    # Parts of the user's message: {"type": "image", "text": ""} or {"type": "text", "text": …}.
    prompt: tuple[Message, ...]
    answer: str  # target response
    right: str = ""  # "yes", "no", a letter, or "" for captions and general rows; both polarities are balanced by it
    form: str = "short"  # "short", "reasoned", "caption" or "general"
    earlier: tuple[Message, ...] = ()  # messages before the prompt in multi-turn conversations
    rejected: str = ""  # dispreferred response; "" if there is none
    rejected_by: str = ""  # "model" for its own response, "flipped" for the opposite answer where the model was correct
    facets: Mapping[str, str] = field(default_factory=dict)  # columns of the question, see :data:`FACETS`
    scene_ids: tuple[str, ...] = ()  # scenes of the images, where known

    @property
    def asked(self) -> list[Message]:
        """The messages before the answer."""
        return [*self.earlier, {"role": "user", "content": list(self.prompt)}]


def lessons(
    question: Question,
    scenes: Sequence[Scene],
    forms: Sequence[str] = FORMS,
    *,
    seed: int = 0,
    unsaid: Collection[str] = (),
) -> list[TrainingExample]:
    """Return a question's training examples: a caption without the backgrounds ``unsaid``, or one per answer format."""
    images = tuple(map(read_image, question.images))
    columns = {name: getattr(question, name) for name in FACETS} | {"negated": str(question.negated).lower()}
    common = TrainingExample(
        id=question.id, images=images, prompt=(), answer="", right=question.answer, facets=columns,
        scene_ids=question.scene_ids,
    )  # fmt: skip
    if question.kind == "caption":
        if len(scenes) != 1:
            return []
        return [replace(common, form="caption", prompt=prompt(question), answer=caption(scenes[0], seed, unsaid))]
    examples = []
    for form in forms:
        answer = question.answer.capitalize() if form == "short" else reason(question, scenes)
        if answer:
            examples.append(
                replace(common, id=f"{question.id}-{form}", form=form, prompt=prompt(question, form), answer=answer)
            )
    return examples


def prompt(question: Question, form: str = "short") -> tuple[Message, ...]:
    """Return the message parts that lmms-eval sends to chat models, without the images; raise for an unknown form.

    Only the last line changes for other answers than short ones.
    """
    if form != "short" and form not in _LAST:
        raise VhbenchError(f"expected a prompt for one of short, {', '.join(_LAST)}; got {form!r}")
    doc = {name: getattr(question, name) for name in RECORD} | {"images": [_BLANK] * len(question.images)}
    last = {"post_prompt": _LAST[form][question.kind]} if form in _LAST else None
    (message,) = prompts.to_messages(doc, last)
    return tuple({"type": part["type"], "text": part.get("text", "")} for part in message["content"])


_BLANK = Image.new("RGB", (1, 1))
