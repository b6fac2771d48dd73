"""How categories are worded, and which are confused with one another."""

from pathlib import Path

import pytest

from vhbench.adapters import category_names
from vhbench.adapters.category_names import CategoryNames
from vhbench.schema import VhbenchError

NAMES = CategoryNames(
    {"sofa": "couch"},
    (frozenset({"couch", "chair"}), frozenset({"chair", "bench"}), frozenset({"tv", "computer_mouse"})),
)


def test_categories_are_worded_by_renaming_or_table_or_without_underscores() -> None:
    words = [NAMES.readable(name) for name in ("sofa", "tv", "mouse_(computer_equipment)", "hot_dog")]
    assert words == ["couch", "TV or monitor", "computer mouse", "hot dog"]


def test_rivals_are_those_of_all_groups_by_any_of_their_names() -> None:
    assert NAMES.confused_with({"chair"}) == {"couch", "bench"}
    assert NAMES.confused_with({"bench", "dog"}) == {"chair"}
    assert NAMES.confused_with({"couch", "chair"}) == {"bench"}
    assert NAMES.confused_with({"computer mouse"}) == {"tv", "TV or monitor", "computer_mouse"}
    assert NAMES.mixed_up({"couch", "chair", "dog"}) == {"couch", "chair"}
    assert NAMES.mixed_up({"couch", "bench"}) == set()
    assert (NAMES.is_disputed("TV or monitor"), NAMES.is_disputed("sofa")) == (True, False)


def test_renamings_and_groups_are_read(tmp_path: Path) -> None:
    names = category_names.read_names([" tv = screen ", "dog=hound"])
    assert names.renamed == {"tv": "screen", "dog": "hound"}
    assert len(names.rivals) > 10
    file = tmp_path / "rivals.json"
    file.write_text('[["a", "b"], ["c", "d", "e"]]')
    assert category_names.read_names((), str(file)) == CategoryNames({}, (frozenset("ab"), frozenset("cde")))
    file.write_text('[["a", "b"], ["c"]]')
    with pytest.raises(VhbenchError) as raised:
        category_names.read_names((), str(file))
    assert str(raised.value) == f"{file}: group ['c']: must hold at least two names"


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (["tv"], "--rename: expected NAME=WORDS, such as \"tv=TV or monitor\", got 'tv'"),
        (["tv="], "--rename: expected NAME=WORDS, such as \"tv=TV or monitor\", got 'tv='"),
        (["=x"], "--rename: expected NAME=WORDS, such as \"tv=TV or monitor\", got '=x'"),
        (["a=x", "a=y"], "--rename 'a=y': 'a' occurs twice"),
        (["a=x", "b=x"], "--rename 'b=x': 'x' occurs twice"),
    ],
)
def test_other_renamings_are_refused(pairs: list[str], message: str) -> None:
    with pytest.raises(VhbenchError) as raised:
        category_names.read_names(pairs)
    assert str(raised.value) == message
