"""What is guessed without the picture and the words, over ten seeds of each benchmark: by order, id, length, position.

``python benchmarks/bench_hints.py`` builds ten small editions of each benchmark and lets an attacker learn, from nine
of them, what goes with which answer, and guess the tenth. The table tells by how many points more guesses are right
than by chance, with a standard error over cases. More than 3.5 of them above chance anywhere: the exit code is 1.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"


def main() -> int:
    """Print the table."""
    sys.path.insert(0, str(SUPPORT))
    import blind_guesses

    held = True
    with TemporaryDirectory() as folder:
        places = [Path(folder, str(seed)) for seed in blind_guesses.SEEDS]
        print("| guessed by | " + " | ".join(blind_guesses.BENCHMARKS) + " |\n|---|---:|---:|---:|")
        editions = {}
        for benchmark in blind_guesses.BENCHMARKS:
            for seed, place in zip(blind_guesses.SEEDS, places, strict=True):
                blind_guesses.build(benchmark, place, seed)
            editions[benchmark] = [blind_guesses.read(place / benchmark) for place in places]
        for feature, value in blind_guesses.FEATURES.items():
            found = [blind_guesses.right_guesses(each, value) for each in editions.values()]
            held &= all(gain <= blind_guesses.SURELY * spread for gain, spread in found)
            print(
                f"| {feature} | " + " | ".join(f"{100 * gain:+.1f} ± {100 * error:.1f}" for gain, error in found) + " |"
            )
        print({benchmark: sum(map(len, each)) for benchmark, each in editions.items()}, "questions")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
