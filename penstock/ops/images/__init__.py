"""Images: blocks of pixels as channels or batches, sizes, crops, flips and colours."""
