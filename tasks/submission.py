"""Responses to a hidden test set, written to a file for its maintainers."""

import sys
from collections.abc import Sequence
from typing import Any

from vhbench.schema import Record

_SENT = ("id", "response", "cut_off", "tokens")  # what scores are computed from


def is_label_hidden(record: Record) -> bool:
    """Return whether the reference answer is hidden: neither it nor what is there, or is not, is known.

    >>> is_label_hidden(Record("q", kind="yes_no")), is_label_hidden(Record("q", kind="caption", candidates=("dog",)))
    (True, False)
    """
    return not (record.answer or record.objects or record.candidates)


def write(records: Sequence[Record], task: str, args: Any) -> None:
    """Write a task's responses next to the results of a run, and print how to submit them."""
    from vhbench.adapters.lmms_eval import results_folder, write_beside_results

    name = f"{task}_submission"
    write_beside_results(args, name, [{field: getattr(record, field) for field in _SENT} for record in records])
    folder = results_folder(args)
    where = f"send its maintainers {folder}/*{name}.json" if folder else "run it again with --output_path DIR"
    print(
        f"vhbench: {task}: hidden test set without reference answers; nothing is scored here. To get scores, {where} "
        f"({len(records)} responses; they run `vhbench score FILE --key KEY`)",
        file=sys.stderr,
    )
