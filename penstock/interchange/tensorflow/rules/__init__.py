"""How ops are read from GraphDef nodes and written to them."""
