"""The grounds: the machine around the vault."""
