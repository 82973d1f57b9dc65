"""Language: strings in, values out; nothing here knows a memory."""
