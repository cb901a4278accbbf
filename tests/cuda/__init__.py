"""CUDA sources without a GPU: compiled by NVRTC, and run on the CPU by a C compiler and a header that plays the GPU."""
