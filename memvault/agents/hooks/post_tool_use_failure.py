"""A tool failed: nothing was done, but the web may have been read."""

from __future__ import annotations

from memvault.agents.hooks.event import Scene
from memvault.agents.hooks.tool_use import called


def serve(scene: Scene) -> dict[str, object] | None:
    """Keep in mind that the web was read; there is nothing to answer."""
    scene.vault.watch_for_web(called(scene))
    return None
