"""Options of builds: defaults, bounds and spellings."""

import golden_options


def test_every_option_is_as_it_was() -> None:
    """``tests/golden/renew.py`` renews the golden file where an option is to change."""
    assert golden_options.options("vhbench/builds") == golden_options.golden("vhbench/builds")
