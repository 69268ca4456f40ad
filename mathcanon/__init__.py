"""temporary"""
from .canonical import canonical, key
from .evaluate import evaluate
from .expr import Expr, Number, Operand, Power, Product, Sum
from .parse import parse, parse_equation, parse_number
from .render import render
