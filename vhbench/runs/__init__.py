"""The one way to load answers: a logged run of lmms-eval, or a file of responses in any form; no model is needed.

:mod:`~vhbench.runs.read` reads them, :mod:`~vhbench.runs.run_files` finds the samples of one run and tells it from
others, :mod:`~vhbench.runs.checks` says what is missing in it and what was changed by hand.
"""

from vhbench.runs.checks import check_same_split
from vhbench.runs.read import Responses, Run, origin_notes, read_run
from vhbench.runs.run_files import date_of, is_run, runs_below, sample_files, task_of

__all__ = [
    "Responses",
    "Run",
    "check_same_split",
    "date_of",
    "is_run",
    "origin_notes",
    "read_run",
    "runs_below",
    "sample_files",
    "task_of",
]
