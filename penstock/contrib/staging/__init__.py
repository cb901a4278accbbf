"""`tf.contrib.staging`: a place for elements that one run puts down and a later one takes."""

from .staging_area import StagingArea as StagingArea

__all__ = ["StagingArea"]
