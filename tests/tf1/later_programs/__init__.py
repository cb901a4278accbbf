"""Programs in the style of 2016 to 2019 that a test runs unchanged, each as `penstock tf1` does."""
