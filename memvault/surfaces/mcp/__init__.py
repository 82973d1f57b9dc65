"""The door for agents that speak MCP: tools, resources and prompts, over stdin and stdout or over HTTP."""
