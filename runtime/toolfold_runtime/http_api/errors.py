"""Why no request can be made of arguments, in words for the agent that sent them."""


class ArgumentError(Exception):
    """An argument that cannot be sent: its name, and a clause that says why."""

    def __init__(self, argument: str, fact: str) -> None:
        self.argument = argument
        self.fact = fact
        super().__init__(f"{argument}: {fact}")
