"""The route of the catalog API: its pages, and everything below `/api`."""

from starlette.routing import BaseRoute, Match

from toolfold_runtime.asgi import Application, Message, Receive, Send


class ApiRoute(BaseRoute):
    """A route that matches the beginning of a path, whatever characters follow."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def matches(self, scope: Message) -> tuple[Match, Message]:
        """Whether a request is for the API."""
        path = scope["path"] if scope["type"] == "http" else ""
        is_ours = path in ("/", "/api") or path.startswith("/api/")
        return (Match.FULL if is_ours else Match.NONE), {}

    async def handle(self, scope: Message, receive: Receive, send: Send) -> None:
        """Have it answered."""
        await self._application(scope, receive, send)
