"""Built-in image source: synthetic scenes with exact ground truth by construction.

Other packages import from here only; the modules inside are private.
"""

from vhbench.generators.scenes.catalog import CATALOG, find, lookup, readable
from vhbench.generators.scenes.concept_parts import WHOLE, ConceptPart, kin, read_part
from vhbench.generators.scenes.environments.atlas import AREAS, ENVIRONMENTS, find_environment
from vhbench.generators.scenes.layout.plan import action_of
from vhbench.generators.scenes.source import SceneSource
from vhbench.generators.scenes.specs import random_spec
from vhbench.generators.scenes.truth.known_words import VOCABULARY, clash

__all__ = [
    "AREAS", "CATALOG", "ENVIRONMENTS", "VOCABULARY", "WHOLE", "ConceptPart", "SceneSource", "action_of", "clash",
    "find", "find_environment", "kin", "lookup", "random_spec", "read_part", "readable",
]  # fmt: skip
