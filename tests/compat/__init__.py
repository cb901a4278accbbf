"""Tests of the doors for programs written for other versions."""
