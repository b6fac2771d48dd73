"""What restricted views of MIOH reach: drawn scenes and photos, seeds that nothing was tuned on.

Perfect eyes that see one image alone, or that do not count, guess evenly among what their view leaves open
(:mod:`vhbench.audit.restricted_oracles`); ``blind`` gives the most frequent right answer of a type. The word attacker
is a logistic regression that is shown the words of each option, its letter, the type and the pressure, and takes the
option that seems right; it is tried on seeds that it was not trained on, which share no image with the others (photos:
on none of the images of the questions that it was trained on). Figures are of all seeds together, in
percent, by question type.
Every answer is confirmed by ``tests/support/mioh_checker.py``, written apart from the generator.
``--coco FILE --images DIR`` adds photos. Needs scikit-learn.
"""

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from vhbench.audit import restricted_oracles
from vhbench.builds.mioh import MiohBuild
from vhbench.schema import TIE, Question, Row, Scene

SUPPORT = Path(__file__).resolve().parent.parent / "tests" / "support"


def main() -> None:
    """Print a table for each source, and fail where a view reaches more than its bound."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, nargs="+", default=list(range(1001, 1011)))
    parser.add_argument("--source", default="scenes:516")
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
    asked: list[tuple[int, Question]] = []
    answers: dict[str, Counter[str]] = defaultdict(Counter)
    for seed in options.seeds:
        questions, scenes = made(source, seed, options)
        faults = mioh_checker.faults(questions, scenes.values())
        for question in questions:
            restricted_oracles.add(found, question, [scenes[name] for name in question.scene_ids])
            answers[question.question_type][question.answer] += 1
        asked += [(seed, question) for question in questions]
        print(f"{source.partition(':')[0]}, seed {seed}: {len(questions)} questions, {len(faults)} not confirmed")
        assert not faults, faults[0]
    print(*restricted_oracles.sentences(found), sep="\n")
    blind = ", ".join(f"{kind} {100 * max(c.values()) / c.total():.0f}" for kind, c in sorted(answers.items()))
    print(f"blind, the most frequent answer of a type: {blind} %", flush=True)
    print(attacked(asked, one_pool=not source.startswith("scenes")), flush=True)
    return restricted_oracles.warnings(found)


def attacked(asked: Sequence[tuple[int, Question]], *, one_pool: bool) -> str:
    """Return a sentence about what words tell: of questions of other seeds, or (one pool) of other images.

    The standard error is over easy questions, each with its pressed twins: their words are the same.
    """
    questions = [question for _, question in asked]
    groups = halves(questions) if one_pool else [seed for seed, _ in asked]  # photos are the same for all seeds
    gains, chances, right = defaultdict[tuple[int, str], float](float), 0.0, 0
    for group in sorted(set(groups) - {-1}):
        train = [q for q, g in zip(questions, groups, strict=True) if g not in (group, -1)]
        test = [q for q, g in zip(questions, groups, strict=True) if g == group]
        for question, hit in zip(test, trained_on(train, test), strict=True):
            chance = 1 / len(options_of(question))
            gains[group, question.pair_id.rpartition(TIE)[2]] += hit - chance
            chances, right = chances + chance, right + hit
    tried = sum(group >= 0 for group in groups)
    error = sum(gain**2 for gain in gains.values()) ** 0.5
    shares = (
        f"{100 * right / tried:.1f} % of {tried:,}, chance {100 * chances / tried:.1f} ± {100 * error / tried:.1f} %"
    )
    return f"trained word attacker: {shares}"


def halves(questions: Sequence[Question]) -> list[int]:
    """Return 0 or 1 for questions whose images are all in one half of the photos, -1 for those of both halves."""
    places = [{sum(image.encode()) % 2 for image in question.scene_ids} for question in questions]
    return [min(place) if len(place) == 1 else -1 for place in places]


def options_of(question: Question) -> dict[str, str]:
    """Return letter → option; of yes/no, the two."""
    return dict(zip("ABCDE", question.choices, strict=False)) if question.choices else {"yes": "yes", "no": "no"}


def trained_on(train: Sequence[Question], test: Sequence[Question]) -> list[bool]:
    """Train on some questions, and tell of each of others whether it is answered right."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import LogisticRegression

    pairs = [(question, letter) for question in train for letter in options_of(question)]
    words = DictVectorizer()
    rows = words.fit_transform([features(*pair) for pair in pairs])
    model = LogisticRegression(max_iter=300, C=0.3)
    model.fit(rows, [question.answer == letter for question, letter in pairs])
    right = []
    for question in test:
        letters = list(options_of(question))
        seems = model.decision_function(words.transform([features(question, letter) for letter in letters]))
        right.append(letters[int(seems.argmax())] == question.answer)
    return right


def features(question: Question, letter: str) -> dict[str, int]:
    """Return what is known of an option without images."""
    kind, option = question.question_type, options_of(question)[letter]
    own, asked = option.lower().split(), question.question.lower().split()
    names = [f"{kind} {letter}", f"{kind} {question.pressure} {letter}", f"{kind} {len(question.scene_ids)} {letter}"]
    names += [f"{kind} word {word}" for word in own] + [f"word {word}" for word in own]
    names += [f"{letter if not question.choices else option} after {word}" for word in asked]
    return dict.fromkeys(names, 1)


def made(source: str, seed: int, options: argparse.Namespace) -> tuple[list[Question], dict[str, Scene]]:
    """Return a build's questions and scenes."""
    build = MiohBuild(source=(source,), images=options.images, cells=options.cells, size=options.size, seed=seed)
    items = [item for shard in range(build.shards) for item in build.make(shard)]
    questions = [item.question for item in items if isinstance(item, Row)]
    return questions, {item.id: item for item in items if isinstance(item, Scene)}


if __name__ == "__main__":
    main()
