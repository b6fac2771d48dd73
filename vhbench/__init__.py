"""Versioned benchmarks of visual hallucination that plug into lmms-eval.

Three published protocols: ODE (generated images from a concept graph), MIOH (26 types of questions over several images)
and VHExpansion (negated questions and perturbed images). Importing this package is light: torch, transformers and
lmms-eval are only imported by the functions in ``vhbench.adapters`` that need them.
"""

from importlib import import_module
from pathlib import Path

if not Path(__file__).with_name("tasks").is_dir():  # a checkout without symbolic links, see setup.py
    __path__.append(str(Path(__file__).resolve().parent.parent))

__version__: str

__all__ = ["__version__", "register"]


def __getattr__(name: str) -> str:
    """Look up the version lazily, as this is slower than the rest of the import."""
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
    """Register vhbench's tasks with lmms-eval; repeated calls have no effect.

    The call is not needed if ``lmms_eval.models`` is imported first, as ``lmms-eval`` and ``simple_evaluate`` do. If
    you construct a ``TaskManager`` yourself, call it first::

        import vhbench
        from lmms_eval.tasks import TaskManager

        vhbench.register()
        TaskManager().load_task_or_group("ode_fictional")
    """
    import_module("vhbench.adapters.lmms_eval").register()
