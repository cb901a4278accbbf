"""What declarations share: elementwise ops and reductions in one statement each, checks, failure rules."""
