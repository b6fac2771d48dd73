"""ODE: what is imagined next to what, and how do the scores change from standard to fictional?"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vhbench import splits
from vhbench.analysis import ode_figure
from vhbench.analysis.lift import Opportunity, compute_lift
from vhbench.analysis.run import lost, own_records
from vhbench.benchmarks import ODE
from vhbench.generators.ode import criteria, questions
from vhbench.language.captions.assertions import claims
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.records import resampling_unit, split_repetition
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import datasets
from vhbench.tasks.metrics import ode_captions, yes_no

draw = ode_figure.draw
CRITERIA: Final = tuple(criteria.CRITERIA)
"""In the order of the curve: from what models have seen most to what they cannot have seen."""


def analyse(
    records: Sequence[Record], vocabulary: Mapping[str, Sequence[str]] | None = None, *, split: Path | None = None
) -> dict[str, Any]:
    """Return the whole analysis as JSON.

    Args:
        records: answered questions; those of other benchmarks are left out.
        vocabulary: concept → the words that name it; None for that of the split that was asked.
        split: that split; None for the one that the tasks would ask now.

    Returns:
        ``curve``: criterion → scores, intervals and numbers of answers; ``matrix``: fact → hallucination → count;
        ``lift``: the same → how much more often than in general, see :mod:`vhbench.analysis.lift`; ``facts`` and
        ``hallucinations``: concept → count; ``communities``: lists of concepts that are imagined together more often
        than in general; ``unparsed``, ``failed``, ``refused``: shares of the answers; ``summary`` in words. Where too
        many requests failed, ``withheld`` says so, and nothing else is told.

    Raises:
        VhbenchError: if no record is ODE's.
    """
    own = own_records(records, __name__)
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        nothing: dict[str, Any] = {
            "curve": {},
            "matrix": {},
            "lift": {},
            "facts": {},
            "hallucinations": {},
            "communities": [],
        }
        return counts | nothing | {"summary": counts["withheld"]}
    vocabulary = vocabulary or asked_vocabulary(own, split)
    matcher = ode_captions.matcher(vocabulary)
    found = curve(own, vocabulary)
    pairs = hallucination_pairs(own, matcher)
    seen = Counter(fact for record in own if record.kind == "caption" for fact in set(record.objects))
    imaginings = Counter(word for record in own for word in hallucinated_concepts(record, matcher))
    beside = compute_lift(opportunities(own, matcher, set(imaginings)))
    excess = {
        (fact, word): found["imagined"] - found["expected"]
        for fact, row in beside.items()
        for word, found in row.items()
    }
    return {
        **counts,
        "curve": found,
        "matrix": _nested(pairs),
        "lift": beside,
        "facts": dict(sorted(seen.items())),
        "hallucinations": dict(sorted(imaginings.items(), key=lambda item: (-item[1], item[0]))),
        "communities": communities({pair: more for pair, more in excess.items() if more > 0}),
        "summary": summary(found, imaginings, beside),
    }


def asked_vocabulary(records: Sequence[Record], split: Path | None) -> Mapping[str, Sequence[str]]:
    """Return the vocabulary that the report of a run scores captions with: that of the split that was asked.

    Raises:
        VhbenchError: if an answer is to no question of this split: another vocabulary gives other scores.
    """
    folder = split or datasets.resolve("ode").path
    asked = splits.read_ids(folder)
    for record in records:
        if split_repetition(record.id)[1] not in asked:
            raise VhbenchError(
                f"answer {record.id!r} is to no question of {folder}, so its captions cannot be scored with the words "
                "of that split; name the one that was asked with --split DIR"
            )
    return datasets.vocabulary_of(folder, splits.read_manifest(folder))


def curve(records: Sequence[Record], vocabulary: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Return each criterion's scores: of captions the four rates, of questions accuracy, precision, recall and F1."""
    found: dict[str, dict[str, Any]] = {}
    for criterion in CRITERIA:
        members = [record for record in records if record.criterion == criterion]
        scores: dict[str, Any] = {}
        if captions := [record for record in members if record.kind == "caption"]:
            rates = ode_captions.score(captions, vocabulary=vocabulary)
            scores["caption"] = _values(rates, ("chair_i", "chair_s", "cover", "cog"), len(captions))
        for task in (level for level in questions.LEVELS if level != "caption"):
            if asked := [record for record in members if record.task == task]:
                rates = yes_no.score_records(asked, positive=ODE.positive)
                names = ("accuracy", "precision", "recall", "f1", "yes_rate")
                scores[task] = _values(rates, names, len(asked))
        if scores:
            found[criterion] = scores
    return found


def hallucination_pairs(records: Sequence[Record], matcher: Vocabulary) -> Counter[tuple[str, str]]:
    """Count how often b is imagined in a picture that shows a."""
    pairs: Counter[tuple[str, str]] = Counter()
    for record in records:
        for word in sorted(hallucinated_concepts(record, matcher)):
            pairs.update((fact, word) for fact in sorted(set(record.objects)))
    return pairs


