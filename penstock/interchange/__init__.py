"""Exchange with the file formats of other systems."""
