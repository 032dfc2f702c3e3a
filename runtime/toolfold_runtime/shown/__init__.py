"""Schemas as agents are shown them: trimmed to a budget, by the generator and by a server alike."""
