"""Plans on an NVIDIA GPU: sources of kernels and their launches; CuPy compiles and launches them."""
