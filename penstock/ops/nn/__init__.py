"""Ops of neural networks: activations, cross entropies, normalization, dropout, embeddings."""
