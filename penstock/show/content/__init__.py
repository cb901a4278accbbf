"""What is drawn: pictures of graphs, plans and predictions, their texts, colours, and which scopes are closed."""
