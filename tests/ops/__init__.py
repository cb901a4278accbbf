"""Tests of the ops: what each computes, and what it refuses."""
