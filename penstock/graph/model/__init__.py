"""The model: nodes, graphs, names, scopes, collections."""
