"""How VHExpansion's build asks for white-box attacks: which cases in which direction, on which model."""

import dataclasses
import hashlib
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

from vhbench import answers
from vhbench.files import cache_folder
from vhbench.generators.vhexpansion import expansion
from vhbench.generators.vhexpansion.expansion import InitialCase
from vhbench.generators.vhexpansion.perturbations import Array
from vhbench.images import as_seen
from vhbench.results import read_samples
from vhbench.schema import Rejection, Row, Scene, VhbenchError, read_image

if TYPE_CHECKING:
    from vhbench.adapters.vlms import TransformersVLM
    from vhbench.generators.vhexpansion.attack import AttackResult

SUFFIX = " Please answer yes or no."


@dataclass(frozen=True, slots=True)
class Attack:
    """An attack as the command line names it.

    Attributes:
        method: "ifgsm" or "pgd".
        model: name or folder of the attacked model.
        failed: an lmms-eval samples file, or "ask".
        options: further fields of ``AttackConfig``, sorted.
    """

    method: str
    model: str
    failed: str
    options: tuple[tuple[str, Any], ...] = ()

    def manifest(self) -> dict[str, Any]:
        """Return the attack's options for the manifest, JSON types only."""
        from vhbench.generators.vhexpansion.attack import AttackConfig

        config = dataclasses.asdict(AttackConfig(**dict(self.options)))
        config.pop("method", None)
        return {"attack": config}


def attack_sources(attack: Attack) -> dict[str, str]:
    """Return what the attacked images depend on besides the source: the model, and the file of its failures."""
    found = {"model": _model(attack.model).fingerprint}
    if attack.failed != "ask":
        known = sorted(_answers(attack.failed).items())
        found["failed"] = hashlib.sha256(repr(known).encode()).hexdigest()
    return found


def attack_cases(
    groups: list[tuple[list[InitialCase], Array]], attack: Attack, *, seed: int
) -> Iterator[Row | Scene | Rejection]:
    """Yield the attacked pairs of cases, a report on each attacked image, and the cases that could not be attacked.

    A case that the model answers right is pushed apart from its original, one that it already fails is kept similar,
    so that the failure stays one. The report (similarity before, after and as saved, largest change, steps) is the
    provenance of a scene about which nothing else is known. Finished images are kept in the user's cache, so that an
    attack that was interrupted goes on. A group is the cases of an image with its pixels.
    """
    from vhbench.generators.vhexpansion.attack import AttackCase, AttackConfig
    from vhbench.generators.vhexpansion.attack import attack as run

    listed = [(case, _rgb(pixels)) for cases, pixels in groups for case in cases]
    failed = _failed(attack, [case for case, _ in listed])
    todo: list[tuple[InitialCase, AttackCase]] = []
    for case, pixels in listed:
        name = case.question.id
        if name not in failed:
            yield Rejection(f"{name}/{attack.method}", "no_answer_known", {"failed": Path(attack.failed).name})
            continue
        todo.append((case, AttackCase(id=name, image=pixels, direction="similar" if failed[name] else "apart")))
    config = AttackConfig(**{**dict(attack.options), "method": attack.method})
    folder = cache_folder() / "attacks"
    results = run([item for _, item in todo], model=_model(attack.model), config=config, seed=seed, cache=folder)
    for (case, _), result in zip(todo, results, strict=True):
        name = f"{case.question.id}/{attack.method}"
        if isinstance(result, Rejection):
            yield dataclasses.replace(result, item=name)
        else:
            yield _report(name, attack.method, _model(attack.model).name, result)
            yield from expansion.pair(case, perturbation=attack.method, image=result.png)


def _report(name: str, method: str, model: str, result: "AttackResult") -> Scene:
    with Image.open(io.BytesIO(result.png)) as opened:
        width, height = opened.size
    report = {"attack": method, "model": model, **result.report()}
    return Scene(id=name, image=result.png, width=width, height=height, objects=(), provenance=report)


def _failed(attack: Attack, cases: list[InitialCase]) -> Mapping[str, bool]:
    """Return for each case whether the model fails it; a case whose answer is not known is missing."""
    if attack.failed != "ask":
        return _answers(attack.failed)
    images = [read_image(case.question.images[0]) for case in cases]
    questions = [case.question.question for case in cases]
    responses = _model(attack.model).answer(images, questions, suffix=SUFFIX)
    return {
        asked.id: answers.parse("yes_no", response, question=asked.question) != asked.answer
        for asked, response in zip([case.question for case in cases], responses, strict=True)
        if not answers.failure(response)
    }


@lru_cache(maxsize=2)
def _answers(path: str) -> Mapping[str, bool]:
    """Read which original cases a run failed; an answer that cannot be read is a failure, what is no answer is none.

    Raises:
        VhbenchError: if there is none of a case in its original form.
    """
    asked = [r for r in read_samples(Path(path)) if r.kind == "yes_no" and not r.negated and not r.perturbation]
    records = [record for record in asked if not record.failure]
    if not records:
        raise VhbenchError(f"--failed {path}: no answers to original yes/no questions")
    return {expansion.clean_id(record.id): record.prediction != record.answer for record in records}


@lru_cache(maxsize=1)
def _model(name: str) -> "TransformersVLM":
    from vhbench.adapters.vlms import load_vlm

    return load_vlm(name)


def _rgb(pixels: Array) -> Array:
    """Return (H, W, 3), as models see the picture."""
    return np.asarray(as_seen(Image.fromarray(pixels)))
