"""The advisers: one seam to a language model, for those who configured one; never imported by a recall."""
