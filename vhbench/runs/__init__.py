"""The answers of a run, read back from what lmms-eval wrote with ``--log_samples``; no model is needed from here on.

:mod:`~vhbench.runs.logged_runs` finds the samples of one run and
tells it from others, :mod:`~vhbench.runs.checks` says what is missing in it and what was changed by hand.
"""

from vhbench.runs.checks import SamplesCheck, foreign
from vhbench.runs.logged_runs import (
    LoggedRun,
    date_of,
    is_run,
    lost_tasks,
    merged,
    no_answers,
    one_run,
    provenance_in,
    read_run,
    read_samples,
    read_tasks,
    runs_below,
    sample_files,
    task_of,
    told_otherwise,
    without_samples,
)

__all__ = [
    "LoggedRun",
    "SamplesCheck",
    "date_of",
    "foreign",
    "is_run",
    "lost_tasks",
    "merged",
    "no_answers",
    "one_run",
    "provenance_in",
    "read_run",
    "read_samples",
    "read_tasks",
    "runs_below",
    "sample_files",
    "task_of",
    "told_otherwise",
    "without_samples",
]
