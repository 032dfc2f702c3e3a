"""Errors of other servers, in words for people and agents."""


class UpstreamError(Exception):
    """A failed request to a server: a clause that says why, without secrets.

    `detail` is for those who run it, and not for agents: what it wrote last may hold anything.
    """

    def __init__(self, fact: str, detail: str = "") -> None:
        self.fact = fact
        self.detail = detail
        super().__init__(fact)

    @property
    def full(self) -> str:
        """The fact with its detail."""
        return f"{self.fact}; {self.detail}" if self.detail else self.fact


class OutageError(UpstreamError):
    """A server that cannot be reached, does not start, or has ended."""

    def lasting(self, since: str) -> "OutageError":
        """The same error, with the time when the outage began."""
        return OutageError(f"{self.fact}; it has failed since {since}", self.detail)


class UnsentError(OutageError):
    """A request that certainly did not reach its server, so that it can be sent again."""
