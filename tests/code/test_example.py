"""The example: one task by calls and by one program, on the Tana workspace."""

import anyio

from examples.code import compare


def test_a_program_costs_a_quarter_of_the_calls_and_two_round_trips() -> None:
    calls, code = anyio.run(compare)

    assert code.tokens <= 0.25 * calls.tokens
    assert code.round_trips <= 3 < calls.round_trips
