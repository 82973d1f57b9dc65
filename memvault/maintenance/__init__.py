"""Upkeep: decay, tiers, consolidation, contradictions."""
