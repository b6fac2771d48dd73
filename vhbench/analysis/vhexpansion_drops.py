"""VHExpansion: are right answers worth anything, and what does each perturbation cost?

Name a run with the clean questions and the perturbed ones (--tasks vhexpansion_ode_all): a perturbed pair belongs to
the clean pair of the same case, and the drop in symmetric accuracy is taken over the cases that both have, with an
interval over images; what is claimed of all of them is tested together (Liu et al. 2024, §5).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vhbench.analysis import vhexpansion_figure
from vhbench.analysis.run import lost, own_records
from vhbench.generators.vhexpansion.attack_config import STEP_SIZES
from vhbench.generators.vhexpansion.attack_success import success
from vhbench.records import case_of
from vhbench.schema import Record
from vhbench.statistics import paired
from vhbench.statistics.clusters import clusters_of
from vhbench.statistics.multiple_testing import TOO_FEW
from vhbench.tasks.metrics import symmetric_accuracy

draw = vhexpansion_figure.draw
CLEAN: Final = "clean"
"""The name of the pairs whose images are as they were."""


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return the whole analysis of answers as JSON; those to questions of other benchmarks are left out.

    Returns:
        ``questions``; ``sources``: source → "clean" or perturbation → scores in percent, and of a perturbation the
        ``drop`` against the clean pairs of the same cases with its interval, of an attack also its ``success_rate``;
        ``unparsed``, ``failed``, ``refused``: shares of the answers; ``summary`` in words. Where too many requests
        failed, ``withheld`` says so, and nothing else is told.

    Raises:
        VhbenchError: if no record is VHExpansion's.
    """
    sources: dict[str, list[Record]] = defaultdict(list)
    own = own_records(records, __name__)
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        return counts | {"sources": {}, "summary": counts["withheld"]}
    for record in own:
        sources[record.source].append(record)
    found = {source: _source(sources[source]) for source in sorted(sources)}
    for (source, kind), told in paired.joint_test(_pairs(sources)).items():
        part = found[source][kind]
        part |= {"shared_cases": told["n"], "drop": None, "drop_interval": None}
        withheld = part["withheld"] or found[source].get(CLEAN, {}).get("withheld")
        if told["n"] and not withheld:
            ends = told["interval"]
            part |= {"drop": 100 * told["mean"], "drop_interval": None if ends is None else [100 * end for end in ends]}
            part |= {f"drop_{name}": told[name] for name in ("note", "certain", "p", "differ")}
    return counts | {"sources": found, "summary": summary(found)}


def pairs_right(records: Sequence[Record]) -> dict[str, bool]:
    """Return case → whether a question and its negated twin were both answered rightly; incomplete pairs are left out.

    >>> pairs_right([Record("a", pair_id="c/jpeg", perturbation="jpeg", answer="yes", prediction="yes"),
    ...              Record("b", pair_id="c/jpeg", perturbation="jpeg", answer="no", prediction="yes", negated=True)])
    {'c': False}
    """
    pairs = {case_of(pair[0]): pair for pair in symmetric_accuracy.complete_pairs(records)}
    return {case: all(half.prediction == half.answer for half in pairs[case]) for case in sorted(pairs)}


