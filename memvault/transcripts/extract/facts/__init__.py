"""Facts: what a conversation says, in statements that can be read on their own."""
