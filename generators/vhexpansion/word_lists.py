"""The word lists by which the negator tells a subject from what is said about it.

They need not be complete: a question whose parts cannot be told apart is refused, never guessed. Add a word where a
real question is refused.
"""

import re
from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _phrases(phrases: str) -> frozenset[str]:
    return frozenset(phrases.split("/"))


BE: Final = _set("is are was were am")
DO: Final = _set("do does did")
HAVE: Final = _set("has have had")
MODALS: Final = _set("can could will would shall should may might must")
AUXILIARIES: Final = BE | DO | HAVE | MODALS

NEGATIONS: Final = _set("no not never none nothing nobody nowhere neither nor without cannot false untrue incorrect")
QUESTION_WORDS: Final = _set("what which who whom whose where when why how")
CONJUNCTIONS: Final = _set("and or but nor")

PRONOUNS: Final = _set(
    "you it he she they we i there someone somebody anyone anybody everyone everybody something anything everything"
)
DEMONSTRATIVES: Final = _set("this that these those")
QUANTIFIERS: Final = _set("all both each every some most many several any few either half")
DETERMINERS: Final = _set("the a an his her its their my your our") | DEMONSTRATIVES | QUANTIFIERS
NUMBERS: Final = _set("one two three four five six seven eight nine ten eleven twelve")

PICTURES: Final = _set("image imange picture photo photograph scene frame drawing painting view video")
PREPOSITIONS: Final = _set(
    "about above across after against along alongside among amid around as at atop before behind below beneath beside "
    "besides between beyond by down during for from in inside into like near off on onto out outside over past per "
    "through throughout to toward towards under underneath up upon via with within"
)
RELATIVES: Final = _set("who whom whose which that where")

# After "a": words that count rather than name, so that "no" cannot take the place of "a".
QUANTITIES: Final = _set(
    "few lot couple number amount bit single total handful dozen hundred thousand majority variety little group "
    "maximum minimum"
)
# They bend what "no" would mean in a simple existence question.
SCOPES: Final = _set("only just exactly except besides unless if than also") | CONJUNCTIONS

ADVERBS: Final = _set(
    "also very too so more most less least fully still currently now already even just only ever quite rather almost "
    "nearly completely partially partly mostly mainly clearly both indeed well upside horseback together alone apart "
    "here there indoors outdoors inside outside upstairs downstairs left right ahead away back forward"
)

ADJECTIVES: Final = _set(
    "red orange yellow green blue purple pink brown black white gray grey golden gold silver beige violet cyan "
    "magenta transparent opaque colorful colourful dark bright light deep pale pure solid natural fluorescent vivid "
    "open shut full empty clean dirty dry wet new old young brand big large small tiny little huge tall short long "
    "wide narrow thick thin round square flat steep straight curved sharp smooth rough soft hard hot cold warm cool "
    "calm gentle still quiet loud lush dense sparse dead alive lively fresh ripe raw bare heavy fat slim strong weak "
    "sunny cloudy rainy snowy windy foggy stormy gloomy clear hazy overcast day night messy tidy neat busy crowded "
    "happy sad angry asleep awake visible invisible present absent able available similar same different identical "
    "equal true correct wrong higher lower larger smaller bigger taller shorter longer closer farther further nearer "
    "close older younger male female human edible real fake modern ancient vertical horizontal parallel upright "
    "symmetrical complete whole intact ready safe dangerous famous common normal typical on off wooden latex metal "
    "plastic metallic prone lie sitting standing afloat aloft ajar akin free loose tight plain fluffy furry hairy "
    "bald turbulent peaceful prominent uneven emerald vast vibrant monochromatic azure pristine filthy dim murky "
    "khaki plump verdant barren low shallow rapid slow irregular oval floral cute rare sturdy fragile simple complex "
    "exquisite picturesque uniform incomplete elongated elastic motionless good-looking eye-catching shiny dull muddy "
    "dusty rusty icy stone made part"
)
COLOURS: Final = _set(
    "red orange yellow green blue purple pink brown black white gray grey golden gold silver beige violet cyan magenta "
    "azure emerald khaki teal turquoise cream color colored colour coloured"
)
LIGHT: Final = _set(
    "dark bright light dim pale night day daytime nighttime sunny gloomy cloudy overcast shadow shadows lit darker "
    "darkest brighter brightest brightness lighter dusk dawn sunset sunrise twilight evening morning midnight faded"
)
BLUR: Final = _set("blur blurry blurred unblurred focus focused unfocused crisp sharpness")
GRAIN: Final = _set("grain grainy noise noisy")
BLOCKS: Final = _set("pixelated blocky compressed artifact artifacts")

# Past participles and other predicates that no ending gives away.
PARTICIPLES: Final = _set(
    "worn held seen shown taken made broken hidden written drawn cut built torn thrown eaten lit shut bent been "
    "spread grown flown known given hung laid left kept sold set put hit bitten blown frozen spun stuck swept cast "
    "dug fed found lost met paid read split won done gone"
)
# Nouns that look like participles.
NOT_PARTICIPLES: Final = _set(
    "building ceiling wedding clothing ring string king wing swing railing evening morning spring earring awning "
    "lightning pudding thing icing sling sibling topping stocking herring bed shed seed weed breed feed speed sled "
    "moped steed reed engineering duckling"
)
PREDICATE_ENDING: Final = re.compile(r"\w{2,}(ing|ed|ful|less|ous|able|ible|ish|ly)$")
NOT_ADVERBS: Final = _set(
    "family lily jelly belly butterfly fly dragonfly bully ally assembly table vegetable cable dish fish radish bible "
    "vehicle jellyfish starfish syllable"
)

VERBS: Final = _set(
    "have be appear seem look show contain include feature depict display hold carry wear ride drive fly walk run "
    "jump sit stand lie lean sleep eat drink bite chew cook bake cut play sing dance perform climb hike swim surf ski "
    "skate glide slide paddle row fish sail dive float hang rest crouch squat half-squat kneel bend stretch reach "
    "touch grab pull push lift raise lower throw toss catch kick hit strike swing bat bounce roll spin turn face "
    "point wave smile laugh cry frown shout talk speak listen read write draw paint type take make give get go come "
    "leave enter exit open close shut lock start stop park move belong exist consist match fit cover surround cross "
    "follow chase watch see use need want like love know think agree share connect attach extend stick lead fall "
    "break tear burn shine glow reflect rise set cast scratch release sport blow grow bloom graze feed work repair "
    "clean wash brush dry mop sweep pour fill mix serve cycle race travel pass wait line stay remain keep live "
    "indicate suggest resemble differ say spell mean tell help support block cause form end begin occur happen"
)

COMPOUNDS: Final = _phrases(
    "traffic light/street light/light bulb/light switch/stop sign/parking meter/fire hydrant/dining table/"
    "potted plant/cell phone/hot dog/hair drier/hair dryer/teddy bear/wine glass/tennis racket/baseball bat/"
    "baseball glove/sports ball/bus stop/police car/ice cream/swimming pool/parking lot/living room/"
    "cutting board/school bus/running shoe/sleeping bag/washing machine/bow tie/night stand/polar bear/"
    "left hand/right hand/left side/right side/left eye/right eye/left arm/right arm/left leg/right leg/left foot/"
    "right foot/left wing/right wing/left ear/right ear/front light/head light/remote control/computer mouse/"
    "coffee cup/soccer ball/tennis ball/stone wall/metal fence/front wheel/back wheel/back seat/front seat/"
    "back door/front door/shower head/picture frame/tree trunk/water bottle"
)
"""Two words that name one thing although the second alone could begin a predicate, or follow a noun as one."""
