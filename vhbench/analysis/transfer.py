"""Transfer of attacks: predictions of another model flipped by images attacked with one model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from vhbench import splits
from vhbench.adapters.attack_config import METHODS
from vhbench.files import read_image
from vhbench.generators.vhexpansion.attack_success import success, turned
from vhbench.generators.vhexpansion.expansion import clean_pair, digest_of
from vhbench.language import parsing
from vhbench.schema import Question, VhbenchError

Ask = Callable[[bytes, str], str]  # encoded image, question → answer


def transfer(split: Path, ask: Ask) -> dict[str, dict[str, Any]]:
    """Ask any model the original questions of an attacked VHExpansion split, on the clean and on the attacked images.

    Returns:
        method → ``right_before``, ``turned_wrong``, ``success_rate`` in percent with ``success_interval``,
        ``unread_after`` with ``success_bounds``, and ``outcomes``: case → what became of its answer; a case that the
        model does not answer on the clean image is in none.

    Raises:
        VhbenchError: if the split has no attacked images, or lacks the clean form of a case.
    """
    originals = [row.question for row in splits.read_rows(split) if not row.question.negated]
    clean = {question.pair_id: question for question in originals if not question.perturbation}
    attacked = [question for question in originals if question.perturbation in METHODS]
    if not attacked:
        raise VhbenchError(f"{split}: holds no attacked images; build it with --attack {', '.join(METHODS)}")
    before: dict[str, bool | None] = {}
    by_method: dict[str, dict[str, tuple[bool, bool | None]]] = {}
    for question in attacked:
        case = clean_pair(question.pair_id)
        if case not in clean:
            raise VhbenchError(f"{split}: {question.id} is attacked, but {case} itself is not in the split")
        if case not in before:
            before[case] = _right(clean[case], ask)
        cases, first, after = by_method.setdefault(question.perturbation, {}), before[case], _right(question, ask)
        if first is not None:
            cases[case] = (first, after)
    images = {case: digest_of(read_image(clean[case].images[0])) for case in before}
    return {
        method: success([*cases.values()], [images[case] for case in cases])
        | {"outcomes": {case: turned(*answers) for case, answers in cases.items()}}
        for method, cases in sorted(by_method.items())
    }


def _right(question: Question, ask: Ask) -> bool | None:
    """Return whether a model answers correctly, None for a response that is neither yes nor no."""
    try:
        response = ask(read_image(question.images[0]), question.question)
    except ValueError as error:
        raise VhbenchError(f"question {question.id}: {error}") from error
    said = parsing.parse("yes_no", response, question=question.question)
    return said == question.answer if said else None
