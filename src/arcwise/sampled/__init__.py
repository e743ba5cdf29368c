"""What networks can be learned from beside complete data: completions of gaps, and numbers that are cut anew."""
