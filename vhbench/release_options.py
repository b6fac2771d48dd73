"""Options of ``vhbench push``, apart from what carries them out, so that the command line starts quickly."""

from dataclasses import dataclass
from pathlib import Path

from vhbench.options import option


@dataclass(frozen=True, kw_only=True)
class PushOptions:
    """What ``vhbench push`` takes."""

    directory: Path = option("A split directory, such as out/ode.", metavar="DIR", argument=True)
    repo_id: str = option("Dataset repository on the Hub.", metavar="ORG/NAME")
    version: str = option("Version to release; must equal the split's.", metavar="X.Y.Z")
    private: bool = option("Create the repository as private; an existing public one is refused.", False)
    hidden: bool = option(
        "Release a hidden test set: questions and images in OUT/hidden/BENCHMARK, without answers, with new ids "
        "and in another order. Requires --secret.",
        False,
    )
    secret: Path | None = option("With --hidden: the secret that the split was built with.", None, metavar="FILE")
    key: Path | None = option(
        "With --hidden: file for the answers, read by `vhbench score --key FILE`; keep it. By default, "
        "BENCHMARK-VERSION.key.jsonl next to DIR.",
        None,
        metavar="FILE",
    )
    reveal: bool = option("Release the answers of a hidden test set, once its evaluation is over.", False)
    yes: bool = option(
        "Delete or replace files of the previous version, other files or an existing key without confirmation.",
        False,
        names=("--yes", "-y"),
    )
    dry_run: bool = option("Verify and print what would be uploaded; write nothing.", False)
    comparable_anyway: bool = option(
        "Release even if scores are not comparable with the previous version and MAJOR is unchanged.", False
    )
    notes: str = option("Changes, in Markdown, for the changelog.", "")
