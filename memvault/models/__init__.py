"""Language models and embeddings, one seam each."""
