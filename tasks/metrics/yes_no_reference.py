"""Arithmetic of POPE, AMBER, ODE and lmms-eval (``compat=True``), with their errors, by parser."""

from vhbench.records import ReferenceZeroDivision
from vhbench.tasks.metrics.confusion import Confusion


def scale_of(parser: object) -> int:
    """Return the unit of a parser's rates: 100 for percent, as in AMBER and ODE, else 1."""
    return 100 if parser in ("amber", "ode") else 1


def rates(counts: Confusion, parser: object, positive: str) -> dict[str, float]:
    """Compute accuracy, precision, recall and F1 like the parser's benchmark, or like POPE, which may divide by 0."""
    if scale_of(parser) == 100:
        return percentages(counts, 0.001 if parser == "ode" else 0.0001)
    if parser == "lmms_eval":
        return _lmms_eval(counts, positive)
    try:
        precision, recall = counts.TP / counts.n_predicted, counts.TP / counts.positives
        f1 = 2 * precision * recall / (precision + recall)
        return {"accuracy": counts.right / counts.total, "precision": precision, "recall": recall, "f1": f1}
    except ZeroDivisionError:
        raise ReferenceZeroDivision(
            f"precision, recall or F1 is undefined ({counts}): the reference implementation divides by zero"
        ) from None


def percentages(counts: Confusion, epsilon: float, *, start: float = 0.001) -> dict[str, float]:
    """Compute percentages like AMBER and ODE: denominators start at ``start``, and F1 uses rounded values.

    >>> percentages(Confusion(1, 0, 0, 0, 0, 0), 0.0001)
    {'accuracy': 99.9, 'precision': 99.9, 'recall': 99.9, 'f1': 99.9}
    """
    accuracy = round(counts.right / (counts.total + start) * 100, 1)
    precision = round(counts.TP / (counts.n_predicted + start) * 100, 1)
    recall = round(counts.TP / (counts.positives + start) * 100, 1)
    f1 = 2 * (precision / 100) * (recall / 100) / (precision / 100 + recall / 100 + epsilon) * 100
    return {"accuracy": accuracy, "precision": precision, "recall": recall, "f1": round(f1, 1)}


def _lmms_eval(counts: Confusion, positive: str) -> dict[str, float]:
    """Zero if undefined; unparsed responses to positive questions do not lower recall; yes rate of the labels."""
    precision = counts.TP / counts.n_predicted if counts.n_predicted else 0
    recall = counts.TP / (counts.TP + counts.FN) if counts.TP + counts.FN else 0
    f1 = 2 * (precision * recall) / (precision + recall) if precision + recall > 0 else 0
    scores = {"accuracy": counts.right / counts.total if counts.total else 0, "precision": precision, "recall": recall}
    yes = counts.positives if positive == "yes" else counts.total - counts.positives
    return scores | {"f1": f1} | ({"yes_rate": yes / counts.total} if counts.total else {})
