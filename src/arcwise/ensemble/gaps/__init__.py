"""Networks from data with gaps: completions that are drawn again and again, and what works without them."""
