"""Where boxes, scopes and lines stand."""
