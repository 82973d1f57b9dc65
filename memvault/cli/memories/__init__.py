"""Commands that make and change memories."""
