"""Claims in code: what statements compute, compared with what the lines beside them say."""
