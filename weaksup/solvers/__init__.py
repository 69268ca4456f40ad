"""Solvers: networks that read a word problem and write its equation as a tree (GTS and G2T)."""
