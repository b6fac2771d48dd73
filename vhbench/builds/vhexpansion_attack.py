"""White-box attacks in VHExpansion's build: selection of cases, directions and the model."""

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from vhbench.adapters.attack_config import AttackConfig
from vhbench.builds.row_ids import RowNames
from vhbench.files import cache_folder, read_image
from vhbench.generators.vhexpansion import expansion
from vhbench.generators.vhexpansion.attack_success import success, turned
from vhbench.generators.vhexpansion.expansion import InitialCase
from vhbench.images import to_display_rgb
from vhbench.language import parsing
from vhbench.schema import Rejection, Row, Scene, VhbenchError

if TYPE_CHECKING:
    from vhbench.adapters.vlms import TransformersVLM

Array = npt.NDArray[np.uint8]
SUFFIX = " Please answer yes or no."


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """Attack named on the command line."""

    settings: AttackConfig
    models: tuple["ModelChoice", ...]  # attacked models; the first one answers
    failed: str  # lmms-eval samples file, or "ask"
    answers: bool = False  # whether the model is queried before and after

    def manifest(self) -> dict[str, Any]:
        """Return the attack's options for the manifest, JSON types only."""
        config = dataclasses.asdict(self.settings)
        config.pop("method")
        model = {name: getattr(self.models[0], name) for name in ("dtype", "revision", "instruction")}
        return {"attack": config, "answers": self.answers, "model_options": model}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """Vision-language model and how it is loaded; see :func:`vhbench.adapters.vlms.load_vlm`."""

    name: str
    device: str = "auto"
    dtype: str = "auto"
    revision: str = ""
    instruction: str = ""


def attack_sources(attack: Attack) -> dict[str, str]:
    """Return the model and failure file that attacked images depend on."""
    digests = {}
    if attack.failed != "ask":  # checked first: loading a model takes minutes
        known = sorted(_answers(attack.failed).items())
        digests["failed"] = hashlib.sha256(repr(known).encode()).hexdigest()
    marks = [_load(model).fingerprint for model in attack.models]
    return {"model": marks[0] if len(marks) == 1 else hashlib.sha256(repr(marks).encode()).hexdigest(), **digests}


def attack_cases(
    groups: list[tuple[list[InitialCase], Array]], attacks: Sequence[Attack], *, seed: int
) -> Iterator[Row | Scene | Rejection]:
    """Yield attacked pairs, a report per attacked image, and rejected cases.

    A case that the model answers correctly is pushed away from its original; one that it already fails is kept similar,
    so that the failure persists. The report (objective before, after and as saved, largest change; effect on
    the model's answer) is the provenance of an otherwise unknown scene. Finished images are cached, so an interrupted
    attack resumes. A group is the cases of an image with its pixels; the attacks differ only in their method.
    """
    if attacks:
        seen = ((cases, np.asarray(to_display_rgb(Image.fromarray(pixels)))) for cases, pixels in groups)
        listed = [(case, pixels) for cases, pixels in seen for case in cases]
        answers = _first_answers(attacks[0], [case for case, _ in listed])
        for attack in attacks:
            yield from _attacked(listed, attack, *answers, seed)


