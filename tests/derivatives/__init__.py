"""Tests of derivatives: backward graphs, their values and what is built on them."""
