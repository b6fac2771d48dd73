"""English plurals: the forms that a noun may take, and the singulariser of CHAIR's reference, faults included."""

import re

_IRREGULAR = {
    "calf": "calves",
    "child": "children",
    "foot": "feet",
    "goose": "geese",
    "half": "halves",
    "knife": "knives",
    "leaf": "leaves",
    "life": "lives",
    "loaf": "loaves",
    "louse": "lice",
    "man": "men",
    "mouse": "mice",
    "ox": "oxen",
    "person": "people",
    "scarf": "scarves",
    "shelf": "shelves",
    "thief": "thieves",
    "tooth": "teeth",
    "wharf": "wharves",
    "wolf": "wolves",
}


def plural_forms(noun: str) -> tuple[str, ...]:
    """Return the forms that a noun may take in the plural; where usage varies, each of them.

    >>> plural_forms("bus"), plural_forms("puppy"), plural_forms("fireman")
    (('buses', 'busses'), ('puppies',), ('firemen',))
    >>> plural_forms("bookshelf"), plural_forms("buffalo")
    (('bookshelves', 'bookshelfs'), ('buffalos', 'buffaloes'))
    """
    for singular, plural in _IRREGULAR.items():
        if noun.endswith(singular):
            irregular = noun[: -len(singular)] + plural
            return (irregular, noun + "s") if singular.endswith(("f", "fe", "person")) else (irregular,)
    if noun.endswith("y") and noun[-2:-1] not in ("a", "e", "i", "o", "u"):
        return (noun[:-1] + "ies",)
    if noun.endswith(("s", "z")):
        return (noun + "es", noun + noun[-1] + "es")
    if noun.endswith(("x", "ch", "sh")):
        return (noun + "es",)
    if noun.endswith("o"):
        return (noun + "s", noun + "es")
    return (noun + "s",)


# What pattern 3.6 does to English nouns, in its order: irregular endings, then the first rule that fits.
_ENDINGS = {
    "men": "man",
    "people": "person",
    "children": "child",
    "sexes": "sex",
    "axes": "axe",
    "moves": "move",
    "teeth": "tooth",
    "geese": "goose",
    "feet": "foot",
    "atlases": "atlas",
    "corpuses": "corpus",
    "leaves": "leaf",
    "loaves": "loaf",
    "lynxes": "lynx",
    "monies": "money",
    "octopodes": "octopus",
    "opuses": "opus",
    "oxen": "ox",
    "genera": "genus",
    "helves": "helve",
    "opera": "opus",
    "our": "my",
}
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
