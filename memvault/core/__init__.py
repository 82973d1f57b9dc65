"""The law: values and rules, with no I/O, no clock and no third-party import."""
