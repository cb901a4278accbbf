"""Views of a graph: a table, the difference to another graph, a networkx graph."""
