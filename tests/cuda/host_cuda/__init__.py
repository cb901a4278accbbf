"""A CUDA for machines without a GPU, so that CuPy itself can run there: see README.md."""
