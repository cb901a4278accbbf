"""Special functions: gamma, zeta, the incomplete gamma and beta functions, error functions and their inverses."""
