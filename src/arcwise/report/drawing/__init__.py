"""Pictures as SVG: the network, laid out in layers, and charts."""
