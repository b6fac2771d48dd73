"""Which stretches of a sentence assert nothing: what is denied, only possible, depicted, likened, or written on a sign.

A cue ("no", "might", "statue of") has a scope that runs to the right, to the end of its phrase or of its clause. What
is named with "the", "his" or "this" is taken to exist ("it might chase the cat") unless the cue denies or frames the
thing itself ("a statue of the king").

*Naming what one sees* is an assertion, however careful: "appears to be a dog", "probably a dog". *Guessing at what one
does not see* is none: "possibly a dog", "might be a dog", "likely belonging to a person", "suggesting that people live
here", "a place for people to sit".
"""

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

_LIST = r"(?:(?:an?|any|other)\s)?[\w'-]+(?:\s[\w-]+)?"
_GOES_ON = rf"\s(?:n?or\b|(?:{_LIST},\s){{0,4}}{_LIST},?\s(?:n?or)\s)"
_DETERMINED = r"(?:an?|the|it|there|two|three|several|some|many|his|her|its|their|one|he|she|they|another|is|are|has)"
_CLAUSE_ENDS = (
    rf",(?!{_GOES_ON})|[;:()]|\s-+\s|[—–]|\b(?:but|while|whereas|although|though|because|since|instead|however)\b"
    rf"|\band\s(?:{_DETERMINED})\b"
)
_PLACES = (
    r"in|on|at|near|beside|next|behind|under|underneath|beneath|inside|around|along|by|from|across|throughout|outside"
    r"|between|among|against|during|through|over|above|below|atop|within"
)
CLAUSE = re.compile(_CLAUSE_ENDS)
PHRASE = re.compile(
    rf"{_CLAUSE_ENDS}|\b(?:{_PLACES}|to|with|is|are|was|were|can|could|has|have|that|which|who|whose|where|as|besides"
    r"|except|than|aside|apart|just|only|visible|present|nearby|anywhere)\b"
)
LIST = re.compile(PHRASE.pattern.replace(rf",(?!{_GOES_ON})", rf",(?!{_GOES_ON}|\s[\w-]+,?\sand\s(?!{_DETERMINED}\b))"))
IMAGE = re.compile(
    rf",|[;:()]|\s-+\s|[—–]|\b(?:but|while|whereas|although)\b|\band\s(?:it|there|the|they|he|she|is|are|has)\b"
    rf"|\b(?:(?:{_PLACES})(?!\s(?:an?\s|the\s|his\s|her\s)?(?:horse|horseback|motorcycle|bike|bicycle)\b)"
    r"|is|are|was|were|can|could|has|stands?|sits?|lies|that|which|hang\w*|covers?|decorates?)\b"
)
TEXT = re.compile(r"[,;]|\band\b|\bon\b|\bin\b|\bis\b")
_REACH = 240
"""Characters that a scope has at most."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A cue and how far it reaches.

    Attributes:
        signs: a sentence with none of these words has no such cue.
        cue: after its match the scope begins.
        end: before its match the scope ends.
        spares: whether what is named with "the" exists all the same.
    """

    signs: frozenset[str]
    cue: re.Pattern[str]
    end: re.Pattern[str]
    spares: bool


def _rule(signs: str, cue: str, end: re.Pattern[str], *, spares: bool) -> Rule:
    return Rule(frozenset(signs.split()), re.compile(cue), end, spares)


