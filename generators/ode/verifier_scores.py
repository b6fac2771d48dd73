"""Scores of a verifier on annotated photos, to which its thresholds are calibrated."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from vhbench.files import read_image
from vhbench.generators.ode import attribute_contraries, attribute_words, environments, place_checks
from vhbench.generators.ode.attribute_checks import AttributeLook, parts_of
from vhbench.protocols import Verifier
from vhbench.schema import Scene, VhbenchError
from vhbench.seeding import rng


def scores(
    scenes: Sequence[Scene], verifier: Verifier, places: Path | None = None
) -> dict[str, list[tuple[float, bool]]]:
    """Return per attribute kind the verifier's scores of correct and incorrect claims, and those of places.

    Scenes are photos with annotated attributes; ``places`` has a subfolder of photos for each place, named after it
    ("kitchen"). Raises if none is named after a place that excludes others.
    """
    by_kind = {place_checks.KIND: _of_places(places, verifier, len(scenes))} if places else {}
    for scene in scenes:
        image = read_image(scene.image)
        for look, right in _claims(scene):
            [weighed] = verifier.probabilities(parts_of(image, look), [look.texts(scene.environment)])
            by_kind.setdefault(look.kind, []).append((weighed[0], right))
    return by_kind


def _of_places(folder: Path, verifier: Verifier, number: int) -> list[tuple[float, bool]]:
    """Return the verifier's scores of photos' own places, and of one that each excludes."""
    pairs = []
    words = environments.DEFAULT
    for place in sorted(words.settings):
        rivals = place_checks.others(place, words)
        files = sorted(path for path in (folder / place).glob("*") if path.is_file()) if rivals else []
        for i in rng(0, "calibrate", place).permutation(len(files))[:number].tolist():
            image = files[i].read_bytes()
            wrong = rivals[int(rng(0, "calibrate", place, files[i].name).integers(len(rivals)))]
            for claim, right in ((place, True), (wrong, False)):
                texts = place_checks.texts_of(claim, place_checks.others(claim, words), words)
                pairs.append((verifier.probabilities([image], [texts])[0][0], right))
    if not pairs:
        raise VhbenchError(
            f"--places {folder}: expected subfolders of photos named after places ({', '.join(words.settings)})"
        )
    return pairs


def _claims(scene: Scene) -> Iterator[tuple[AttributeLook, bool]]:
    """Yield a correct and an incorrect claim per attribute with a known exclusion."""
    for thing in scene.objects:
        held = {value for _, value in thing.attributes}
        for _, value in thing.attributes:
            wrong = [other for other in attribute_contraries.of(value) if other not in held]
            if wrong:
                other = wrong[int(rng(0, "calibrate", scene.id, thing.id, value).integers(len(wrong)))]
                for claim, right in ((value, True), (other, False)):
                    yield AttributeLook(thing.category, attribute_words.kind_of(claim), claim, (thing,)), right
