"""ODE: what is imagined next to what, and how do the scores change from standard to fictional?"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vhbench import splits
from vhbench.analysis.run import drawing, lost, own_records
from vhbench.benchmarks import ODE
from vhbench.generators.ode import criteria, questions
from vhbench.schema import Record, VhbenchError
from vhbench.tasks import datasets
from vhbench.tasks.metrics import ode_captions, yes_no
from vhbench.tasks.metrics.assertions import claims
from vhbench.tasks.metrics.records import split_repetition
from vhbench.tasks.metrics.vocabulary import Vocabulary

CRITERIA: Final = tuple(criteria.CRITERIA)
"""In the order of the curve: from what models have seen most to what they cannot have seen."""

SHOWN = 24
"""Most facts and hallucinations in the picture."""


def analyse(
    records: Sequence[Record], vocabulary: Mapping[str, Sequence[str]] | None = None, *, split: Path | None = None
) -> dict[str, Any]:
    """Return the whole analysis as JSON.

    Args:
        records: answered questions; those of other benchmarks are left out.
        vocabulary: concept → the words that name it; None for that of the split that was asked.
        split: that split; None for the one that the tasks would ask now.

    Returns:
        ``curve``: criterion → scores and intervals; ``matrix``: fact → hallucination → count; ``facts`` and
        ``hallucinations``: concept → count; ``communities``: lists of concepts that are imagined together;
        ``unparsed``, ``failed``, ``refused``: shares of the answers; ``summary`` in words. Where too many requests
        failed, ``withheld`` says so, and nothing else is told.

    Raises:
        VhbenchError: if no record is ODE's.
    """
    own = own_records(records, __name__)
    counts = {"questions": len(own), **lost(own)}
    if counts["withheld"]:
        nothing: dict[str, Any] = {"curve": {}, "matrix": {}, "facts": {}, "hallucinations": {}, "communities": []}
        return counts | nothing | {"summary": counts["withheld"]}
    vocabulary = vocabulary or asked_vocabulary(own, split)
    matcher = ode_captions.matcher(vocabulary)
    found = curve(own, vocabulary)
    pairs = hallucination_pairs(own, matcher)
    seen = Counter(fact for record in own if record.kind == "caption" for fact in set(record.objects))
    groups = communities(pairs)
    return {
        **counts,
        "curve": found,
        "matrix": _nested(pairs),
        "facts": dict(sorted(seen.items())),
        "hallucinations": dict(Counter(word for record in own for word in imagined(record, matcher)).most_common()),
        "communities": groups,
        "summary": summary(found, pairs),
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
            scores["caption"] = {name: _value(rates, name) for name in ode_captions.RATES}
        for task in (level for level in questions.LEVELS if level != "caption"):
            if asked := [record for record in members if record.task == task]:
                rates = yes_no.score_records(asked, positive=ODE.positive)
                names = ("accuracy", "precision", "recall", "f1", "yes_ratio")
                scores[task] = {name: _value(rates, name) for name in names}
        if scores:
            found[criterion] = scores
    return found


def hallucination_pairs(records: Sequence[Record], matcher: Vocabulary) -> Counter[tuple[str, str]]:
    """Count how often b is imagined in a picture that shows a."""
    pairs: Counter[tuple[str, str]] = Counter()
    for record in records:
        for word in sorted(imagined(record, matcher)):
            pairs.update((fact, word) for fact in sorted(set(record.objects)))
    return pairs


def imagined(record: Record, matcher: Vocabulary) -> set[str]:
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


def communities(pairs: Mapping[tuple[str, str], int]) -> list[list[str]]:
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


def summary(found: Mapping[str, Mapping[str, Any]], pairs: Mapping[tuple[str, str], int]) -> str:
    """Say in a few sentences what the numbers say."""
    sentences = []
    for task, rate, name in (("caption", "chair_s", "captions that hallucinate"), ("existence", "f1", "existence F1")):
        ends = [c for c in CRITERIA if found.get(c, {}).get(task, {}).get(rate, {}).get("value") is not None]
        if len(ends) > 1:
            first, last = (found[c][task][rate]["value"] for c in (ends[0], ends[-1]))
            sentences.append(f"From {ends[0]} to {ends[-1]}, {name}: {first:.1%} → {last:.1%}.")
    common = sorted(pairs.items(), key=lambda item: (-item[1], item[0]))[:3]
    told = ", ".join(f"{word} next to {fact} ({count})" for (fact, word), count in common)
    sentences.append(f"Most often imagined: {told}." if told else "Nothing was imagined.")
    return " ".join(sentences)


def draw(found: Mapping[str, Any], file: Path) -> None:
    """Write a picture: the curve from standard to fictional, and what is imagined next to what."""
    alt = drawing()
    curves = alt.Data(values=list(_points(found["curve"])))
    across = alt.X("criterion:N", sort=list(CRITERIA), title=None, axis=alt.Axis(labelAngle=0))
    base = alt.Chart(curves).encode(x=across, color=alt.Color("score:N", title=None))
    line = base.mark_line(point=True).encode(y=alt.Y("value:Q", title="share", scale=alt.Scale(domain=[0, 1])))
    whiskers = base.mark_rule(opacity=0.5).encode(y="low:Q", y2="high:Q")
    chart: Any = alt.layer(whiskers, line).properties(width=420, height=300, title="From standard to fictional")
    if cells := _cells(found["matrix"]):
        fullest = sorted(cells, key=lambda cell: -int(cell["count"]))
        order = {name: list(dict.fromkeys(cell[name] for cell in fullest)) for name in ("fact", "word")}
        heat = (
            alt.Chart(alt.Data(values=cells))
            .mark_rect()
            .encode(
                x=alt.X("word:N", sort=order["word"], title="imagined"),
                y=alt.Y("fact:N", sort=order["fact"], title="in the picture"),
                color=alt.Color("count:Q", title="times", scale=alt.Scale(scheme="oranges")),
            )
            .properties(width=420, height=420, title="What is imagined next to what")
        )
        chart = alt.hconcat(chart, heat).resolve_scale(color="independent")
    chart.save(str(file), scale_factor=2)


_CURVES: Final = (("caption", "chair_i"), ("caption", "cover"), ("existence", "f1"), ("attribute", "accuracy"))


def _points(found: Mapping[str, Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    for criterion, tasks in found.items():
        for task, name in _CURVES:
            score = tasks.get(task, {}).get(name, {})
            if score.get("value") is not None:
                low, high = score["interval"] or (score["value"], score["value"])
                label = f"{task}: {name.replace('chair_i', 'CHAIR').replace('f1', 'F1')}"
                yield {"criterion": criterion, "score": label, "value": score["value"], "low": low, "high": high}


def _cells(matrix: Mapping[str, Mapping[str, int]]) -> list[dict[str, Any]]:
    """Return the fullest rows and columns of the matrix."""
    rows = sorted(matrix, key=lambda fact: (-sum(matrix[fact].values()), fact))[:SHOWN]
    columns: Counter[str] = Counter()
    for fact in rows:
        columns.update(matrix[fact])
    kept = {word for word, _ in sorted(columns.items(), key=lambda item: (-item[1], item[0]))[:SHOWN]}
    return [
        {"fact": fact, "word": word, "count": count}
        for fact in rows
        for word, count in matrix[fact].items()
        if word in kept
    ]


def _nested(pairs: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (fact, word), count in sorted(pairs.items()):
        table.setdefault(fact, {})[word] = count
    return table


def _value(rates: Mapping[str, Any], name: str) -> dict[str, Any]:
    interval = rates["intervals"].get(name)
    ends = None if interval is None else list(interval)
    return {"value": rates[name], "interval": ends, "note": rates["interval_notes"].get(name, "")}