_NT = r"(?:not|never|cannot)"
_NOT = (
    "not never cannot isn't aren't wasn't weren't doesn't don't didn't can't couldn't won't wouldn't hasn't haven't "
    "hadn't shouldn't ain't"
)
_SEEN = r"(?:seen|found|observed|spotted|noticed|visible|discerned|made out)"
_FOR = (
    "space spaces room place places spot spots area areas seating shade shelter food access environment "
    "atmosphere experience designed intended meant suitable perfect ideal reserved convenient great safe enough "
    "useful essential necessary needed provided available likely possibly perhaps probably used popular habitat "
    "home comfortable arrangement option options setting destination amenities storage waiting wait waits looking "
    "looks searching searches wishes wishing wish hoping hopes longing asking ready search look opportunity "
    "opportunities inviting resource resources service services entertainment information support protection "
    "comfort convenience safety guidance easy easier time view views difficult important beverage beverages "
    "reference"
).split()
_AS_EXAMPLES = (
    "items objects things elements animals vehicles appliances utensils fruits vegetables foods accessories pieces "
    "belongings furnishings electronics devices details features supplies toys decorations ingredients dishes toppings "
    "toiletries instruments products structures furniture equipment food fruit decor cutlery silverware tableware "
    "luggage amenities materials activities snacks drinks beverages plants creatures pets tools necessities fixtures"
).split()

