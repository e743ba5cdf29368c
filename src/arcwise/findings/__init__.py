"""What was found about data, edges and variables, without words."""
