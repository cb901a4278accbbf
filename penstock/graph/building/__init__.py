"""What a call does until its node stands in the graph."""
