"""Calibration models with known scores, which answer without looking at images.

``vhbench_oracle`` returns the reference answer (``wrong=selective`` makes it fail in a known way, ``form=sentence``
makes it write like a model). ``vhbench_coin`` (``p=0.5,seed=0``) answers at random, ``vhbench_yes`` always agrees, and
``vhbench_blind`` returns the most frequent correct answer of the question's type. ``vhbench_one_image`` and
``vhbench_presence`` are oracles restricted to a single one of MIOH's images, or to presence without counts. Each exists
as a simple and as a chat model; the chat model also builds the messages, so that a broken image raises an error.

Only lmms-eval imports this file.
"""

import collections
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

_SEEN = Image.new("RGB", (1, 1))  # placeholder for an image that was already decoded


class _Rows:
    """Rows of a task; each image is decoded once, and replaced by a pixel afterwards: these models ignore images."""

    def __init__(self, docs: Any, sound: set[bytes]) -> None:
        """Set the documents; ``sound`` collects the SHA-256 of decoded images."""
        self.docs, self._sound = docs, sound

    def __getitem__(self, place: int) -> dict[str, Any]:
        """Return a row; errors of broken images propagate."""
        row: dict[str, Any] = self.docs[place]
        digests = getattr(row["images"], "digests", None)  # None for rows of other tasks, which are decoded each time
        if digests is None:
            return row
        if self._sound.issuperset(digests):
            return {**row, "images": [_SEEN] * len(digests)}
        images = list(row["images"])
        self._sound.update(digests)
        return {**row, "images": images}


class _Calibration(lmms):  # type: ignore[misc]
    """Calibration model that answers from the columns of a row."""

    def __init__(self, batch_size: int | str = 1, device: str = "cpu", **kwargs: Any) -> None:
        super().__init__()
        if unknown := sorted(set(kwargs) - {"max_batch_size"}):
            raise ValueError(f"{type(self).__name__} has no model_args {unknown}")
        self.device = torch.device("cpu")
        self.batch_size = batch_size
        self.repetition = 1

    def answer(self, doc: Doc) -> str:
        """Return the answer to one row."""
        raise NotImplementedError

    def generate_until(self, requests: list[Instance]) -> list[str]:
        """Answer each request; documents come from ``task_dict`` as for every lmms-eval model."""
        answers = []
        times: collections.Counter[tuple[str, int]] = collections.Counter()  # --repeats duplicates requests
        sound: set[bytes] = set()
        rows = _Rows(None, sound)
        for request in requests:
            _, second, third, doc_id, task, split = request.args
            docs = self.task_dict[task][split]
            if docs is not rows.docs:
                rows = _Rows(docs, sound)
                self.prepare(docs)
            doc = rows[doc_id]
            (third if self.is_simple else second)(doc)  # to images, or to messages
            times[task, doc_id] += 1
            self.repetition = times[task, doc_id]
            answers.append(self.answer(doc))
        return answers

    def prepare(self, docs: Any) -> None:
        """Inspect all rows of a task before its first question."""

    def loglikelihood(self, requests: list[Instance]) -> Any:
        """Raise: no vhbench task uses likelihoods."""
        raise NotImplementedError("expected generate_until; vhbench has no other requests")

    generate_until_multi_round = loglikelihood


