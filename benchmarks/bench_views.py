"""What restricted views of MIOH reach: drawn scenes and photos, seeds that nothing was tuned on.

Perfect eyes that see one image alone, or that do not count, guess evenly among what their view leaves open
(:mod:`vhbench.audit.views`); ``blind`` gives the most frequent right answer of a type. Figures are of all seeds
together, in percent, by question type. Every answer is confirmed by ``tests/support/mioh_checker.py``, written apart
from the generator. ``--coco FILE --images DIR`` adds photos.
"""

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

from vhbench.audit import views
from vhbench.builds.mioh import MiohBuild
from vhbench.schema import Question, Row, Scene

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"


def main() -> None:
    """Print a table for each source, and fail where a view reaches more than its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1001, 1011)))
    parser.add_argument("--source", default="scenes:504")
    parser.add_argument("--cells", default="3")
    parser.add_argument("--size", type=int, default=192)
    parser.add_argument("--coco", default="")
    parser.add_argument("--images", default="")
    options = parser.parse_args()
    warnings = report(options.source, options)
    if options.coco:
        warnings += report(f"coco:{options.coco}", options)
    print("\n".join(warnings) or "no view reaches more than its bound")
    sys.exit(bool(warnings))


def report(source: str, options: argparse.Namespace) -> list[str]:
    """Print what is reached of a source's questions, and return what is too much."""
    sys.path.insert(0, str(SUPPORT))
    import mioh_checker

    found: dict[str, dict[str, tuple[float, int]]] = {}
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for seed in options.seeds:
        questions, scenes = made(source, seed, options)
        faults = mioh_checker.faults(questions, scenes.values())
        for question in questions:
            views.add(found, question, [scenes[name] for name in question.scene_ids])
            answers[question.question_type][question.answer] += 1
        print(f"{source.partition(':')[0]}, seed {seed}: {len(questions)} questions, {len(faults)} not confirmed")
        assert not faults, faults[0]
    print(*views.sentences(found), sep="\n")
    blind = ", ".join(f"{kind} {100 * max(c.values()) / c.total():.0f}" for kind, c in sorted(answers.items()))
    print(f"blind, the most frequent answer of a type: {blind} %", flush=True)
    return views.warnings(found)


def made(source: str, seed: int, options: argparse.Namespace) -> tuple[list[Question], dict[str, Scene]]:
    """Return a build's questions and scenes."""
    build = MiohBuild(source=(source,), images=options.images, cells=options.cells, size=options.size, seed=seed)
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    questions = [item.question for item in items if isinstance(item, Row)]
    return questions, {item.id: item for item in items if isinstance(item, Scene)}


if __name__ == "__main__":
    main()
