"""Answers to a hidden edition: nobody here knows which are right, so they are written down, to be sent in."""

import sys
from collections.abc import Sequence
from typing import Any

from vhbench.schema import Record


def is_label_hidden(record: Record) -> bool:
    """Tell whether the right answer is kept back: neither it is there, nor what is in the picture.

    >>> is_label_hidden(Record("q", kind="yes_no")), is_label_hidden(Record("q", kind="caption", objects=("dog",)))
    (True, False)
    """
    return not record.answer and not record.objects


def write(records: Sequence[Record], task: str, args: Any) -> None:
    """Write a task's answers beside the results of a run, as rows, and say what to do with them."""
    from vhbench.adapters.lmms_eval import results_folder, write_beside_results

    name = f"{task}_submission"
    write_beside_results(args, name, [{"id": record.id, "response": record.response} for record in records])
    folder = results_folder(args)
    where = f"send its maintainers {folder}/*{name}.json" if folder else "run it again with --output_path DIR"
    print(
        f"vhbench: {task}: a hidden edition, whose maintainers keep the answers; nothing is scored here. To be scored, "
        f"{where} ({len(records)} answers; they run `vhbench score FILE --key KEY`)",
        file=sys.stderr,
    )
