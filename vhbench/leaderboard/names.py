"""Names on a board that look like what they are: no invisible characters, no look-alikes, no reserved names.

Look-alikes follow Unicode's TR 39 with the tables of disarm. The words of the rules are in ``names.tsv``: names of
baselines that boards elsewhere have, words around them, and claims and signs of a verification or a rank.
"""

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path

import disarm

from vhbench.leaderboard.boards import one_line
from vhbench.schema import VhbenchError
from vhbench.tsv import records

# Unicode categories of invisible characters, in which two names could differ but look identical
_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"  # characters that notes in some languages need

# marks beyond accents, unseen signs, letters and numbers as pictures; dashes and digits that look like ASCII's
_ODD = re.compile(
    r"[\u0300-\u036f\u0640\u115f\u1160\u20d0-\u20ff\u2776-\u2793\u2800\u3164\uffa0\U0001f130-\U0001f1ff]"
    r"|(?![-0-9])[\u2010-\u2015\d]"
)
_TABLE = dict(records(Path(__file__).with_suffix(".tsv"), lambda kind, words: (kind, words.split(",")), {}))

_LETTERS = str.maketrans("01i", "oll")


def _plain(text: str) -> str:
    """Return a text without accents and case, with one letter for those that look alike."""
    signs = unicodedata.normalize("NFKD", look(text)).casefold()
    return "".join(sign for sign in signs if not unicodedata.combining(sign)).translate(_LETTERS)


def check_text(text: str, subject: str, most: int, allowed: str = _JOINERS) -> None:
    """Check that a line is short enough, and has no invisible characters but the allowed ones."""
    one_line(text, subject, most)
    if any(unicodedata.category(sign) in _UNSEEN and sign not in allowed for sign in text):
        raise VhbenchError(f"expected {subject} without invisible characters; got {text!a}")


def check_name(name: str, subject: str, most: int) -> None:
    """Check that a short name shows all its characters, each in the writing system that it seems to be in."""
    check_text(name, subject, most, "")
    spaced = any(unicodedata.category(sign) == "Zs" for sign in name.replace(" ", ""))
    if spaced or disarm.strip_variation_selectors(name) != name:
        raise VhbenchError(f"expected {subject} without invisible characters; got {name!a}")
    mixed = disarm.is_mixed_script(name) and disarm.is_confusable(name)
    odd = mixed or disarm.has_anomalies(name) or _ODD.search(name) or _looks_ascii(name)
    if odd or not unicodedata.is_normalized("NFKC", name):
        raise VhbenchError(f"expected {subject} without characters that look like others; got {name!a}")
    if _VERDICT.search(_plain(name)) or any(
        part in unicodedata.name(sign, "") for sign in name for part in _TABLE["signs"]
    ):
        raise VhbenchError(f"expected {subject} without a verdict or rank of the board; got {name!a}")


def _looks_ascii(name: str) -> bool:
    """Return whether other Latin letters, or all of three letters and more, look like those of ASCII."""
    letters = [sign for sign in unicodedata.normalize("NFKD", name) if sign.isalpha()]
    alike = [sign for sign in letters if not sign.isascii() and re.fullmatch("[a-z]", look(sign))]
    return len(alike) == len(letters) > 2 or any(unicodedata.name(sign).startswith("LATIN") for sign in alike)


def look(name: str) -> str:
    r"""Return a key that look-alike names share.

    >>> look("Or\u0430cle") == look("Orac1e"), look("One  image") == look("one image"), look("GPT-9") == look("GPT-8")
    (True, True, False)
    """
    return disarm.skeleton_key(name, digit_policy="tr39")


def names_reference(name: str, references: Iterable[str]) -> bool:
    r"""Return whether a name is that of a reference in any spelling, or adds no more than a number or "the … baseline".

    >>> [names_reference(name, ["Oracle"]) for name in ("0r\u00e1-cle!", "The oracle model", "Oracle 2", "Oracle-VL")]
    [True, True, True, False]
    """
    allowed = "|".join(map(_bare, (*references, *_TABLE["references"])))
    key = _bare(re.sub(r"(?:[\W_]*v?[\d.]+|[\W_]+[IV]+)\W*$", "", name))
    return re.fullmatch(rf"(?:{_BEFORE})?(?:vhbench.*|(?:{allowed})(?:{_AFTER})*)", key) is not None


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, _plain(text)))


_BEFORE, _AFTER = ("|".join(map(_bare, _TABLE[kind])) for kind in ("before", "after"))
_CLAIMS = "|".join(r"[\W_]*".join(_plain(words).replace(" ", "")) for words in _TABLE["claims"])
# claims that a board alone makes; "Verified-VL" is a name that begins with one
_VERDICT = re.compile(rf"(?!\A(?:{_CLAIMS})[-_][^\W_])(?<![^\W_])(?:{_CLAIMS})(?![^\W_])")
