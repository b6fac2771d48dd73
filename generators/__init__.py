"""Pure, seeded generators of scenes and questions: no network, no heavy imports."""
