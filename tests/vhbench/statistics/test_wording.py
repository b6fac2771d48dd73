"""Estimates as text."""

import pytest

from vhbench.statistics.wording import aligned, confidence, interval, mix, number, p_value, signed, verdict


@pytest.mark.parametrize(
    ("value", "plain", "with_sign"),
    [(1.25, "1.2", "+1.2"), (-0.04, "0.0", "0.0"), (0.04, "0.0", "0.0"), (-3.0, "−3.0", "−3.0"), (0, "0.0", "0.0")],
)
def test_numbers(value: float, plain: str, with_sign: str) -> None:
    assert (number(value), signed(value)) == (plain, with_sign)
    assert number(2.345, 2) in ("2.35", "2.34")


@pytest.mark.parametrize(("p", "text"), [(None, ""), (0.0009, "< 0.001"), (0.001, "0.001"), (0.05, "0.050")])
def test_p_values(p: float | None, text: str) -> None:
    assert p_value(p) == text


def test_intervals() -> None:
    assert interval((-0.22, 0.282), scale=100) == "[−22.0, 28.2]"
    assert interval(None) == "n/a"
    assert confidence((1, 2)) == "95 % CI [1.0, 2.0]"
    assert confidence(None) == "no CI (one cluster)"
    assert mix({"natural": 0.916, "wrapped": 0.084}) == "natural 91.6 %, wrapped 8.4 %"


@pytest.mark.parametrize(
    ("claim", "text"),
    [
        ({"p": 0.02, "significant": True}, "significant (p = 0.020)"),
        ({"p": 0.0001, "significant": True}, "significant (p < 0.001)"),
        ({"p": 0.5, "significant": False}, "not significant (p = 0.500)"),
        ({"p": None, "discordant_clusters": 1}, "n/a (1 discordant cluster, need 6)"),
    ],
)
def test_verdicts(claim: dict[str, object], text: str) -> None:
    assert verdict(claim) == text
    assert verdict({f"drop_{key}": value for key, value in claim.items()}, "drop_") == text


def test_a_table_leaves_a_repeated_first_cell_blank() -> None:
    rows = [["task", "n"], ["ode", "1"], ["ode", "20"], ["mioh", "3"]]
    assert list(aligned(rows)) == ["  task  n", "  ode   1", "        20", "  mioh  3"]
