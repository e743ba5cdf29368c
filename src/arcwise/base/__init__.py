"""What every room stands on: errors, options, the circumstances of a run, files; no statistics."""
