"""Sequential nests: their IR, how they are made and checked, their code, and the nests of the index and row kernels."""
