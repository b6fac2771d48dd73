"""ODE: scores by criterion, and objects that are hallucinated given co-occurring ones."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from vhbench import splits
from vhbench.analysis import ode_figure
from vhbench.analysis.lift import Opportunity, compute_lift
from vhbench.analysis.run import lost, own_records
from vhbench.benchmarks import ODE
from vhbench.generators.ode import criteria, environments, questions
from vhbench.language.captions.assertions import claims
from vhbench.language.captions.vocabulary import Vocabulary
from vhbench.records import resampling_unit
from vhbench.schema import Record
from vhbench.statistics import intervals, wording
from vhbench.tasks import datasets
from vhbench.tasks.metrics import ode_captions, yes_no

draw = ode_figure.draw
CRITERIA: Final = tuple(criteria.CRITERIA)
"""In the order of the curve: from the most common concept pairs to those that no training set holds."""

_PRINTED: Final = (
    ("caption", "chair_i", "CHAIR_i ↓"),
    ("caption", "chair_s", "CHAIR_s ↓"),
    ("caption", "cover", "Cover ↑"),
    ("existence", "f1", "existence F1 ↑"),
    ("attribute", "f1", "attribute F1 ↑"),
    ("relation", "f1", "relation F1 ↑"),
)
"""Task, score and title of each printed row."""


def analyse(
    records: Sequence[Record], vocabulary: Mapping[str, Sequence[str]] | None = None, *, split: Path | None = None
) -> dict[str, Any]:
    """Return the analysis of ODE's records as JSON.

    Args:
        records: answered questions; those of other benchmarks are ignored.
        vocabulary: concept → words; None for the vocabulary of the evaluated split.
        split: the evaluated split; None for the one that the tasks use now.

    Returns:
        ``curve``: criterion → scores, intervals, numbers of responses; ``cooccurrence``: shown object → hallucination →
        count; ``lift``: the same → lift, see :mod:`vhbench.analysis.lift`; ``facts`` and ``hallucinations``: concept →
        count; ``communities``: lists of concepts hallucinated together more often than expected; ``true_communities``:
        lists of concepts shown together, with their hallucination rate; ``together``: fact → facts that the same images
        show; ``unparsed``, ``failed``, ``refused``: shares of the responses; ``summary``. ``withheld`` is the reason if
        too many requests failed; the rest is then empty.

    Raises:
        VhbenchError: if no record is from ODE.
    """
    own = own_records(records, __name__)
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        tables: dict[str, Any] = {
            key: {} for key in ("curve", "cooccurrence", "lift", "facts", "hallucinations", "together")
        }
        return {**counts, **tables, "communities": [], "true_communities": [], "summary": counts["withheld"]}
    vocabulary = vocabulary or asked_vocabulary(own, split)
    matcher = ode_captions.matcher(vocabulary)
    seen = Counter(fact for record in own if record.kind == "caption" for fact in set(record.objects))
    imaginings = Counter(word for record in own for word in hallucinated_concepts(record, matcher))
    lifts, together = compute_lift(opportunities(own, matcher, set(imaginings))), shown_together(own, matcher)
    pairs = {(fact, word): lift for fact, row in lifts.items() for word, lift in row.items()}
    excess = {pair: lift["hallucinated"] - lift["expected"] for pair, lift in pairs.items()}
    return {
        **counts,
        "curve": curve(own, vocabulary),
        "cooccurrence": {
            fact: {word: lift["hallucinated"] for word, lift in row.items()} for fact, row in lifts.items()
        },
        "lift": lifts,
        "facts": dict(sorted(seen.items())),
        "together": together,
        "hallucinations": dict(sorted(imaginings.items(), key=lambda item: (-item[1], item[0]))),
        "communities": communities({pair: more for pair, more in excess.items() if more > 0}),
        "true_communities": true_communities(own, matcher),
        "summary": summary(imaginings, ode_figure.labelled(lifts, together)),
    }


def asked_vocabulary(records: Sequence[Record], split: Path | None) -> Mapping[str, Sequence[str]]:
    """Return the vocabulary of the evaluated split, with which the report scored its captions.

    Raises if a response belongs to no question of this split: another vocabulary gives other scores.
    """
    folder = split or datasets.resolve(records[0].benchmark).path
    list(datasets.belonging(records, folder, "--split"))
    return datasets.vocabulary_of(folder, splits.read_manifest(folder))


def curve(records: Sequence[Record], vocabulary: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    """Return each criterion's scores: CHAIR, Cover, Cog of captions; accuracy, precision, recall, F1 of questions."""
    by_criterion: dict[str, dict[str, Any]] = {}
    for criterion in CRITERIA:
        members = [record for record in records if record.criterion == criterion]
        scores: dict[str, Any] = {}
        if captions := [record for record in members if record.kind == "caption"]:
            rates = ode_captions.score(captions, vocabulary=vocabulary)
            scores["caption"] = _values(rates, ("chair_i", "chair_s", "cover", "cog"), len(captions))
        for task in (level for level in questions.LEVELS if level != "caption"):
            if of_task := [record for record in members if record.task == task]:
                rates = yes_no.score_records(of_task, positive=ODE.positive)
                names = ("accuracy", "precision", "recall", "f1", "yes_rate")
                scores[task] = _values(rates, names, len(of_task))
        if scores:
            by_criterion[criterion] = scores
    return by_criterion


