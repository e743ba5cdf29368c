"""One experiment per file; `arcwise_studies.registry.EXPERIMENTS` names them."""
