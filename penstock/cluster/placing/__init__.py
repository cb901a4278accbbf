"""Where each part of a run is computed, and what that is expected to take."""
