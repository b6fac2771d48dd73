"""Pure, seeded generators of scenes and questions; no network access or heavy imports."""
