"""The hooks of coding agents: one file for each kind of event."""
