"""Reading: from the LaTeX of a document to typed syntax trees, total or refused."""