def opportunities(records: Iterable[Record], matcher: Vocabulary, words: set[str]) -> Iterator[Opportunity]:
    """Yield for each response the words that it could hallucinate, and those that it did."""
    for record in records:
        if chances := _possible(record, matcher, words):
            imagined = frozenset(hallucinated_concepts(record, matcher) & chances)
            objects = frozenset(record.objects)
            yield Opportunity(record.task, resampling_unit(record), objects, frozenset(chances), imagined)


def _possible(record: Record, matcher: Vocabulary, words: set[str]) -> set[str]:
    """Return which words a response could hallucinate: of a caption the absent, judgeable ones; of a question its own.

    Only existence questions with the answer "no" count; failed requests and refusals do not.
    """
    present = {matcher.node(word) or word for word in record.objects}
    if record.kind == "caption" and not record.failure:
        return words - ode_captions.unjudged_of(record, matcher) - present
    if record.task == "existence" and record.answer == "no" and not record.failure:
        return {match.node for match in matcher.find(record.question)} & words - present
    return set()


def hallucinated_concepts(record: Record, matcher: Vocabulary) -> set[str]:
    """Return the absent concepts that a response claims to be present.

    For a caption: its judgeable mentions. For an existence question with the answer "no": its object if the prediction
    is "yes". For failed requests and refusals: none.
    """
    if record.kind == "caption":
        matches = claims(record.response, matcher)
    else:
        matches = matcher.find(record.question) if record.prediction == "yes" else []
    return _possible(record, matcher, {match.node for match in matches})


def shown_together(records: Sequence[Record], matcher: Vocabulary) -> dict[str, list[str]]:
    """Return fact → the facts that exactly the same images show; a place stands for the objects that come with it."""
    texts = [record.question for record in records if record.question_type == "place"]
    places = {*environments.SETTINGS, *(match.node for question in texts for match in matcher.find(question))}
    images: dict[str, set[str]] = {}
    for record in records:
        for fact in record.objects:
            images.setdefault(fact, set()).add(resampling_unit(record))
    groups: dict[frozenset[str], list[str]] = {}
    for fact in sorted(images, key=lambda fact: (fact not in places, fact)):
        groups.setdefault(frozenset(images[fact]), []).append(fact)
    return {facts[0]: facts[1:] for facts in groups.values() if facts[1:]}


def true_communities(records: Sequence[Record], matcher: Vocabulary) -> list[dict[str, Any]]:
    """Group the concepts that images show together, with how often responses to these images hallucinate (Table 3).

    Returns:
        Per group: ``concepts``; ``images`` that show two or more of them, or the only one; ``rate``: share of captions
        of these images that mention an absent concept, with its 95 % ``interval``; ``n`` captions.
    """
    captions = [record for record in records if record.kind == "caption" and not record.failure]
    pairs = Counter(pair for record in captions for pair in combinations(sorted(set(record.objects)), 2))
    groups = []
    for group in communities(pairs):
        of_group = [r for r in captions if len(set(group) & set(r.objects)) >= min(2, len(group))]
        wrong = [float(bool(hallucinated_concepts(record, matcher))) for record in of_group]
        interval = intervals.mean(wrong, clusters=[resampling_unit(record) for record in of_group])
        rate = {
            "rate": sum(wrong) / len(wrong) if wrong else None,
            "interval": list(interval.ends) if interval else None,
        }
        images = {resampling_unit(record) for record in of_group}
        groups.append({"concepts": group, "images": len(images), **rate, "n": len(wrong)})
    return groups


