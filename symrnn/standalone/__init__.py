"""Programs of one file that need nothing but Python: copy them anywhere."""
