"""Candidate samplers: some classes drawn from many, for losses over large vocabularies."""