def summary(sources: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Say in a few sentences what a model's right answers are worth, and what costs it most."""
    return " ".join(sentence for source, kinds in sources.items() for sentence in _sentences(source, kinds))


def _source(records: Sequence[Record]) -> dict[str, Any]:
    scores = symmetric_accuracy.score(records)["by_perturbation"]
    found = {kind or CLEAN: _brief(scores[kind]) for kind in sorted(scores)}
    for kind in STEP_SIZES.keys() & found.keys():
        found[kind] |= _turned(records, kind)
    return found


def _turned(records: Sequence[Record], kind: str) -> dict[str, Any]:
    """Return what an attack did to the answers to original questions."""
    asked = [record for record in records if not record.negated and not record.failure]
    before = {case_of(record): record for record in asked if not record.perturbation}
    after = [record for record in asked if record.perturbation == kind and case_of(record) in before]
    right = [(before[case_of(r)].prediction == r.answer, r.prediction == r.answer) for r in after]
    return success(right, clusters_of(after).numbers.tolist())


def _pairs(sources: Mapping[str, Sequence[Record]]) -> dict[tuple[str, str], paired.PairedOutcomes]:
    """Compare the cases that have both a clean pair and one of a perturbation: source, perturbation → their pairs."""
    found: dict[tuple[str, str], paired.PairedOutcomes] = {}
    for source in sorted(sources):
        kinds: dict[str, list[Record]] = defaultdict(list)
        for record in sources[source]:
            kinds[record.perturbation].append(record)
        clean, first = pairs_right(kinds.pop("", [])), {case_of(r): r for r in sources[source] if not r.perturbation}
        for kind in sorted(kinds):
            perturbed, images = pairs_right(kinds[kind]), {case_of(record): record for record in kinds[kind]}
            pairs = found[source, kind] = paired.PairedOutcomes()
            for case in (case for case in perturbed if case in clean):
                pairs.add(clean[case], perturbed[case], first[case], images[case])
    return found


def _brief(score: Mapping[str, Any]) -> dict[str, Any]:
    rates = ("symmetric_accuracy", "blind_level", "chance", "accuracy", "yes_rate", "unparsed", "failed", "refused")
    interval = score["intervals"]["symmetric_accuracy"]
    return {
        **{name: None if score[name] is None else 100 * score[name] for name in rates},
        "interval": None if interval is None else [100 * end for end in interval],
        "interval_note": score["interval_notes"].get("symmetric_accuracy", ""),
        "withheld": score["withheld"],
        "new_successful": score["new_successful"],
        "pairs": score["pairs"],
        "incomplete_pairs": score["incomplete_pairs"],
    }


def _sentences(source: str, kinds: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    clean = kinds.get(CLEAN)
    for kind, score in kinds.items():
        if score["withheld"]:
            yield f"{source}, {kind}: {score['withheld']}."
    if clean and clean["withheld"]:
        return
    if clean and clean["pairs"]:
        yield (
            f"{source}: symmetric accuracy is {clean['symmetric_accuracy']:.1f} "
            f"% over {clean['pairs']} clean pairs; the permutation baseline is "
            f"{clean['blind_level']:.1f} %"
            f"{_beats_blindness(clean)}."
        )
    else:
        yield f"{source}: no clean pair was answered, so no accuracy drop is available."
    costs = {kind: score for kind, score in kinds.items() if score.get("drop") is not None}
    sure = [(score["drop"], kind) for kind, score in costs.items() if score["drop_certain"] and score["drop"] > 0]
    if sure:
        drop, kind = max(sure)
        low, high = costs[kind]["drop_interval"]
        yield f"Largest significant accuracy drop: {drop:.1f} points under {kind}, 95 % CI [{low:.1f}, {high:.1f}]."
    elif costs:
        yield f"No significant accuracy drop under {', '.join(costs)}."
    if few := [f"{kind} ({score['drop_differ']})" for kind, score in costs.items() if score["drop_p"] is None]:
        yield f"Not testable (discordant clusters, need {TOO_FEW + 1}): {', '.join(few)}."
    for kind, score in kinds.items():
        if score.get("success_interval"):
            low, high = score["success_interval"]
            yield (
                f"{kind} flipped {score['success_rate']:.1f} % of {score['right_before']} correct answers, "
                f"95 % CI [{low:.1f}, {high:.1f}]."
            )
    apart = [kind for kind, score in kinds.items() if kind != CLEAN and score["drop"] is None and not score["withheld"]]
    if clean and clean["pairs"] and apart:
        named = ", ".join(apart)
        yield f"No accuracy drop for {named}: no case was also evaluated clean (--limit cuts tasks differently)."
    if missing := sum(score["incomplete_pairs"] for score in kinds.values()):
        yield f"{missing} responses were left out, since their twins are missing."


def _beats_blindness(score: Mapping[str, Any]) -> str:
    if score["interval"] is None or score["interval"][0] > score["blind_level"]:
        return ""
    return " (difference not significant)"
