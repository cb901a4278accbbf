"""CUDA kernels without a GPU: NVRTC compiles their sources, and the CPU runs them as a played GPU."""
