#!/bin/sh
# Hands an event to memvault. Where that is not installed, it says so once, and the session goes on.

for program in memvault "$HOME/.local/bin/memvault"; do
  if command -v "$program" >/dev/null 2>&1; then
    "$program" hook
    exit 0 # whatever a memvault of another version may answer: an event is never stopped
  fi
done

cat >/dev/null
state="${CLAUDE_PLUGIN_DATA:-${XDG_STATE_HOME:-$HOME/.local/state}/memvault}"
mkdir -p "$state" 2>/dev/null
if mkdir "$state/told-that-memvault-is-missing" 2>/dev/null; then
  printf '%s\n' '{"systemMessage": "The memvault plugin is here, but not memvault itself, so nothing is remembered. In a clone of memvault, run `uv tool install \".[mcp]\"` or `pipx install \".[mcp]\"`, then `memvault setup`."}'
fi
exit 0
