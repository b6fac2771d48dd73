"""Where generators and adapters meet: one file per benchmark, and the machinery that builds shards."""
