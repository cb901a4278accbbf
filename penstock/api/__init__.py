"""The public names, and how they are listed and found."""