def communities(pairs: Mapping[tuple[str, str], float]) -> list[list[str]]:
    """Group concepts that occur together (Louvain, on the undirected graph of pairs)."""
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    for (fact, word), count in sorted(pairs.items()):
        before = graph.get_edge_data(fact, word, {"weight": 0})["weight"]
        graph.add_edge(fact, word, weight=before + count)
    if not graph:
        return []
    groups = nx.community.louvain_communities(graph, weight="weight", seed=0)
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def report(analysis: Mapping[str, Any]) -> Iterator[str]:
    """Yield the printed lines: scores by criterion, summary."""
    if rows := list(_score_rows(analysis["curve"])):
        yield "Scores by criterion in %, with 95 % CI"
        yield from wording.aligned([("metric", *analysis["curve"], "n"), *rows])
        yield "The criteria use different images, so these differences are unpaired and not tested."
        yield ""
    if analysis["true_communities"]:
        yield "Communities of co-occurring concepts, and CHAIR_s of the images that show them"
        rows = [
            (", ".join(g["concepts"][:6]), _estimate(g | {"value": g["rate"]}), str(g["n"]))
            for g in analysis["true_communities"]
        ]
        yield from wording.aligned([("concepts", "CHAIR_s ↓", "captions"), *rows])
        yield ""
    yield f"Summary: {analysis['summary']}"


def _score_rows(by_criterion: Mapping[str, Mapping[str, Any]]) -> Iterator[Sequence[str]]:
    for task, rate, name in _PRINTED:
        scores = [by_criterion[criterion].get(task, {}).get(rate) for criterion in by_criterion]
        sizes = sorted({score["n"] for score in scores if score})
        if sizes:
            n = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
            yield name, *map(_estimate, scores), f"{n} {'captions' if task == 'caption' else 'questions'}"


def _estimate(score: Mapping[str, Any] | None) -> str:
    if not score or score["value"] is None:
        return "n/a"
    return f"{wording.number(100 * score['value'])} {wording.interval(score['interval'], 100)}"


def summary(hallucinations: Mapping[str, int], lifts: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> str:
    """Return the most frequent hallucinations and the significant co-occurrences as a paragraph."""
    common = sorted(hallucinations.items(), key=lambda item: (-item[1], item[0]))[:3]
    named = ", ".join(f"{word} ({count})" for word, count in common)
    first = f"ODE: most frequent hallucinations: {named}." if named else "ODE: no hallucinations."
    return " ".join([first, *_cooccurring(lifts)])


def _cooccurring(lifts: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Iterator[str]:
    """Yield the three clearest significant pairs, and how many are significant."""
    pairs = [(lift, fact, word) for fact, row in lifts.items() for word, lift in row.items()]
    significant = {(fact, word): lift for lift, fact, word in pairs if lift["significant"] and lift["simultaneous"]}
    for (fact, word), lift in sorted(significant.items(), key=lambda item: (-item[1]["simultaneous"][0], item[0]))[:3]:
        capped = " (capped at the estimate)" if lift["capped"] else ""
        yield (
            f"{word} is hallucinated {lift['lift']:.1f}× as often in images with {fact} as at its base rate, "
            f"simultaneous {wording.confidence(lift['simultaneous'])}{capped}, {lift['images']} images."
        )
    if pairs:
        yield (
            f"Co-occurrence (lift): {len(significant) or 'none'} of {len(pairs):,} object pairs significant (exact "
            "tests, Tarone-corrected, family-wise α = 0.05)."
        )


def _values(rates: Mapping[str, Any], names: Iterable[str], answers: int) -> dict[str, dict[str, Any]]:
    ends, notes = {name: rates["intervals"].get(name) for name in names}, rates["interval_notes"]
    return {
        name: {"value": rates[name], "interval": list(interval) if interval else None, "n": answers}
        | ({"note": notes[name]} if name in notes else {})
        for name, interval in ends.items()
    }
