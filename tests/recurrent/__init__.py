"""Tests of recurrent networks."""
