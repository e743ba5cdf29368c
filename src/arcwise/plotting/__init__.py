"""Pictures by matplotlib for the `plot` methods, and the layered layout that the report's network has, too.

What is drawn comes as names and arrays, so that every stage can ask for it. A method takes `ax`, the axes to draw into,
and returns them.
"""
