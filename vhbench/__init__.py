"""Versioned benchmarks of visual hallucination that plug into lmms-eval.

Three published protocols: ODE (generated images from a concept graph), MIOH (26 types of questions over several
images) and VHExpansion (negated questions and perturbed images). Importing this package is light: torch,
transformers and lmms-eval are only imported by the functions in ``vhbench.adapters`` that need them.
"""

from importlib import import_module
from pathlib import Path

if not Path(__file__).with_name("tasks").is_dir():  # a checkout without symbolic links, see setup.py
    __path__.append(str(Path(__file__).resolve().parent.parent))

__version__: str

__all__ = ["__version__", "register"]


def __getattr__(name: str) -> str:
    """Look the version up when it is asked for: that takes longer than all else that is done here."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        globals()[name] = version(__name__)
    except PackageNotFoundError:  # a source tree that was never installed
        globals()[name] = "0.0.0"
    found: str = globals()[name]
    return found


def register() -> None:
    """Make lmms-eval know vhbench's tasks; doing it a second time changes nothing.

    Whoever imports ``lmms_eval.models`` first, as ``lmms-eval`` and ``simple_evaluate`` do, need not call it. A program
    that makes a ``TaskManager`` of its own must::

        import vhbench
        from lmms_eval.tasks import TaskManager

        vhbench.register()
        TaskManager().load_task_or_group("ode_fictional")
    """
    import_module("vhbench.adapters.lmms_eval").register()