class Oracle(_Calibration):
    """Oracle with perfect scores, or with known errors for testing diagnostics.

    Args:
        wrong: rows to answer incorrectly: "selective" means all rows of this mode, "existence/hn" the existence rows
            under hard negatives, "position:existence/hn" both; values come from the columns ``task``, ``mode``,
            ``pressure``, ``criterion`` and ``question_type``.
        form: response format for testing parsers: plain, sentence, markdown, json, boxed or thought, see
            :mod:`vhbench.adapters.calibration_forms`.
    """

    def __init__(self, wrong: str = "", form: str = "plain", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if form not in FORMS:
            raise ValueError(f"form: expected one of {', '.join(FORMS)}, got {form!r}")
        self.form = FORMS[form]
        self.wrong = [frozenset(case.split("/")) for case in str(wrong).split(":") if case]

    def answer(self, doc: Doc) -> str:
        """Return the reference answer or a caption of the objects; the next option if wrong."""
        words = {doc[column] for column in ("task", "mode", "pressure", "criterion", "question_type")}
        wrong = any(case <= words for case in self.wrong)
        if doc["kind"] == "caption":
            return self.form(doc, caption(doc["candidates"] if wrong else doc["objects"]))
        allowed = ascii_uppercase[: len(doc["choices"])] if doc["kind"] == "multiple_choice" else ("yes", "no")
        return self.form(doc, str(allowed[(allowed.index(doc["answer"]) + wrong) % len(allowed)]))


class Coin(_Calibration):
    """Random baseline: yes with probability p, uniform over options and words."""

    def __init__(self, p: float = 0.5, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not 0 <= float(p) <= 1:
            raise ValueError(f"p: expected a probability from 0 to 1, got {p}")
        self.p, self.seed = float(p), int(seed)

    def answer(self, doc: Doc) -> str:
        """Sample an answer from the seed, the row's id and the repetition."""
        again = (self.repetition,) if self.repetition > 1 else ()
        random = rng(self.seed, "coin", doc["id"], *again)
        if doc["kind"] == "yes_no":
            return "yes" if random.random() < self.p else "no"
        if doc["kind"] == "multiple_choice":
            return ascii_uppercase[int(random.integers(len(doc["choices"])))]
        words = [*doc["objects"], *doc["candidates"]]
        return caption([word for word in words if random.random() < self.p])


class Yes(_Calibration):
    """Always-yes baseline: "yes", the first option, every candidate word."""

    def answer(self, doc: Doc) -> str:
        """Return yes, A, or a caption with all objects and all likely hallucinations."""
        by_kind = {"yes_no": "yes", "multiple_choice": "A"}
        return by_kind.get(doc["kind"]) or caption([*doc["objects"], *doc["candidates"]])


class Blind(_Calibration):
    """Most frequent correct answer per question type and negation, counted on the task's rows.

    Accuracy far above chance indicates that types leak answers. Slightly above chance is expected, since counts and
    scores use the same rows. Leakage through the wording is not detected.
    """

    def prepare(self, docs: Any) -> None:
        """Count the answers per question type and negation (ties: alphabetical order)."""
        counts: dict[tuple[str, bool], collections.Counter[str]] = collections.defaultdict(collections.Counter)
        columns = docs.select_columns(["question_type", "negated", "answer"])[:]
        for question_type, negated, answer in zip(*columns.values(), strict=True):
            counts[question_type, negated][answer] += 1
        self.majority = {key: min(sorted(each), key=lambda answer: -each[answer]) for key, each in counts.items()}

    def answer(self, doc: Doc) -> str:
        """Return the majority answer; a caption names nothing."""
        return caption([]) if doc["kind"] == "caption" else self.majority[doc["question_type"], doc["negated"]]


class _RestrictedView(_Calibration):
    """Restricted oracle on MIOH: guesses uniformly among the options that its view of the truth leaves open."""

    view = ""

    def __init__(self, seed: int = 0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.seed = int(seed)

    @cached_property
    def scenes(self) -> Mapping[str, Any]:
        """Ground truth of MIOH's images."""
        resolve, read = load("vhbench.tasks.datasets:resolve"), load("vhbench.splits:read_scenes")
        scenes: Mapping[str, Any] = read(resolve("mioh").path)
        return scenes

    def answer(self, doc: Doc) -> str:
        """Return one of the answers that the view leaves open."""
        if doc["benchmark"] != "mioh":
            raise ValueError(f"{type(self).__name__} answers MIOH's questions only, not those of {doc['benchmark']}")
        views = load("vhbench.audit.restricted_oracles")
        question = SimpleNamespace(**{name: doc[name] for name in ("kind", "question", "choices", "scene_ids")})
        shown = [self.scenes[name] for name in doc["scene_ids"]]
        left = views.left_open(question, shown, views.VIEWS[self.view])
        return str(left[int(rng(self.seed, "view", self.view, doc["id"], self.repetition).integers(len(left)))])


class OneImage(_RestrictedView):
    """Single-image oracle: sees the first image that the question names, or the first one."""

    view = "one image"


class Presence(_RestrictedView):
    """Presence-only oracle: sees which objects are present, but not how many."""

    view = "presence"


# lmms-eval requires a class to be either simple or chat; the answers are the same.
OracleChat, CoinChat, YesChat, BlindChat, OneImageChat, PresenceChat = (
    type(f"{kind.__name__}Chat", (kind,), {"is_simple": False, "__module__": __name__})
    for kind in (Oracle, Coin, Yes, Blind, OneImage, Presence)
)
