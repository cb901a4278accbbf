"""How do plans run on an NVIDIA GPU? Sources of kernels and their launches; CuPy compiles and starts them."""
