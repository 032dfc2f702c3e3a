"""Calls of tools that another server carries out."""

import asyncio
from pathlib import Path

import pytest

from tests.support.projects import Json
from tests.upstream.gateways import Door, Gateway, stub_server


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    return Gateway(tmp_path_factory.mktemp("gateway"), {"stub": stub_server()})


def test_a_tool_of_a_server_answers(gateway: Gateway) -> None:
    assert gateway.call("stub_echo", {"text": "hello"}).texts == ("hello",)
