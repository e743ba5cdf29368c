"""One experiment per file; `arcwise.study.registry.EXPERIMENTS` names them."""
