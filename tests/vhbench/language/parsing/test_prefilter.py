"""What is looked for first, because it is quick, leaves no match out: tried on words made of each pattern."""

import re
import string

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from vhbench.language.parsing import cleaning, normalization, refusals, yes_or_no
from vhbench.language.parsing.prefilter import Guarded, any_in

GUARDED = {
    "refusals": refusals._ENGLISH,
    "refusals abroad": refusals._ABROAD,
    "leads": cleaning._LEAD,
    "corrections": yes_or_no._CORRECTS,
    **{name: value for name, value in vars(normalization).items() if isinstance(value, Guarded)},
}


@settings(max_examples=50, suppress_health_check=list(HealthCheck), deadline=None)
@pytest.mark.parametrize("name", GUARDED)
@given(data=st.data())
def test_nothing_that_matches_is_left_out(name: str, data: st.DataObject) -> None:
    guarded = GUARDED[name]
    at = data.draw(st.sampled_from(range(len(guarded.sources))))
    said = data.draw(st.from_regex(guarded.patterns[at]))
    assert guarded.patterns[at] in list(guarded.candidates(said))
    assert guarded.search(said)


PARTS = st.recursive(
    st.sampled_from(["a", "B", "cd", "[ef]", "[^g]", ".", r"\w", r"\b", "", "(?=a)", "(?<!b)", "(?i:cD)", "é", "K"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("(?:{0[0]}|{0[1]})".format),
        st.tuples(inner, st.sampled_from(["?", "*", "+", "*+", "{2}", "{0,2}", "+?"])).map("(?:{0[0]}){0[1]}".format),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, min_size=1, max_size=3), st.booleans(), st.text("aBbcCdDefgké K", max_size=12))
@example(["(?i:K)"], False, "\N{KELVIN SIGN}")
def test_any_pattern_finds_with_a_guard_what_it_finds_without(patterns: list[str], any_case: bool, text: str) -> None:
    sources = [f"(?i){one}" if any_case else one for one in patterns]
    found = [one for one in sources if re.search(one, text)]
    guarded = Guarded(*sources)
    assert set(found) <= {one.pattern for one in guarded.candidates(text)}
    assert bool(guarded.search(text)) == bool(found)


def test_the_rarest_words_are_looked_for() -> None:
    (demanded,) = Guarded(r"\bis (?:unclear|uncertain)\b|not\s+sure").demands
    assert set(demanded[0]) == {"sure", "is unclear", "is uncertain"}
    assert Guarded(r"\w+").demands == ((),), "of such a pattern nothing is known: it is tried on every text"
    assert Guarded(r"\w+").search("dog")


def test_guarded_patterns_do_what_patterns_do() -> None:
    as_as = Guarded(r"as (\w+) as")
    assert as_as.sub(r"\1", "as big as it is, as tall as I") == "big it is, tall I"
    assert [found[1] for found in as_as.finditer("as big as it is, as tall as I")] == ["big", "tall"]
    assert as_as.sub("", "as it is") == "as it is"


def test_one_word_is_enough() -> None:
    assert any_in(["dog", "cat"], "a cat")
    assert not any_in([], string.ascii_letters)
