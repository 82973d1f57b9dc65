"""The report: a page that shows the vault in pictures."""