def _attacked(
    listed: list[tuple[InitialCase, Array]],
    attack: Attack,
    before: Mapping[str, bool],
    unanswered: Mapping[str, str],
    seed: int,
) -> Iterator[Row | Scene | Rejection]:
    """Yield one attack's results; ``before``: case → whether the model fails it."""
    from vhbench.adapters.attacks import AttackCase
    from vhbench.adapters.attacks import attack as run

    failed = before if attack.failed == "ask" else _logged(listed, attack, seed)
    todo: list[tuple[InitialCase, AttackCase]] = []
    for case, pixels in listed:
        name = case.question.id
        if name not in failed or (attack.answers and name not in before):
            why = unanswered.get(name) or Path(attack.failed).name
            yield Rejection(f"{name}/{attack.settings.method}", "no_answer_known", {"failed": why})
            continue
        wrong = failed[name] or attack.settings.loss == "target"
        response = next(word for word in ("yes", "no") if (word == case.question.answer) != wrong)
        prompt = case.question.question + SUFFIX
        todo.append(
            (case, AttackCase(name, pixels, "similar" if failed[name] else "apart", prompt, response.capitalize()))
        )
    models = [_load(choice) for choice in attack.models]
    folder = cache_folder() / "attacks"
    results = run([item for _, item in todo], model=models, config=attack.settings, seed=seed, cache=folder)
    for (case, item), result in zip(todo, results, strict=True):
        name = f"{case.question.id}/{attack.settings.method}"
        if isinstance(result, Rejection):
            yield dataclasses.replace(result, item=name)
            continue
        original = read_image(case.question.images[0])
        report = {
            "attack": attack.settings.method,
            "model": ", ".join(each.name for each in models),
            "image": expansion.digest_of(original),
            **result.report(),
        }
        if attack.answers:
            answer = _parsed_answer(models[0], case.question.question, result.png)
            right = answer == case.question.answer if answer else None
            report["outcome"] = turned(not before[case.question.id], right)
            report["consistent"] = [_consistent(models[0], case, image) for image in (original, result.png)]
        height, width, _ = item.image.shape
        pair = RowNames(seed, "vhexpansion").of_pair(name, attack.settings.method)
        yield Scene(pair, result.png, width, height, objects=(), provenance=report)
        yield from expansion.pair(case, perturbation=attack.settings.method, image=result.png)


def _logged(listed: list[tuple[InitialCase, Array]], attack: Attack, seed: int) -> dict[str, bool]:
    """Return which cases a run failed, by case id (source) or row id (expanded split)."""
    known, names = _answers(attack.failed), RowNames(seed, "vhexpansion")
    cases = [case.question.id for case, _ in listed]
    own = {case: next((name for name in (case, names.of(case)) if name in known), "") for case in cases}
    return {case: known[name] for case, name in own.items() if name}


