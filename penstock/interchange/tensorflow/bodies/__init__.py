"""Control flow and functions of GraphDef files."""
