"""VHExpansion: symmetric accuracy against its permutation baseline, and the drop under each perturbation.

Needs a run with clean and perturbed questions (--tasks vhexpansion_ode_all). The drop is computed over cases with both
a clean and a perturbed pair, with an interval over images and a joint test of all drops (Liu et al. 2024, §5).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from vhbench.adapters.attack_config import METHODS
from vhbench.analysis import vhexpansion_figure, vhexpansion_forms
from vhbench.analysis.run import lost, own_records, percent
from vhbench.generators.vhexpansion.attack_success import success
from vhbench.generators.vhexpansion.perturbations import split_name
from vhbench.records import case_of
from vhbench.schema import Record
from vhbench.statistics import paired, wording
from vhbench.statistics.clusters import clusters_of
from vhbench.tasks.metrics import symmetric_accuracy

draw = vhexpansion_figure.draw
CLEAN: Final = "clean"  # name of the pairs with unperturbed images


def analyse(records: Sequence[Record]) -> dict[str, Any]:
    """Return the analysis of VHExpansion's records as JSON.

    Returns:
        ``questions``; ``sources``: source → "clean" or perturbation → scores in percent, for perturbations with the
        ``drop`` against the clean pairs of the same cases and its interval, for attacks with ``success_rate``;
        ``forms``: source → wording of the twin → scores, see :func:`vhbench.analysis.vhexpansion_forms.by_form`;
        ``severities``: see :func:`severity_curves`; ``unparsed``, ``failed``, ``refused``: shares of the responses;
        ``summary``. ``withheld`` is the reason if too many requests failed; the rest is then empty.

    Raises:
        VhbenchError: if no record is from VHExpansion.
    """
    sources: dict[str, list[Record]] = defaultdict(list)
    own = own_records(records, __name__)
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        return counts | {"sources": {}, "forms": {}, "severities": {}, "summary": counts["withheld"]}
    for record in own:
        sources[record.source].append(record)
    by_source = {source: _source(sources[source]) for source in sorted(sources)}
    for (source, kind), change in paired.joint_test(_pairs(sources)).items():
        part = by_source[source][kind]
        part |= {"shared_cases": change["n"], "drop": None, "drop_interval": None}
        withheld = part["withheld"] or by_source[source].get(CLEAN, {}).get("withheld")
        if change["n"] and not withheld:
            part |= {"drop": 100 * change["mean"], "drop_interval": percent(change["interval"])}
            part |= {f"drop_{name}": change[name] for name in ("note", "significant", "p", "discordant_clusters")}
    forms = vhexpansion_forms.by_form({source: sources[source] for source in by_source})
    sections = {"sources": by_source, "forms": forms, "severities": severity_curves(by_source)}
    return counts | sections | {"summary": summary(by_source, forms)}


def severity_curves(sources: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return source → perturbation → severity → symmetric accuracy in percent, for perturbations built with severities.

    >>> severity_curves({"pope": {"clean": {}, "brightness_3": {"symmetric_accuracy": 40.0}}})
    {'pope': {'brightness': {'3': 40.0}}}
    """
    curves: dict[str, dict[str, dict[str, Any]]] = {}
    for source, kinds in sources.items():
        for kind in sorted(kinds):
            name, severity = split_name(kind)
            if severity is not None:
                curve = curves.setdefault(source, {}).setdefault(name, {})
                curve[str(severity)] = kinds[kind]["symmetric_accuracy"]
    return curves


def pairs_right(records: Sequence[Record]) -> dict[str, bool]:
    """Return case → whether question and negated twin were both answered correctly, for complete pairs.

    >>> pairs_right([Record("a", pair_id="c/jpeg", perturbation="jpeg", answer="yes", prediction="yes"),
    ...              Record("b", pair_id="c/jpeg", perturbation="jpeg", answer="no", prediction="yes", negated=True)])
    {'c': False}
    """
    pairs = {case_of(pair[0]): pair for pair in symmetric_accuracy.complete_pairs(records)}
    return {case: all(half.prediction == half.answer for half in pairs[case]) for case in sorted(pairs)}


