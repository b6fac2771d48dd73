"""A small part of the simulation of claims: where nothing is nothing is claimed, and what is planted is named."""

from benchmarks import bench_claims


def test_where_nothing_is_little_is_claimed() -> None:
    asked = bench_claims.vhexpansion(20)
    # 6 % of 20 samples is 1.2: five or more come by chance once in 200.
    assert bench_claims.rate(asked, bench_claims.vhexpansion_claims, ("blur", 0.0), 20) < 5 / 20
    assert bench_claims.rate(bench_claims.mioh(8), bench_claims.mioh_claims, ("existence/hn", 0.0), 10) < 4 / 10


def test_planted_failures_are_named() -> None:
    asked = bench_claims.mioh(24)
    assert bench_claims.rate(asked, bench_claims.mioh_claims, ("existence/hn", 1.0), 2, "existence/hn") == 1
    planted, named = ("existence/selective", 1.0), "existence/integration"
    assert bench_claims.rate(asked, bench_claims.trouble_claims, planted, 2, named) == 1
    pairs = bench_claims.vhexpansion(30)
    assert bench_claims.rate(pairs, bench_claims.vhexpansion_claims, ("blur", 0.8), 2, "blur") == 1