_DENIED = (
    _rule(
        "no neither nor without lack lacks lacking lacked absence absent devoid void free empty instead "
        "rather opposed place not hardly barely scarcely zero sans missing",
        r"(?:\bno(?! (?:one|doubt|longer|matter|wonder|problem|(?:more|less|fewer|other) than)\b)|\bneither(?! of)|\bnor"
        r"|\bwithout|\black(?:s|ing|ed)?(?: of)?|\babsence of|\babsent of|\bdevoid of|\bvoid of|\bfree (?:of|from)"
        r"|\bempty of|\binstead of|\brather than|\bas opposed to|\bin place of|\bnot (?:a single|any)|\bzero|\bsans"
        r"|\b(?:hardly|barely|scarcely) any|\bmissing (?=an? |any |its |his |her |their ))\b",
        LIST,
        spares=False,
    ),
    _rule(
        _NOT,
        rf"\b{_NT}\s(?:\w+ly\s)?(?:show|contain|include|feature|depict|have|see|display|portray|find|spot"
        r"|present|capture|involve|any)\b|n't\s(?:show|contain|include|feature|depict|have|see|display|portray|find"
        r"|spot|present|capture|involve)\b",
        CLAUSE,
        spares=False,
    ),
    _rule(
        _NOT + " nobody one longer none neither hardly barely scarcely rarely seldom",
        r"(?:\b(?:not|never|cannot|nobody|no one|no longer|none of|neither of|hardly|barely|scarcely|rarely|seldom)"
        r"|n't)\b(?! (?:only|just|merely|simply|far|too far|very far|unlike|to mention|one but|fully|entirely"
        r"|completely|very|clearly|quite|too|so|as|particularly|directly|yet|currently|until)\b)",
        CLAUSE,
        spares=True,
    ),
    _rule("missing absent gone lacking", r"\A\W*(?:missing|absent|gone|lacking)\b", CLAUSE, spares=False),
)
_POSSIBLE = (
    _rule(
        "might may could would if though whether unless imagine imagines imagining imagined hypothetical "
        "hypothetically suppose pretend pretends pretending uncertain unclear unsure hard were had",
        rf"\b(?:(?:might|may|could)(?! (?:also )?be {_SEEN})|would(?! like)|if(?! (?:you|one) (?:looks?|zooms?))|as though|whether|unless"
        r"|imagin(?:e|es|ing|ed)|hypothetical(?:ly)?|suppose|pretend(?:s|ing)?|uncertain|unclear|unsure"
        r"|hard to (?:tell|say)|(?:were|had) there)\b",
        CLAUSE,
        spares=True,
    ),
    _rule(
        "possibly perhaps maybe potentially conceivably suggest suggests suggesting suggested indicate indicates "
        "indicating indicated imply implies implying hint hints hinting",
        r"\b(?:possibly|perhaps|maybe|potentially|conceivably|suggest(?:s|ing|ed)?|indicat(?:es?|ing|ed)"
        r"|impl(?:y|ies|ying)|hint(?:s|ing)?)\b",
        CLAUSE,
        spares=False,
    ),
    _rule(
        "likely probably presumably apparently appears appear seem seems either some",
        r"\b(?:likely|probably|presumably|apparently) (?:(?<!is likely )(?<!are likely )(?<!is probably )(?<!are probably )\w+ing|\w+ed|used|left|held|for|to(?! be)|due|because|part|from"
        r"|where|made|meant|set|kept|put|built|in|on|at)\b"
        r"|\b(?:likely|probably|(?:appear|seem)s? to be|either|some (?:kind|sort|type) of)\b(?=[^,.;]{1,50}\bor\b)",
        CLAUSE,
        spares=True,
    ),
    _rule(
        "likely possibly probably perhaps presumably potentially either might may could can maybe made "
        "created built written painted designed taken left discarded drawn prepared thrown baked",
        r"\b(?:likely|possibly|probably|perhaps|presumably|potentially|either|might|may|could|can|maybe)\b[^,.;]{0,12}?"
        r"\b(?:belong(?:s|ing)?|(?:owned|left|placed|discarded|used|held|ridden|driven|set|put|occupied)(?: \w+)? by"
        r"|intended|meant|related)\b"
        r"|\b(?:made|created|built|written|painted|designed|taken|left|discarded|drawn|prepared|thrown|baked) by\b",
        CLAUSE,
        spares=False,
    ),
)
_PURPOSE = (
    _rule(
        "for awaiting search need dream dreams dreaming want wants wanting home allow allows allowing allowed "
        "enables enabling encourages encouraging reminds reminder reminding informs informing accommodate "
        "accommodates accommodating entices enticing attract attracts attracting invites inviting warn warns "
        "warning guides guiding guide directs directing direct help helps helping waiting ready preparing "
        "about hoping planning going "
        "prepare prepares hope hopes plan plans planning wish wishes wait waits",
        rf"\b(?:{'|'.join(_FOR)})\b(?: [\w-]+)? for\b|\bawaiting\b|\bin (?:search|need) of\b|\bdream(?:s|ing)? of\b"
        r"|\bwant(?:s|ing)?(?= an? )|\bhome to\b|\ballow(?:s|ing|ed)?\b|\benabl(?:es|ing)\b|\bencourag(?:es|ing)\b"
        r"|\bremind(?:s|er|ing)\b|\binform(?:s|ing)\b|\baccommodat(?:es?|ing)\b|\bentic(?:es|ing)\b|\battract(?:s|ing)?\b"
        r"|\b(?:invit|warn|guid|direct|help)(?:e?s|ing)?(?= (?:the )?(?:people|drivers|guests|visitors|passengers"
        r"|travelers|customers|pedestrians|viewers))|\b(?:waiting|waits?|ready|prepar(?:es?|ing)|about|hop(?:es?|ing)|plan(?:s|ning)?|going|wish(?:es)?|wanting"
        r"|wants?) to (?:board|get on|take|enter|buy|order|meet|adopt|own|get|catch(?= an? (?:bus|train|taxi|cab)))\b",
        PHRASE,
        spares=False,
    ),
    _rule("for", r"\bfor (?=(?:[\w'-]+ ){1,6}?to [a-z]+)", PHRASE, spares=False),
    _rule(
        "for used useful needed required intended meant designed supposed enough possible popular shared where so seen "
        "read enjoyed visited frequented led give gives giving welcome welcomes welcoming serve serves serving cater "
        "caters catering bring brings bringing",
        r"\bfor (?!being)[a-z]+ing\b"
        r"|\b(?:used|useful|needed|required|intended|meant|designed|supposed|enough|possible) to\b"
        r"|\b(?:used|useful|needed|popular|intended|shared|seen|read|enjoyed|visited|frequented|led) by\b"
        r"|\b(?:giv(?:es?|ing)|welcom(?:es?|ing)|serv(?:es?|ing)|cater(?:s|ing)? to|bring(?:s|ing)? to)"
        r"(?= (?:the )?(?:people|drivers|guests|visitors|passengers|travelers|customers|pedestrians|children)\b)"
        r"|\bwhere (?=(?:[\w'-]+ ){1,5}(?:can(?! (?:also )?be)|could|may|might|would|often|usually|typically|should)\b)"
        r"|\bwhere (?=(?:\w+ ){0,2}\w+ (?:gather|come|go|relax|enjoy|sit|live|work|meet|play|wait|stay|study|spend|eat"
        r"|dine|shop|walk|swim)\b)|\bso(?: that)? (?=(?:[\w'-]+ ){1,4}(?:can|could|may|might)\b)",
        PHRASE,
        spares=False,
    ),
)
_WITH_IMAGES = (
    r"posters?|murals?|stickers?|graffiti|paintings?|pictures?|drawings?|photos?|photographs?|tattoos?|mosaics?"
)
_DEPICTED = (
    _rule(
        "statue statues statuette statuettes sculpture sculptures figurine figurines figure figures carving "
        "carvings bust busts logo logos decal decals emblem emblems icon icons symbol symbols print prints "
        "replica replicas model models cutout cutouts cut-out cut-outs puppet puppets mask masks ornament "
        "ornaments engraving engravings shadow shadows toy toys magnet magnets caricature caricatures "
        "portrait portraits depiction depictions outline outlines design designs motif motifs emoji emojis "
        "image images illustration illustrations sketch sketches cartoon cartoons poster posters mural murals "
        "sticker stickers graffiti painting paintings picture pictures drawing drawings photo photos "
        "photograph photographs tattoo tattoos mosaic mosaics shape form likeness style guise "
        "printed painted embroidered engraved emblazoned stamped tattooed etched depicting advertisement advertisements "
        "ad ads billboard billboards cover covers magazine magazines screen screens tv tvs television televisions monitor "
        "monitors sign signs shirt shirts t-shirt t-shirts wallpaper label labels banner banners card cards stamp stamps "
        "flag flags",
        r"\b(?:statues?|statuettes?|sculptures?|figurines?|figures?|carvings?|busts?|logos?|decals?|emblems?|icons?"
        r"|symbols?|prints?|replicas?|models?|cut-?outs?|puppets?|masks?|ornaments?|engravings?|shadows?|toys?|magnets?"
        r"|caricatures?|portraits?|depictions?|outlines?|designs?|motifs?|emojis?|images?|illustrations?|sketch(?:es)?"
        rf"|cartoons?|{_WITH_IMAGES})(?: (?!in |on |at |to |front |top |next |out |made |full |instead |because )[\w-]+){{0,2}}? (?:of|depicting|representing|portraying)\b"
        rf"|\b(?:{_WITH_IMAGES}) (?:showing|featuring|with)\b"
        r"|\b(?:printed|painted|embroidered|engraved|emblazoned|stamped|tattooed|etched) with\b"
        r"|(?<!scene )(?<!image )(?<!picture )(?<!photo )(?<!photograph )(?<!illustration )(?<!cartoon )\bdepicting\b"
        r"|\b(?:advertisements?|ads?|billboards?|posters?|covers?|magazines?|screens?|tvs?|televisions?|monitors?|murals?"
        r"|signs?|shirts?|t-shirts?|stickers?|graffiti|wallpaper|labels?|banners?|cards?|stamps?|flags?)"
        r" (?:shows?|showing|features?|featuring|depicts?|displays?|displaying|portrays?)\b"
        r"|\b(?:shape|form|likeness|style|guise|image) of\b",
        IMAGE,
        spares=False,
    ),
    _rule(
        "shaped dressed disguised costumed look looks looking looked resemble resembles resembling resembled "
        "reminiscent similar comparable mimic mimics mimicking imitates imitating named unlike like as than",
        r"\b(?:shaped (?:like|as)|dressed (?:up )?(?:as|like)|disguised as|costumed as|looks? like|looking like"
        r"|looked like|resembl(?:es?|ing|ed)|reminiscent of|similar to|comparable to|mimic(?:s|king)?|imitat(?:es|ing)"
        r"|named|unlike"
        rf"|(?<!would )(?<!such ){''.join(f'(?<!{word} )' for word in _AS_EXAMPLES)}like(?! (?:there|it|they|he|she)\b)"
        r"|as (?!well|many|far|soon|much|long)\w+ as|(?<!more )(?<!less )(?<!fewer )(?<!other )(?<!rather )than)\b",
        PHRASE,
        spares=True,
    ),
    _rule(
        "beware say says saying reads labelled labeled titled entitled spell spells spelled spelling word words "
        "inscribed inscription lettering",
        r"\b(?:beware of|says?|saying|(?:signs?|which|that|board|banner|label|shirt|text|sticker|screen) reads?|labell?ed|titled"
        r"|entitled|spells?|spelled|spelling|the words?|inscribed|inscription|lettering)\b(?! ?[\"'“‘:])",
        TEXT,
        spares=False,
    ),
)
RULES = (*_DENIED, *_POSSIBLE, *_PURPOSE, *_DEPICTED)
_BY_SIGN: Mapping[str, list[int]] = {
    sign: [number for number, rule in enumerate(RULES) if sign in rule.signs]
    for sign in sorted(frozenset[str]().union(*(rule.signs for rule in RULES)))
}
SIGNS = _BY_SIGN.keys()
"""The words of which one is in every cue."""

