"""Tests of the runtime: sessions, plans, backends."""
