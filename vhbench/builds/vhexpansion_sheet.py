"""Contact sheet of an expanded split: original and perturbed images with both questions."""

from pathlib import Path

from vhbench import splits
from vhbench.contact_sheet import comparison_sheet
from vhbench.files import read_image, write_atomic
from vhbench.generators.vhexpansion.expansion import clean_pair
from vhbench.schema import Question, VhbenchError

CASES = 8


def draw_sheet(directory: Path, file: Path, *, cases: int = CASES) -> None:
    """Draw the first cases, of different images, as PNG, one row each; raise VhbenchError if the split has none."""
    pairs, twins, names = _gather(directory, cases)
    rows = [([forms[n] for n in ("", *names) if n in forms], twins[pair]) for pair, forms in pairs.items()]
    sheet = comparison_sheet(rows)
    write_atomic(file, lambda opened: sheet.save(opened, "PNG"))


def _gather(directory: Path, cases: int) -> tuple[dict[str, dict[str, Question]], dict[str, Question], list[str]]:
    """Return clean pair id → perturbation → question, negated twins, and all perturbations."""
    chosen: dict[str, dict[str, Question]] = {}
    twins: dict[str, Question] = {}
    seen: set[bytes] = set()
    names: list[str] = []
    configs = sorted(splits.read_manifest(directory).rows, key=len)  # a clean config's name is the shortest
    for config in configs:
        for question in splits.read_questions(directory, config):
            pair = clean_pair(question.pair_id) if question.perturbation else question.pair_id
            if question.perturbation and pair in chosen and not question.negated:
                chosen[pair][question.perturbation] = question
                names += [question.perturbation] if question.perturbation not in names else []
            elif not question.perturbation and question.negated and pair in chosen:
                twins[pair] = question
            elif not question.perturbation and len(chosen) < cases:
                image = read_image(question.images[0])
                if image not in seen:
                    seen.add(image)
                    chosen[pair] = {"": question}
    whole = {pair: forms for pair, forms in chosen.items() if pair in twins}
    if not whole:
        raise VhbenchError(f"{directory}: no case with its negated twin to draw")
    return whole, twins, names
