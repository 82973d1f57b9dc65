"""What a person or an agent does to memories."""
