"""Random specs that complete a partial specification."""

from collections.abc import Collection, Sequence

import numpy as np

from vhbench.generators.scenes import catalog
from vhbench.generators.scenes.catalog import Entry
from vhbench.generators.scenes.layout import plan
from vhbench.generators.scenes.layout.plan import Locale
from vhbench.generators.scenes.truth.known_words import clash
from vhbench.schema import ObjectSpec, SceneSpec, VhbenchError
from vhbench.seeding import Key, rng

_LOCALES = 6  # number of environments tried to fit enough categories


def random_spec(
    seed: int,
    *key: Key,
    id: str = "",
    must: Sequence[ObjectSpec] = (),
    absent: Sequence[str] = (),
    words: Sequence[str] | None = None,
    k: int | None = None,
    environment: str = "",
    among: Collection[str] = (),
    state: str = "",
    counts: Sequence[int] = (1, 1, 1, 2, 3),
) -> SceneSpec:
    """Complete a spec with random categories, without contradictions.

    Added categories are not rivals (near-synonyms, parts, hypernyms) of each other, of ``must`` or of ``absent``. The
    chosen environment neither renders nor confuses any of these words, so each of them is known in the scene.

    Args:
        seed: random seed of the split.
        key: purpose of the spec; equal keys give equal specs.
        id: spec id; derived from the key by default.
        must: required objects, with attributes, counts and hard positives.
        absent: words that must be known to be absent.
        words: pool of further categories; by default those that usually occur in the environment.
        k: total number of distinct categories, 1 … 8; sampled from 2 to 5 by default.
        environment: environment, or "" for any that fits.
        among: allowed environments; empty for all.
        state: state of the environment, or "" for any.
        counts: values from which the count of each added category is sampled.

    Raises:
        VhbenchError: if no environment fits ``must`` and ``absent``, or the pool is too small.
    """
    random = rng(seed, "spec", *key)
    name = id or "-".join(str(part) for part in key) or "spec"
    base = SceneSpec(name, tuple(must), environment, state, absent=tuple(absent))
    pool = [catalog.find(word) for word in words] if words is not None else None
    total = k if k is not None else max(len(must), int(random.integers(2, 6)))
    for _ in range(_LOCALES):
        locale, added = _complete(base, pool, total, random, among)
        if len(must) + len(added) >= total:
            break
    if k is not None and len(must) + len(added) < k:
        raise VhbenchError(f"scene {name}: {k} categories requested, but only {len(must) + len(added)} fit together")
    room = plan.MOST_THINGS - sum(thing.count for thing in must)
    objects = list(must)
    for position, entry in enumerate(added):
        left = room - (len(added) - position - 1)
        count = min(int(counts[int(random.integers(len(counts)))]), left) if entry.countable else 1
        room -= max(1, count)
        objects.append(ObjectSpec(entry.name, count=max(1, count)))
    return SceneSpec(name, tuple(objects), locale.environment.name, locale.state, absent=tuple(absent))


def _complete(
    base: SceneSpec, pool: Sequence[Entry] | None, total: int, random: np.random.Generator, among: Collection[str]
) -> tuple[Locale, list[Entry]]:
    """Choose a setting and random entries that complete the spec there.

    Entries that would make another word unknown are excluded; those that usually occur there come first.
    """
    entries = [catalog.find(thing.category) for thing in base.objects]
    try:
        locale = plan.choose_locale(base, entries, random, among)
    except plan.Refusal as refusal:
        raise VhbenchError(f"scene {base.id}: no environment fits: {refusal.reason} {refusal.detail}") from refusal
    if pool is None:
        pool = [entry for entry in catalog.CATALOG.values() if plan.at_home(entry, locale)]
    names = {entry.name for entry in entries} | set(map(catalog.readable, base.absent))
    chosen: list[Entry] = []
    shuffled = [pool[int(index)] for index in random.permutation(len(pool))]
    for entry in sorted(shuffled, key=lambda entry: not plan.at_home(entry, locale)):
        if len(entries) + len(chosen) >= total:
            break
        is_excluded = entry.name in names or entry.name in locale.doubtful or clash(entry.name, names)
        if not is_excluded and plan.place_of(entry, locale) == entry.place:
            chosen.append(entry)
            names.add(entry.name)
    return locale, chosen
