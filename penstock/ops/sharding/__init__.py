"""How ops are cut into shards."""
