"""Models that answer without looking, to calibrate a benchmark: each has a score that is known beforehand.

``vhbench_oracle`` gives the gold answer (with ``wrong=selective`` it fails in a known way, with ``form=sentence`` it
writes as models do), ``vhbench_coin`` (``p=0.5,seed=0``) tosses one, ``vhbench_yes`` always agrees, ``vhbench_blind``
gives the most frequent right answer of the question's type. ``vhbench_one_image`` and ``vhbench_presence`` have perfect
eyes that see one of MIOH's images alone, or do not count. Each is there as a simple and as a chat model; the chat
model also builds the messages, so that a broken image is noticed.

Only lmms-eval imports this file.
"""

import collections
import hashlib
from collections.abc import Mapping
from functools import cached_property
from string import ascii_uppercase
from types import SimpleNamespace
from typing import Any

import torch
from lmms_eval.api.instance import Instance
from lmms_eval.api.model import lmms
from PIL import Image

from vhbench.adapters.calibration_forms import FORMS, caption
from vhbench.benchmarks import load
from vhbench.seeding import rng

Doc = Mapping[str, Any]

_SEEN = Image.new("RGB", (1, 1))
"""Stands for an image that was decoded before."""


class _Rows:
    """The rows of a task as a model gets them, but that an image is decoded once, however many questions show it.

    Later a single pixel stands there: that it can be decoded is known, and none of these models looks at it.

    Attributes:
        docs: the task's documents; None for none.
    """

    def __init__(self, docs: Any, sound: set[bytes]) -> None:
        """Prepare; ``sound`` are the SHA-256 of images that were decoded before, to which new ones are added."""
        self.docs, self._sound = docs, sound
        self._packed: Any = None if docs is None else docs.with_format("arrow")

    def __getitem__(self, place: int) -> dict[str, Any]:
        """Return a row; raises what ``datasets`` and Pillow raise where an image is broken."""
        [row] = self._packed[place].to_pylist()
        return {**row, "images": [self._image(image) for image in row["images"]]}

    def _image(self, image: Mapping[str, Any]) -> Image.Image:
        digest = hashlib.sha256(image["bytes"]).digest() if image["bytes"] else None  # a file is read each time
        if digest in self._sound:
            return _SEEN
        whole: Image.Image = self.docs.features["images"].feature.decode_example(image)
        if digest:
            self._sound.add(digest)
        return whole


class _Calibration(lmms):  # type: ignore[misc]
    """Answers a row of a split from its columns."""

    def __init__(self, batch_size: int | str = 1, device: str = "cpu", **kwargs: Any) -> None:
        super().__init__()
        if unknown := sorted(set(kwargs) - {"max_batch_size"}):
            raise ValueError(f"{type(self).__name__} does not know model_args {unknown}")
        self.device = torch.device("cpu")
        self.batch_size = batch_size
        self.repetition = 1

    def answer(self, doc: Doc) -> str:
        """Return the answer to one row."""
        raise NotImplementedError

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Answer each request; the documents come from ``task_dict`` as for every lmms-eval model."""
        answers = []
        asked: collections.Counter[tuple[str, int]] = collections.Counter()  # --repeats asks several times
        sound: set[bytes] = set()
        rows = _Rows(None, sound)
        for request in requests:
            if self.is_simple:
                _, _, to_visual, doc_id, task, split = request.args
            else:
                _, to_messages, _, doc_id, task, split = request.args
            docs = self.task_dict[task][split]
            if docs is not rows.docs:
                rows = _Rows(docs, sound)
            doc = rows[doc_id]
            to_visual(doc) if self.is_simple else to_messages(doc)
            self.prepare(task, docs)
            asked[task, doc_id] += 1
            self.repetition = asked[task, doc_id]
            answers.append(self.answer(doc))
        return answers

    def prepare(self, task: str, docs: Any) -> None:
        """Look at all rows of a task before one of its questions is answered."""

    def loglikelihood(self, requests: list[Instance]) -> Any:
        """Not asked by any task of vhbench."""
        raise NotImplementedError("vhbench asks its models to generate, one question at a time")

    generate_until_multi_round = loglikelihood


class Oracle(_Calibration):
    """Gives the gold answer, so each score must be perfect; or fails in a known way, to test a diagnosis.

    Args:
        wrong: which rows are answered wrongly: "selective" is all rows of this mode, "existence/hn" the existence rows
            under hard negatives, "position:existence/hn" both kinds; the words are those of the columns ``task``,
            ``mode``, ``pressure``, ``criterion`` and ``question_type``.
        form: how it writes, to test who reads it: plain, sentence, markdown, json, boxed or thought, see
            :mod:`vhbench.adapters.calibration_forms`.
    """

    def __init__(self, wrong: str = "", form: str = "plain", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if form not in FORMS:
            raise ValueError(f"form={form} is none; allowed: {', '.join(FORMS)}")
        self.form = FORMS[form]
        self.wrong = [frozenset(case.split("/")) for case in str(wrong).split(":") if case]

    def answer(self, doc: Doc) -> str:
        """Return the gold answer; for a caption, name what is there. Where it is to be wrong, the next other one."""
        words = {doc[column] for column in ("task", "mode", "pressure", "criterion", "question_type")}
        wrong = any(case <= words for case in self.wrong)
        if doc["kind"] == "caption":
            return self.form(doc, caption(doc["candidates"] if wrong else doc["objects"]))
        allowed = ascii_uppercase[: len(doc["choices"])] if doc["kind"] == "multiple_choice" else ("yes", "no")
        return self.form(doc, str(allowed[(allowed.index(doc["answer"]) + wrong) % len(allowed)]))


class Coin(_Calibration):
    """Says yes with probability p; picks among options and words evenly. Its scores are those of chance."""

    def __init__(self, p: float = 0.5, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= float(p) <= 1:
            raise ValueError(f"p={p} is no probability; allowed: 0 to 1")
        self.p, self.seed = float(p), int(seed)

    def answer(self, doc: Doc) -> str:
        """Toss the coin that belongs to the seed and the row's id, another one in each repetition."""
        again = (self.repetition,) if self.repetition > 1 else ()
        random = rng(self.seed, "coin", doc["id"], *again)
        if doc["kind"] == "yes_no":
            return "yes" if random.random() < self.p else "no"
        if doc["kind"] == "multiple_choice":
            return ascii_uppercase[int(random.integers(len(doc["choices"])))]
        words = [*doc["objects"], *doc["candidates"]]
        return caption([word for word in words if random.random() < self.p])