def opportunities(records: Iterable[Record], matcher: Vocabulary, words: set[str]) -> Iterator[Opportunity]:
    """Yield of each answer which of the words it could have imagined, and which it did."""
    for record in records:
        if chances := possible_hallucinations(record, matcher, words):
            image, shown = resampling_unit(record), frozenset(record.objects)
            yield Opportunity(
                record.task,
                image,
                shown,
                frozenset(chances),
                frozenset(hallucinated_concepts(record, matcher) & chances),
            )


def possible_hallucinations(record: Record, matcher: Vocabulary, words: set[str]) -> set[str]:
    """Return which of the words an answer could have imagined.

    A caption those that are not there and can be judged, an existence question whose answer is "no" the one that is
    asked; a failed request and a refusal none.
    """
    if record.failure:
        return set()
    present = {matcher.node(word) or word for word in record.objects}
    if record.kind == "caption":
        return words - ode_captions.unjudged_of(record, matcher) - present
    if record.task == "existence" and record.answer == "no":
        return {found.node for found in matcher.find(record.question)} & words - present
    return set()


def hallucinated_concepts(record: Record, matcher: Vocabulary) -> set[str]:
    """Return the concepts that an answer says are there, and are not.

    Those that a caption mentions, unless nobody can judge them; that of an existence question which is answered with
    "yes" though the answer is "no". A failed request and a refusal say nothing is there.
    """
    if record.failure:
        return set()
    present = {matcher.node(word) or word for word in record.objects}
    if record.kind == "caption":
        return (
            {found.node for found in claims(record.response, matcher)}
            - ode_captions.unjudged_of(record, matcher)
            - present
        )
    if record.task == "existence" and record.answer == "no" and record.prediction == "yes":
        return {found.node for found in matcher.find(record.question)} - present
    return set()


def communities(pairs: Mapping[tuple[str, str], float]) -> list[list[str]]:
    """Group concepts that are imagined next to one another (Louvain, on the undirected graph of pairs)."""
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    for (fact, word), count in sorted(pairs.items()):
        before = graph.get_edge_data(fact, word, {"weight": 0})["weight"]
        graph.add_edge(fact, word, weight=before + count)
    if not graph:
        return []
    groups = nx.community.louvain_communities(graph, weight="weight", seed=0)
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def summary(
    found: Mapping[str, Mapping[str, Any]],
    imaginings: Mapping[str, int],
    beside: Mapping[str, Mapping[str, Mapping[str, Any]]],
) -> str:
    """Say in a few sentences what the numbers say."""
    sentences = []
    for task, rate, name in (("caption", "chair_s", "CHAIR_s"), ("existence", "f1", "existence F1")):
        ends = [c for c in CRITERIA if found.get(c, {}).get(task, {}).get(rate, {}).get("value") is not None]
        if len(ends) > 1:
            both = [found[c][task][rate] for c in (ends[0], ends[-1])]
            first, last = (told["value"] for told in both)
            sentences.append(f"From {ends[0]} to {ends[-1]}, {name}: {first:.1%} → {last:.1%}{_between(both)}.")
    common = sorted(imaginings.items(), key=lambda item: (-item[1], item[0]))[:3]
    told = ", ".join(f"{word} ({count})" for word, count in common)
    sentences.append(f"Most frequent hallucinations: {told}." if told else "No hallucinations.")
    return " ".join([*sentences, *_beside(beside)])


def _between(scores: Sequence[Mapping[str, Any]]) -> str:
    """Return the intervals of scores in percent."""
    ends = (told["interval"] for told in scores)
    return f" ({' → '.join(f'[{one[0]:.1%}, {one[1]:.1%}]' if one else 'no interval' for one in ends)})"


def _beside(found: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield what is imagined beside what more often than in general, for certain."""
    pairs = [(lift, fact, word) for fact, row in found.items() for word, lift in row.items()]
    certain = {(fact, word): lift for lift, fact, word in pairs if lift["certain"] and lift["interval"]}
    first = sorted(certain.items(), key=lambda item: (-item[1]["interval"][0], item[0]))[:3]
    said = "; ".join(
        f"{word} given {fact}, {lift['lift']:.1f} times its base rate "
        f"[{lift['interval'][0]:.1f}, {lift['interval'][1]:.1f}]"
        for (fact, word), lift in first
    )
    if said:
        yield f"Significant co-occurrence: {said} ({len(certain)} of {len(pairs)} pairs)."
    elif pairs:
        yield f"Co-occurrence: none of {len(pairs)} object pairs is significant."


def _nested(pairs: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (fact, word), count in sorted(pairs.items()):
        table.setdefault(fact, {})[word] = count
    return table


def _values(rates: Mapping[str, Any], names: Iterable[str], answers: int) -> dict[str, dict[str, Any]]:
    ends, notes = {name: rates["intervals"].get(name) for name in names}, rates["interval_notes"]
    return {
        name: {"value": rates[name], "interval": list(interval) if interval else None, "n": answers}
        | ({"note": notes[name]} if name in notes else {})
        for name, interval in ends.items()
    }
