"""Digests of what ODE asks image sources for: no word, count or look changes without a change of the golden file."""

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from golden_drawings import digest

from vhbench.builds.ode_source_vocabulary import DrawnWorld, OpenWorld
from vhbench.generators.ode import criteria, graph_sources, prompts
from vhbench.generators.ode.criteria import CRITERIA, PAIRINGS
from vhbench.generators.ode.prompts import ImagePlan

FILE = Path(__file__).resolve().parent.parent / "golden" / "prompts.json"
PAIRS = 8


def specs() -> dict[str, str]:
    """Return graph, world, pairing and criterion → digest of the specifications of the first pairs."""
    found = {}
    for source in ("starter", "traffic"):
        graph = graph_sources.load(source)
        for kind in (DrawnWorld, OpenWorld):
            world = kind(graph)
            for pairing in PAIRINGS:
                pool = criteria.PairPool(graph, pairing, seed=7)
                for criterion in CRITERIA:
                    dealt = Counter[str]()
                    pairs = list(criteria.candidates(pool, criterion))[:PAIRS]
                    made = []
                    for rank, pair in enumerate(pairs):
                        states = prompts.deal_states(pair, world, dealt)
                        plan = ImagePlan(criterion, pairing, rank, 0, tuple(pair), rank % 2, states)
                        made.append(prompts.spec(plan, graph, world, seed=7, attempt=rank % 3))
                    found[f"{source} {kind.__name__} {pairing} {criterion}"] = digest(
                        json.dumps(asdict(one), sort_keys=True) for one in made
                    )
    return found


def golden() -> dict[str, str]:
    """Return the digests as they were."""
    return dict(json.loads(FILE.read_text()))


def renew() -> None:
    """Write the digests as they are."""
    FILE.write_text(json.dumps(specs(), indent=0, sort_keys=True) + "\n")
