"""Random data and constraints through `learn`: no file may break them."""
