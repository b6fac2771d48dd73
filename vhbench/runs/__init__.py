"""Loading responses: a logged run of lmms-eval, or a file of responses in any format.

:mod:`~vhbench.runs.read` reads them, :mod:`~vhbench.runs.run_files` finds the sample files of a run,
:mod:`~vhbench.runs.checks` reports missing and edited samples.
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
