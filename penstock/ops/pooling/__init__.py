"""Windows that move over images: pooling, normalization over neighbouring channels, patches."""