def report(analysis: Mapping[str, Any]) -> Iterator[str]:
    """Yield the printed lines: a table per source, summary."""
    for source, kinds in analysis["sources"].items():
        yield f"Source {source}, symmetric accuracy in % with 95 % CI"
        rows = [_row(kind, kinds[kind]) for kind in sorted(kinds, key=lambda kind: (kind != CLEAN, kind))]
        yield from wording.aligned([_HEADER, *rows])
        yield ""
        yield from vhexpansion_forms.report(source, analysis["forms"].get(source, {}))
        if curves := analysis["severities"].get(source):
            yield f"Source {source}, symmetric accuracy in % by ImageNet-C severity"
            lines = [
                (name, *("" if (value := curve.get(level)) is None else wording.number(value) for level in "12345"))
                for name, curve in curves.items()
            ]
            yield from wording.aligned([("perturbation", *"12345"), *lines])
            yield ""
    yield f"Summary: {analysis['summary']}"
    yield (
        "Change: paired over cases with both pairs; sign-flip max-t over all sources and perturbations, family-wise "
        "α = 0.05. Permutation baseline: the model's own answer pairs, permuted across cases."
    )
    if any(len(forms) > 1 for forms in analysis["forms"].values()):
        yield "Lost by negation: correct questions with an incorrect twin; Holm over sources and wordings."