def attack_facts(reports: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return attack facts for the manifest by method; see :func:`_facts`."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for report in reports:
        groups.setdefault(report["attack"], []).append(report)
    return {"attacks": {method: _facts(groups[method]) for method in sorted(groups)}} if groups else {}


def _facts(reports: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the number of cases, the mean objective of attack and matched noise and, with answers, the success rates.

    ``inconsistent`` is the share of consistent pairs (opposite answers to question and twin) that the attack breaks.

    >>> about = {"achieved": True, "saved": 0.5, "noise": 0.9, "image": "a", "consistent": [True, True]}
    >>> found = _facts([{**about, "outcome": "turned_wrong"}])
    >>> found["success_rate"], found["interval"], found["interval_note"], found["inconsistent"]["rate"]
    (100.0, [2.5, 100.0], 'exact binomial CI (all outcomes identical)', 0.0)
    """
    means = {name: round(sum(r[name] for r in reports) / len(reports), 6) for name in ("saved", "noise")}
    facts = {"cases": len(reports), "achieved_nothing": sum(not report["achieved"] for report in reports), **means}
    cases = [report for report in reports if "outcome" in report]
    if not cases:
        return facts
    outcomes, twins = Counter(report["outcome"] for report in cases), [r for r in reports if "consistent" in r]
    after = {"turned_wrong": (True, False), "kept_right": (True, True), "unread_right": (True, None)}
    answers = success([after.get(r["outcome"], (False, None)) for r in cases], [report["image"] for report in cases])
    pairs = success([tuple(r["consistent"]) for r in twins], [report["image"] for report in twins])
    rate, broken = (None if of["success_rate"] is None else round(of["success_rate"], 2) for of in (answers, pairs))
    ends, apart = ([round(end, 2) for end in of["success_interval"] or ()] or None for of in (answers, pairs))
    return {
        **facts,
        **{name: outcomes[name] for name in ("turned_wrong", "kept_right", "turned_right", "kept_wrong")},
        "success_rate": rate,
        "interval": ends,
        "interval_note": answers["success_note"],
        **_unread(answers),
        "inconsistent": {
            "consistent_before": pairs["right_before"],
            "inconsistent_after": pairs["turned_wrong"],
            "rate": broken,
            "interval": apart,
            **_unread(pairs),
        },
    }


def attack_table(attacks: Mapping[str, Mapping[str, Any]]) -> list[list[str]]:
    """Return the table of :func:`attack_facts` for builds and dataset cards; a dash where nothing was queried."""
    columns = (
        "attack|cases|without effect|correct before|flipped|success rate|95 % CI (by image)"
        "|consistent before|made inconsistent|rate|95 % CI (by image)"
    )
    table = [list[str](columns.split("|"))]
    for method, counts in attacks.items():
        line = [str(method), f"{counts['cases']:,}", f"{counts['achieved_nothing']:,}"]
        right, pairs = counts.get("turned_wrong", 0) + counts.get("kept_right", 0), counts.get("inconsistent", {})
        line += _share(right, counts.get("turned_wrong", 0), counts.get("success_rate"), facts=counts)
        numbers = [pairs.get(name) for name in ("consistent_before", "inconsistent_after", "rate")]
        table.append([*line, *_share(*numbers, facts=pairs)])
    return table


def _share(before: Any, after: Any, rate: Any, *, facts: Mapping[str, Any]) -> list[str]:
    """Return the cells of a share with its counts and interval; dashes if it is unknown."""
    ends, unread = facts.get("interval"), facts.get("unread_after", 0)
    beside = f" ({unread:,} unread: {facts['bounds'][0]}–{facts['bounds'][1]} %)" if unread else ""
    if rate is None:
        return ["–", "–", f"–{beside}", "–"]
    return [f"{before:,}", f"{after:,}", f"{rate} %{beside}", f"{ends[0]}–{ends[1]} %" if ends else "–"]


def _unread(rates: Mapping[str, Any]) -> dict[str, Any]:
    """Return the number of responses after an attack that are neither yes nor no, and the rate's bounds with them."""
    return {"unread_after": rates["unread_after"], "bounds": [round(end, 2) for end in rates["success_bounds"] or ()]}


def _first_answers(attack: Attack, cases: list[InitialCase]) -> tuple[dict[str, bool], dict[str, str]]:
    """Return whether the model fails each queried case, and why others have no answer."""
    failed: dict[str, bool] = {}
    unanswered: dict[str, str] = {}
    if attack.failed == "ask" or attack.answers:
        model = _load(attack.models[0])
        for question in (case.question for case in cases):
            try:
                (response,) = model.answer([read_image(question.images[0])], [question.question], suffix=SUFFIX)
            except ValueError as error:  # the processor rejects the image
                unanswered[question.id] = str(error)
                continue
            if fault := parsing.failure(response):
                unanswered[question.id] = f"no prediction for {question.id} ({fault})"
            else:  # an unparsed answer counts as incorrect
                failed[question.id] = parsing.parse("yes_no", response, question=question.question) != question.answer
    return failed, unanswered


def _parsed_answer(model: "TransformersVLM", question: str, image: bytes) -> str:
    """Query a model; return "yes", "no", or "" for any other response or none."""
    try:
        (response,) = model.answer([image], [question], suffix=SUFFIX)
    except ValueError:  # the model rejects the image
        return ""
    return parsing.parse("yes_no", response, question=question)


def _consistent(model: "TransformersVLM", case: InitialCase, image: bytes) -> bool | None:
    """Return whether a model answers the question and its negated twin with opposites, None without both answers."""
    answers = [_parsed_answer(model, question, image) for question in (case.question.question, case.twin.text)]
    return answers[0] != answers[1] if all(answers) else None


@lru_cache(maxsize=2)
def _answers(path: str) -> Mapping[str, bool]:
    """Read which original cases a run failed; failed requests are left out, unparsed answers count as incorrect."""
    from vhbench.runs import read_run  # imported here: it loads all metrics, and few builds attack a run's failures

    plain = [r for r in read_run(Path(path)).merged() if r.kind == "yes_no" and not r.negated and not r.perturbation]
    records = [record for record in plain if not record.failure]
    if not records:
        raise VhbenchError(f"--failed {path}: no answers to original yes/no questions")
    return {expansion.clean_id(record.id): record.prediction != record.answer for record in records}


@lru_cache(maxsize=4)
def _load(choice: ModelChoice) -> "TransformersVLM":
    from vhbench.adapters.vlms import load_vlm

    return load_vlm(**dataclasses.asdict(choice))
