"""WHAT to compute: dtypes, shapes, nodes, names, and how ops are declared."""

if __name__ != "penstock.graph":
    raise ImportError("this folder is a link for people to find the layer; in programs: import penstock.graph")