def summary(sources: Mapping[str, Mapping[str, Mapping[str, Any]]], forms: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the findings as one paragraph."""
    texts = (
        sentence
        for source, kinds in sources.items()
        for sentence in (*_sentences(source, kinds), *vhexpansion_forms.sentences(forms.get(source, {})))
    )
    return " ".join(texts)


_HEADER: Final = ("images", "sym. accuracy", "permutation baseline", "change (points)", "n pairs", "verdict")


def _row(kind: str, score: Mapping[str, Any]) -> Sequence[str]:
    if score["withheld"] or score["symmetric_accuracy"] is None:
        return kind, "n/a", "n/a", "", str(score["pairs"]), "withheld" if score["withheld"] else "no complete pair"
    change = verdict = ""
    if kind == CLEAN:
        verdict = _against_baseline(score)
    elif score["drop"] is not None:
        ends = wording.interval(score["drop_interval"] and score["drop_interval"][::-1], -1)
        change, verdict = f"{wording.signed(-score['drop'])} {ends}", wording.verdict(score, "drop_")
    value = f"{wording.number(score['symmetric_accuracy'])} {wording.interval(score['interval'])}"
    return kind, value, wording.number(score["permutation_baseline"]), change, str(score["pairs"]), verdict


def _against_baseline(score: Mapping[str, Any]) -> str:
    """Return whether the interval of symmetric accuracy is above the permutation baseline."""
    if score["interval"] is None:
        return "n/a (one cluster)"
    return f"{'' if score['interval'][0] > score['permutation_baseline'] else 'not '}above baseline"


def _sentences(source: str, kinds: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    clean = kinds.get(CLEAN)
    for kind, score in kinds.items():
        if score["withheld"]:
            yield f"VHExpansion {source}, {kind}: {score['withheld']}."
    if clean and clean["withheld"]:
        return
    if clean and clean["pairs"]:
        yield f"VHExpansion {source}: {_clean_sentence(clean)}"
    else:
        yield f"VHExpansion {source}: no clean pair was answered, so no accuracy drop is available."
    drops = {kind: score for kind, score in kinds.items() if score.get("drop") is not None}
    significant = sorted(
        (-score["drop"], kind) for kind, score in drops.items() if score["drop_significant"] and score["drop"]
    )
    for minus, kind in significant:
        verb, size = "rises" if minus > 0 else "drops", wording.number(abs(minus))
        ends, n = wording.confidence(drops[kind]["drop_interval"]), drops[kind]["shared_cases"]
        yield f"Symmetric accuracy {verb} {size} points under {kind}, {ends}, n = {n}."
    if drops and not significant:
        yield "No significant change under any perturbation."
    for kind, score in kinds.items():
        if score.get("success_interval"):
            yield (
                f"{kind}: attack success rate {score['success_rate']:.1f} % of {score['right_before']} initially "
                f"correct responses, {wording.confidence(score['success_interval'])}."
            )
        if unread := score.get("unread_after"):
            low, high = score["success_bounds"]
            yield (
                f"{kind}: {unread} more responses are neither yes nor no after the attack; counting them, the rate is "
                f"{low:.1f} to {high:.1f} %."
            )
    apart = [kind for kind, score in kinds.items() if kind != CLEAN and score["drop"] is None and not score["withheld"]]
    if clean and clean["pairs"] and apart:
        named = ", ".join(apart)
        yield f"No accuracy drop for {named}: no case was also evaluated clean (--limit samples tasks separately)."
    if missing := sum(score["incomplete_pairs"] for score in kinds.values()):
        yield f"Responses without their twin, left out: {missing}."


def _clean_sentence(clean: Mapping[str, Any]) -> str:
    pairs = f"n = {clean['pairs']}" + (f" (negated twins: {wording.mix(clean['mix'])})" if clean["mix"] else "")
    value, ends = wording.number(clean["symmetric_accuracy"]), wording.confidence(clean["interval"])
    level = wording.number(clean["permutation_baseline"])
    if _against_baseline(clean) == "not above baseline":
        return (
            f"clean symmetric accuracy is {value} %, {ends}, {pairs}: not significantly above its permutation baseline "
            f"({level} %), so no evidence that the model uses the image."
        )
    return f"clean symmetric accuracy is {value} %, {ends}, {pairs}; permutation baseline {level} %."


def _source(records: Sequence[Record]) -> dict[str, Any]:
    scores = symmetric_accuracy.score(records)["by_perturbation"]
    by_kind = {kind or CLEAN: _brief(scores[kind]) for kind in sorted(scores)}
    for kind in by_kind.keys() & set(METHODS):
        originals = [record for record in records if not record.negated]
        before = {case_of(record): record for record in originals if not (record.perturbation or record.failure)}
        after = [record for record in originals if record.perturbation == kind and case_of(record) in before]
        answers = [(before[case_of(r)].prediction == r.answer, "" if r.failure else r.prediction) for r in after]
        right = [(first, last == r.answer if last else None) for (first, last), r in zip(answers, after, strict=True)]
        by_kind[kind] |= success(right, clusters_of(after).numbers.tolist())
    return by_kind


def _pairs(sources: Mapping[str, Sequence[Record]]) -> dict[tuple[str, str], paired.PairedOutcomes]:
    """Return source, perturbation → outcomes of the cases with both a clean and a perturbed pair."""
    outcomes: dict[tuple[str, str], paired.PairedOutcomes] = {}
    for source in sorted(sources):
        kinds: dict[str, list[Record]] = defaultdict(list)
        for record in sources[source]:
            kinds[record.perturbation].append(record)
        clean, first = pairs_right(kinds.pop("", [])), {case_of(r): r for r in sources[source] if not r.perturbation}
        for kind in sorted(kinds):
            perturbed, images = pairs_right(kinds[kind]), {case_of(record): record for record in kinds[kind]}
            pairs = outcomes[source, kind] = paired.PairedOutcomes()
            for case in (case for case in perturbed if case in clean):
                pairs.add(clean[case], perturbed[case], first[case], images[case])
    return outcomes


def _brief(score: Mapping[str, Any]) -> dict[str, Any]:
    rates = "symmetric_accuracy permutation_baseline chance accuracy yes_rate unparsed failed refused".split()
    return {
        **{name: None if score[name] is None else 100 * score[name] for name in rates},
        "interval": percent(score["intervals"]["symmetric_accuracy"]),
        "interval_note": score["interval_notes"].get("symmetric_accuracy", ""),
        **{name: score[name] for name in ("withheld", "new_successful", "pairs", "mix", "incomplete_pairs")},
    }
