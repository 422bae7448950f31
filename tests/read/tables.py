"""Symbol tables of the five published texts: what each declares in its prose, and where it gives a letter another meaning."""

from __future__ import annotations

from symrnn.read.symbols import SymbolTable

RESERVOIR = SymbolTable.from_mapping({"time": "call", "time_letter": "n", "symbols": {
    "x": "vector N, sequence", "u": "vector K, sequence", "y": "vector L, sequence", "sigma": "function sigmoid",
    "f": "function", "W": "matrix N N", "W^in": "matrix N K", "W^out": "matrix L N", "b": "vector N", "n": "time"}})

CONVOLUTION = SymbolTable.from_mapping({"time": "sub", "symbols": {
    "x": "vector n_x, sequence", "h": "vector n_h, sequence", "y": "vector n_y, sequence", "f": "vfunction",
    "theta": "scalar", "W_h": "matrix n_h n_h", "U_h": "matrix n_h n_x", "b_h": "vector n_h", "W_y": "matrix n_y n_h",
    "b_y": "vector n_y", "a": "vector p", "p": "size", "t": "time"}})
FILTER = CONVOLUTION.rebound({"x": "scalar, sequence", "h": "vector p, sequence", "y": "scalar, sequence"})

ELMAN = SymbolTable.from_mapping({"time": "sub", "symbols": {
    "x": "vector n_x, sequence", "h": "vector n_h, sequence", "o": "vector n_o, sequence", "f": "function", "g": "function",
    "sigma": "function sigmoid", "U": "matrix n_h n_x", "V": "matrix n_h n_h", "W": "matrix n_o n_h", "b_h": "vector n_h",
    "b_o": "vector n_o", "t": "time"}})

CHARACTERS = SymbolTable.from_mapping({"time": "sup", "symbols": {
    "x": "vector n_x, sequence", "h": "vector n_h, sequence", "o": "vector n_o, sequence", "y": "vector n_o, sequence",
    r"\hat{y}": "vector n_o, sequence", "C": "vector n_h, sequence", r"\tilde{C}": "vector n_h, sequence",
    "f": "function", "g": "function", "g_1": "function", "g_2": "function", "H": "vfunction",
    "W_{hh}": "matrix n_h n_h", "W_{xh}": "matrix n_h n_x", "W_{yh}": "matrix n_o n_h", "W_{hy}": "matrix n_o n_h",
    "b_h": "vector n_h", "b_o": "vector n_o", "sigma": "vfunction softmax, sequence", "p": "vfunction, sequence",
    "q": "vfunction, sequence", "L": "scalar, sequence", "E": "scalar", "W": "scalar", "eta": "scalar", "w": "vector m",
    "tau": "size", "n": "size", "K": "size", "N": "size", "m": "size", "z": "vector K", "u": "vector n",
    "t": "time", "i": "index", "j": "index", "k": "index"}})

GATELESS = SymbolTable.from_mapping({"time": "sub", "symbols": {
    "x": "vector n_x, sequence", "h": "vector n_h, sequence", "y": "vector n_y, sequence", "f": "function", "g": "function",
    "W": "matrix n_h n_x", "U": "matrix n_h n_h", "V": "matrix n_y n_h", "n": "size", "t": "time"}})


def table_for(text: str, line: int) -> SymbolTable:
    """The table that holds at a line of a text; texts are numbered 0 to 4."""
    if text != "3":
        return {"0": RESERVOIR, "1": CONVOLUTION if line <= 20 else FILTER, "2": ELMAN, "4": GATELESS}[text]
    table = CHARACTERS
    if line < 200:                                    # the introduction writes the time below; f is a gate at first
        table = table.rebound({"f": "vector n_h, sequence"} if line < 120 else {}, time="sub")
    if line in (226, 241) or 337 < line < 350:        # tanh(x); the quotient rule
        table = table.rebound({"x": "scalar"})
    if 337 < line < 350:
        table = table.rebound({"h": "function"})
    if line == 383:                                   # one perceptron
        table = table.rebound({"o": "scalar"})
    if 379 < line < 392:                              # the chain rule in several variables
        table = table.rebound({"h": "vector k", "x": "vector m"})
    if line in (459, 461):                            # the chain rule by components
        table = table.rebound({"z": "scalar", "x": "vector n_x", "y": "vector n_o"})
    return table
