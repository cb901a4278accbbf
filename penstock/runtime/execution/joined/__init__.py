"""Steps that become one call with their neighbours."""
