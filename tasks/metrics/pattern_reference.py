"""The singulariser of CHAIR's reference: that of pattern 3.6, faults included."""

import re

# What pattern does to English nouns, in its order: irregular endings, then the first rule that fits.
_ENDINGS = dict(
    pair.split(" ")
    for pair in (
        "men man, people person, children child, sexes sex, axes axe, moves move, teeth tooth, geese goose, feet "
        "foot, atlases atlas, corpuses corpus, leaves leaf, loaves loaf, lynxes lynx, monies money, octopodes "
        "octopus, opuses opus, oxen ox, genera genus, helves helve, opera opus, our my"
    ).split(", ")
)
# (what stands before, the ending, what replaces it)
_RULES = [
    (re.compile(f"(?:{stem}){ending}$"), len(ending), replacement)
    for stem, ending, replacement in (
        (".", "ae", "a"),
        ("quiz", "zes", ""),
        ("matr", "ices", "ix"),
        ("ap|vert|ind", "ices", "ex"),
        ("alias|status", "es", ""),
        ("[octpvir|]", "i", "us"),
        ("cris|ax|test", "es", "is"),
        ("shoe", "s", ""),
        ("o|bus", "es", ""),
        ("[ml|]", "ice", "ouse"),
        ("x|ch|ss|sh", "es", ""),
        ("movie|.ombie", "s", ""),
        ("serie", "s", "s"),
        ("[^aeiouy]|qu", "ies", "y"),
        ("[aeo]l|[^d]ea|ar", "ves", "f"),
        ("erve", "s", ""),
        ("[nlw]i", "ves", "fe"),
        ("[lr]", "ves", "f"),
        ("[aeo]ve|[st]ive|hive", "s", ""),
        ("[^f]", "ves", "fe"),
        ("analy|ba|diagno|parenthe|progno|synop|the|.op|.y", "ses", "sis"),
        ("[hdronbp]ose|close", "s", ""),
        (".o", "ses", "sis"),
        ("[ti]", "a", "um"),
        ("new", "s", "s"),
        ("", "s", ""),
    )
]
_UNCHANGED = (
    "breeches britches cannabis chassis clippers contretemps corps debris diabetes gallows happiness headquarters "
    "herpes innings jackanapes mathematics measles mews mumps news pincers pliers proceedings progress rabies scissors "
    "series shears species swiss"
).split()
_LOST = (
    "algerie auntie beanie birdie bogie bombie bookie collie cookie cutie doggie eyrie freebie goonie groupie hankie "
    "hippie hoagie hottie indie junkie laddie laramie lingerie meanie nightie oldie pixie quickie reverie rookie "
    "softie sortie stoolie sweetie techie toughie valkyrie veggie weenie yuppie zombie"
).split()
_LOST_PLURALS = tuple(word + "s" for word in _LOST)


def pattern_singular(word: str) -> str:
    """Return what pattern 3.6 (``pattern.en.singularize``) makes of a lower-case word, right or wrong.

    CHAIR's reference puts every token through it, singulars too.

    >>> [pattern_singular(word) for word in ("dogs", "geese", "knives", "bus", "ties", "canoes", "glass", "collies")]
    ['dog', 'goose', 'knife', 'bu', 'ty', 'cano', 'glas', 'collies']
    """
    # The test is the wrong way round in pattern: an unchanged noun that ends in the word.
    if any(noun.endswith(word) for noun in _UNCHANGED) or word.endswith(_LOST_PLURALS):
        return word
    for plural, singular in _ENDINGS.items():
        if word.endswith(plural):
            return word[: -len(plural)] + singular
    for rule, cut, replacement in _RULES:
        if rule.search(word):
            return word[:-cut] + replacement
    return word