class Yes(_Calibration):
    """Always agrees: "yes", the first option, every word that might fit."""

    def answer(self, doc: Doc) -> str:
        """Return yes, A, or a caption that names all objects and all likely hallucinations."""
        by_kind = {"yes_no": "yes", "multiple_choice": "A"}
        return by_kind.get(doc["kind"]) or caption([*doc["objects"], *doc["candidates"]])


class Blind(_Calibration):
    """Gives the most frequent right answer of the question's type, negated or not, as counted in the task's own rows.

    Far above chance, types give answers away. A little above it is luck, since what is counted is what is scored; and
    what the wording gives away, it does not see.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.majority: dict[tuple[str, ...], str] = {}
        self.task = ""
        self.prepared: set[str] = set()

    def prepare(self, task: str, docs: Any) -> None:
        """Count the answers of each question type, negated or not (ties: the first in the alphabet)."""
        self.task = task
        if task in self.prepared:
            return
        self.prepared.add(task)
        counts: dict[tuple[str, ...], collections.Counter[str]] = collections.defaultdict(collections.Counter)
        columns = [docs[name][:] for name in ("question_type", "negated", "answer")]
        for question_type, negated, answer in zip(*columns, strict=True):
            counts[task, question_type, str(negated)][answer] += 1
        for key, counter in counts.items():
            self.majority[key] = min(counter, key=lambda answer: (-counter[answer], answer))

    def answer(self, doc: Doc) -> str:
        """Return the majority answer; a caption names nothing."""
        if doc["kind"] == "caption":
            return caption([])
        return self.majority[self.task, doc["question_type"], str(doc["negated"])]


class _RestrictedView(_Calibration):
    """Sees all that its view of MIOH's images leaves, from the truth that the split stores, and guesses the rest.

    Where options are left open it guesses evenly among them; ``vhbench verify`` prints what that comes to.
    """

    view = ""

    def __init__(self, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = int(seed)

    @cached_property
    def scenes(self) -> Mapping[str, Any]:
        """The truth behind MIOH's images."""
        resolve, read = load("vhbench.tasks.datasets:resolve"), load("vhbench.splits:read_scenes")
        scenes: Mapping[str, Any] = read(resolve("mioh").path)
        return scenes

    def answer(self, doc: Doc) -> str:
        """Return one of the answers that the view leaves open."""
        if doc["benchmark"] != "mioh":
            raise ValueError(f"{type(self).__name__} answers MIOH's questions only, not those of {doc['benchmark']}")
        views = load("vhbench.audit.restricted_oracles")
        asked = SimpleNamespace(**{name: doc[name] for name in ("kind", "question", "choices", "scene_ids")})
        shown = [self.scenes[name] for name in doc["scene_ids"]]
        left = views.left_open(asked, shown, views.VIEWS[self.view])
        return str(left[int(rng(self.seed, "view", self.view, doc["id"], self.repetition).integers(len(left)))])


class OneImage(_RestrictedView):
    """Perfect eyes that see one image: the first that the question names, or else the first."""

    view = "one image"


class Presence(_RestrictedView):
    """Perfect eyes that see what is there, and do not count."""

    view = "presence"


# lmms-eval asks that a class be either simple or chat; the answers are the same.
OracleChat, CoinChat, YesChat, BlindChat, OneImageChat, PresenceChat = (
    type(f"{kind.__name__}Chat", (kind,), {"is_simple": False, "__module__": __name__})
    for kind in (Oracle, Coin, Yes, Blind, OneImage, Presence)
)
