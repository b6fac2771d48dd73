"""What answers of MIOH leak to views that lack an image or the counts.

``python tests/by_hand/mioh_views.py`` builds ten editions. The restricted oracles
(:mod:`vhbench.audit.restricted_oracles`) see one image alone, or do not count, and guess evenly among what their view
leaves open; the text-only baseline sees no image. Seeds 1001 to 1010 were never used for tuning; ``--source coco:FILE
--images DIR`` uses photos. Every answer is confirmed by ``tests/support/mioh_checker.py``. A view above its bound ends
the run with exit code 1.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
import mioh_checker

from vhbench.audit import restricted_oracles
from vhbench.builds.mioh import MiohBuild
from vhbench.columns import RECORD
from vhbench.schema import Question, Record, Row, Scene
from vhbench.statistics import wording
from vhbench.tasks import text_only_baseline


def restricted(options: argparse.Namespace) -> list[str]:
    """Print the accuracy of each view, and return what exceeds its bound."""
    found: restricted_oracles.Figures = {}
    asked: list[tuple[int, Question]] = []
    for seed in options.seeds:
        questions, scenes = made(seed, options)
        faults = mioh_checker.faults(questions, scenes.values())
        assert not faults, faults[0]
        for question in questions:
            restricted_oracles.add(found, question, [scenes[name] for name in question.scene_ids])
        asked += [(seed, question) for question in questions]
    print(*wording.aligned(restricted_oracles.table(found)), sep="\n")
    print(text_only(asked), flush=True)
    return restricted_oracles.leaks(found)


def text_only(asked: Iterable[tuple[int, Question]]) -> str:
    """Return what the words of all seeds' questions leak to a guesser that was trained on others of them."""
    records = []
    for seed, question in asked:
        row = {name: getattr(question, name) for name in RECORD}
        row |= {name: f"{seed}-{row[name]}" for name in ("id", "pair_id")}
        records.append(Record(**row))
    found = text_only_baseline.of_questions(records)
    return "\n".join(
        f"text-only baseline, {cell}: {100 * one.value:.1f} % of {one.n:,}, chance {100 * one.chance:.1f} %"
        for cell, one in found.items()
    )


def made(seed: int, options: argparse.Namespace) -> tuple[list[Question], dict[str, Scene]]:
    """Return a build's questions and scenes."""
    build = MiohBuild(seed=seed, source=(options.source,), images=options.images, cells="3", size=192)
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    questions = [item.question for item in items if isinstance(item, Row)]
    return questions, {item.id: item for item in items if isinstance(item, Scene)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1001, 1011)))
    parser.add_argument("--source", default="scenes:516")
    parser.add_argument("--images", default="")
    options = parser.parse_args()
    warnings = restricted(options)
    print("\n".join(warnings) or "no view exceeds its bound")
    return int(bool(warnings))


if __name__ == "__main__":
    sys.exit(main())
