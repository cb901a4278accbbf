"""Golden files for graphs (`penstock.testing.assert_graph_matches`), and what `tf.test` is made of."""

from .golden_graphs import assert_graph_matches, graph_text

__all__ = ["assert_graph_matches", "graph_text"]
