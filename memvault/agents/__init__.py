"""What agents meet: hooks, the MCP server, entries in their settings, commands in a prompt."""
