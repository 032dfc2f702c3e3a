"""Why a server could not be used, in words for people and agents."""


class UpstreamError(Exception):
    """A server that did not do what it was asked; the text says why, without secrets."""


class OutageError(UpstreamError):
    """A server that cannot be reached, does not start, or has ended."""
