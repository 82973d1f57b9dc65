"""The report: one page that shows a vault, whole without a network or a script."""
