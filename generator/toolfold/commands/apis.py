"""Whether HTTP APIs can be reached with the credentials that are declared; no operation is carried out."""

import asyncio
import time
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from toolfold_runtime import server_log
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.http_api.request import ApiRequest
from toolfold_runtime.http_api.send import Api
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.pool import HttpPool
from toolfold_runtime.upstream.secrets import MissingVariableError

from toolfold.manifest.load import Loaded
from toolfold.plan.upstreams import upstream_servers

_REFUSED: Final = {
    401: "HTTP 401: its `auth:` is missing, wrong or expired",
    403: "HTTP 403: its `auth:` does not allow even its own address",
}


class ApiState(NamedTuple):
    """A declared API: how many tools it carries out, and what keeps it from being used."""

    server: UpstreamServer
    tools: int
    #: The status with which it answered for its own address; None where it did not answer.
    status: int | None
    error: str
    seconds: float


def api_states(loaded: Loaded, names: Collection[str], seconds: float) -> list[ApiState]:
    """Ask each API for its own address, all at once."""
    declared = upstream_servers(loaded.manifest).values()
    chosen = [
        upstream
        for upstream in declared
        if upstream.is_http_api and (not names or upstream.name in names)
    ]
    counts: dict[str | None, int] = {}
    for tool in loaded.manifest.tools:
        server = loaded.manifest.server_of(tool)
        counts[server] = counts.get(server, 0) + 1
    with server_log.errors_only():
        asked = asyncio.run(_all(chosen, seconds))
    return [
        ApiState(upstream, counts.get(upstream.name, 0), *state)
        for upstream, state in zip(chosen, asked, strict=True)
    ]


async def _all(
    servers: Sequence[UpstreamServer], seconds: float
) -> list[tuple[int | None, str, float]]:
    return await asyncio.gather(*(_one(server, seconds) for server in servers))


async def _one(server: UpstreamServer, seconds: float) -> tuple[int | None, str, float]:
    start = time.monotonic()
    status, error = None, ""
    pool = HttpPool()
    try:
        async with asyncio.timeout(seconds):
            api = Api(server._replace(retries=0), pool)
            base = api.base
            url = f"{base.origin}{base.path or '/'}"
            request = ApiRequest("GET", url, {"accept": "*/*"})
            status = (await api.send(request, lambda: seconds, may_repeat=False)).status
            error = _REFUSED.get(status, "")
    except TimeoutError:
        error = f"no answer within {seconds:g} s"
    except (UpstreamError, MissingVariableError) as failure:
        error = str(failure)
    finally:
        await pool.close()
    return status, error, time.monotonic() - start