_SAYS_WHAT_IT_IS = re.compile(
    r"\A\W*(?:(?:in|here(?:'s| is)|(?:this|that|it|(?:this|the|the given|the provided) (?:image|picture|photo|photograph"
    r"|scene|artwork)) (?:is|shows?|appears to be|seems to be|features?|presents?|depicts?|displays?|captures?)) )?"
    r"(?:(?:an?|the|this) )?"
    r"(?:(?!(?:with|of|on|has|have|there|hold\w*|show\w*|wear\w*|next|near|by|at|from|to)\b)[\w,'-]+ ){0,6}\Z"
)
_OF_ITSELF = re.compile(r"(?:picture|photo|photograph|image|illustration|cartoon|drawing|sketch|portrait|depiction)\b")
_ON_SHOW = re.compile(
    r"\b(?:hang\w*|hung|in an? (?:[\w-]+ )?frame|framed|taped|pinned|displayed|mounted|decorat\w+|adorn\w*|cover(?:s|ing)"
    r"|on (?:the|an?|its|his|her|their) (?:[\w-]+ )?(?:wall|fridge|refrigerator|door|shirt|t-shirt|screen|shelf|desk|mug"
    r"|page|tv|nightstand|cover|card|box|side|back|front|table))\b"
)
_IS_A_PAINTING = re.compile(r"\A\W*(?:this|it|the (?:image|picture|scene)) (?:is|appears to be|seems to be) ")


def scopes(sentence: str, said: Set[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, spares) of each scope in a sentence in lower case; ``said`` are signs in it.

    >>> text = "there is no dog on the couch"
    >>> [text[start:end] for start, end, _ in scopes(text, {"no"})]
    [' dog ']
    """
    for rule in sorted({number for sign in said for number in _BY_SIGN.get(sign, ())}):
        cue, ends, spares = RULES[rule].cue, RULES[rule].end, RULES[rule].spares
        for found in cue.finditer(sentence):
            if ends is IMAGE and _shows_itself(sentence, found):
                continue
            stop = ends.search(sentence, found.end(), found.end() + _REACH)
            yield found.end(), stop.start() if stop else min(len(sentence), found.end() + _REACH), spares


def _shows_itself(sentence: str, cue: re.Match[str]) -> bool:
    """Tell whether "a photo of" says what the caption's own image is, and not what hangs on a wall in it."""
    before = sentence[: cue.start()]
    own = bool(_OF_ITSELF.match(cue[0])) and bool(_SAYS_WHAT_IT_IS.match(before))
    own = own or (cue[0].startswith("painting") and bool(_IS_A_PAINTING.match(before)))
    return own and not _ON_SHOW.search(before) and not _ON_SHOW.search(sentence, cue.end())
