"""A small part of the simulation of claims: where nothing is nothing is claimed, and what is planted is named."""

import false_claims


def test_where_nothing_is_little_is_claimed() -> None:
    asked = false_claims.vhexpansion(20)
    # 6 % of 20 samples is 1.2: five or more come by chance once in 200.
    assert false_claims.rate(asked, false_claims.vhexpansion_claims, ("blur", 0.0), 20) < 5 / 20
    assert false_claims.rate(false_claims.mioh(8), false_claims.mioh_claims, ("existence/hn", 0.0), 10) < 4 / 10


def test_planted_failures_are_named() -> None:
    asked = false_claims.mioh(24)
    assert false_claims.rate(asked, false_claims.mioh_claims, ("existence/hn", 1.0), 2, "existence/hn") == 1
    planted, named = ("existence/selective", 1.0), "existence/integration"
    assert false_claims.rate(asked, false_claims.trouble_claims, planted, 2, named) == 1
    pairs = false_claims.vhexpansion(30)
    assert false_claims.rate(pairs, false_claims.vhexpansion_claims, ("blur", 0.8), 2, "blur") == 1
