"""Memory for AI assistants, as plain markdown files that a person owns."""

__version__ = "0.1.0"
__all__ = ["Memory", "Memvault", "MemvaultError", "__version__"]

TYPE_CHECKING = False  # `typing` itself would take longer to load than `memvault --version`, or a hook, takes
if TYPE_CHECKING:
    from memvault.api import Memvault
    from memvault.core.memory import Memory
    from memvault.errors import MemvaultError

_HOMES = {"Memvault": "memvault.api", "Memory": "memvault.core.memory", "MemvaultError": "memvault.errors"}


def __getattr__(name: str) -> object:
    """Import the public names on first use, so that `memvault --version` pays for none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
