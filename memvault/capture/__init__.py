"""What is taken by itself from what a person says."""
