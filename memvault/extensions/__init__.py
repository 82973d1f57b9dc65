"""What other people's code adds: found, checked, and registered."""
