"""Names on a board that look like what they are: no invisible characters, no look-alikes, no reserved names.

Look-alikes follow Unicode's TR 39 with the tables of disarm.
"""

import re
import unicodedata

import disarm

from vhbench.leaderboard.boards import one_line
from vhbench.schema import VhbenchError

_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zs", "Zl", "Zp"})
"""Unicode categories of invisible characters, in which two names could differ but look identical; " " is allowed."""

_ODD = re.compile(r"[\u0300-\u036f]{2}|[\u034f\u0640\u20d0-\u20ff]|(?![-0-9])[\u2010-\u2015\d]")
"""Marks that are stacked, enclosing or unseen; dashes and digits that look like those of ASCII."""

_VERDICT = re.compile(r"(?i)\b(?:reproduced|verified)\b|[\u2611\u2705\u2713\u2714]")
"""Words and signs by which a board marks what it has checked."""

_LETTERS = str.maketrans("01i", "oll")


def check_name(name: str, subject: str, most: int) -> None:
    """Check that a name shows all its characters, each in the writing system that it seems to be in.

    Raises:
        VhbenchError: if it is too long, or has invisible, stacked or confusable characters.
    """
    one_line(name, subject, most)
    unseen = any(unicodedata.category(sign) in _UNSEEN for sign in name.replace(" ", ""))
    if unseen or disarm.strip_variation_selectors(name) != name:
        raise VhbenchError(f"expected {subject} without invisible characters; got {name!a}")
    mixed = disarm.is_mixed_script(name) and disarm.is_confusable(name)
    if mixed or disarm.has_anomalies(name) or _ODD.search(name) or not unicodedata.is_normalized("NFKC", name):
        raise VhbenchError(f"expected {subject} without characters that look like others; got {name!a}")
    if _VERDICT.search(name):
        raise VhbenchError(f"expected {subject} without a verdict of the board; got {name!a}")


def look(name: str) -> str:
    r"""Return a key that look-alike names share.

    >>> look("Or\u0430cle") == look("Oracle"), look("One  image") == look("one image"), look("GPT-9") == look("GPT-8")
    (True, True, False)
    """
    return disarm.skeleton_key(name)


def bare_look(name: str) -> str:
    r"""Return a key of a reserved name that its spellings with accents, spaces, signs and digits share.

    >>> bare_look("0r\u00e1-cle!") == bare_look("Oracle"), bare_look("Oracle 2") == bare_look("Oracle")
    (True, False)
    """
    plain = unicodedata.normalize("NFKD", look(name)).casefold()
    return "".join(sign for sign in plain if sign.isalnum()).translate(_LETTERS)
