"""Everything that an analysis says in words."""
