"""Why a server could not be used, in words for people and agents."""


class UpstreamError(Exception):
    """A server that cannot be connected to, or does not answer; the text says why, without secrets."""
