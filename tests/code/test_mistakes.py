"""Programs with one planted mistake each: found before any call, with the line and the way out."""

import json
from typing import Final, NamedTuple

import pytest

from tests.code.conftest import Run


class Planted(NamedTuple):
    """A program, the line of its mistake, and words of the way out."""

    code: str
    line: int
    way_out: str


#: A name, an argument, a key, a type, or something missing.
PLANTED: Final = (
    # Names of tools
    Planted("find_order()", 1, "did you mean find_orders"),
    Planted("rows = find_orders()\nlen(row)", 2, "row is not defined"),
    Planted("x = 1\norders = findOrders()", 2, "did you mean find_orders"),
    Planted('get-order(order_id="A-1")', 1, "in programs get-order is called get_order"),
    Planted(
        "for o in find_orders():\n    print(get_ordr(order_id=o['id']))",
        2,
        "did you mean get_order",
    ),
    Planted("search_orders(state='open')", 1, "find_orders"),
    Planted("price_of(lines=[])", 1, "did you mean price"),
    Planted("list_orders()", 1, "find_orders"),
    Planted("import requests\nrequests.get('https://x.example')", 1, "there is no module requests"),
    Planted(
        "import find_orders\nfind_orders()", 1, "find_orders is a tool: call it without an import"
    ),
    Planted("from statistics import mean\nmean([1])", 1, "there is no module statistics"),
    Planted("cancel_order(id='A-1')", 1, "use run_code_write"),
    Planted("add_order(lines=[])", 1, "use run_code_write"),
    # Arguments
    Planted("find_orders(status='open')", 1, "did you mean state?"),
    Planted("find_orders(limt=3)", 1, "did you mean limit?"),
    Planted("find_orders(state='open', max=3)", 1, "find_orders has no parameter max"),
    Planted("get_order(id='A-1')", 1, "did you mean order_id?"),
    Planted("get_order(orderId='A-1')", 1, "did you mean order_id?"),
    Planted("x = 'A-1'\nget_order(x)", 2, "get_order takes its arguments by keyword"),
    Planted("find_orders('open', 3)", 1, "find_orders takes its arguments by keyword"),
    Planted(
        "def one(key):\n    return get_order(key=key)\none('A-1')",
        2,
        "get_order has no parameter key",
    ),
    Planted("price(lines=[], city='Rome')", 1, "price has no parameter city"),
    Planted("get_order(order_id='A-1', order_id='A-2')", 1, "Duplicate keyword argument"),
    # Missing
    Planted("get_order()", 1, "get_order(order_id: str"),
    Planted("price()", 1, "required parameter `lines`"),
    Planted(
        "ids = ['A-1']\n[get_order(from_='x') for i in ids]", 2, "required parameter `order_id`"
    ),
    Planted("price(lines=[{'count': 2}])", 1, "Missing required key 'sku'"),
    Planted(
        "price(lines=[{'sku': 'x'}], ship_to={'zip-code': '1'})", 1, "Missing required key 'city'"
    ),
    Planted("many()", 1, "required parameter `count`"),
    # Keys
    Planted(
        "rows = find_orders()\n[row['ident'] for row in rows]", 2, "Keys: id, state, total, note"
    ),
    Planted("find_orders()[0]['totals']", 1, 'did you mean "total"?'),
    Planted("rows = find_orders()\nmax(rows, key=lambda row: row['amount'])", 2, "Keys: id, state"),
    Planted(
        "for row in find_orders():\n    print(row['id'], row['staet'])", 2, 'did you mean "state"?'
    ),
    Planted("order = get_order(order_id='A-1')\norder['customer']", 2, 'no key "customer"'),
    Planted("order = get_order(order_id='A-1')\norder.total", 2, 'write ["total"]'),
    Planted("[row.id for row in find_orders()]", 1, 'write ["id"]'),
    Planted("find_orders()['orders']", 1, "take one item, or loop"),
    Planted("find_orders().items()", 1, "has no attribute items"),
    Planted(
        "price(lines=[{'sku': 'x', 'amount': 2}])", 1, 'no key "amount"; did you mean "count"?'
    ),
    Planted("{row['id']: row['sum'] for row in find_orders()}", 1, 'no key "sum"'),
    # Types
    Planted("find_orders(limit='ten')", 1, "expected int"),
    Planted("find_orders(state='opne')", 1, 'expected Literal["open", "closed"]'),
    Planted("get_order(order_id=3)", 1, "expected str"),
    Planted("get_order(order_id=['A-1', 'A-2'])", 1, "expected str, found list[str]"),
    Planted("price(lines='sku')", 1, "expected list["),
    Planted("price(lines=[{'sku': 7}])", 1, 'key "sku" with declared type `str`'),
    Planted("rows = find_orders()\nget_order(order_id=rows[0])", 2, "expected str, found Order"),
    Planted("find_orders()[0]['id'] + 1", 1, "Operator `+` is not supported"),
    Planted("await find_orders()", 1, "tools are called without await"),
    Planted(
        "import asyncio\nawait asyncio.gather(find_orders(), find_orders())",
        2,
        "tools are called without gather",
    ),
    Planted("find_orders(limt=3)  # type: ignore", 1, "did you mean limit?"),
    Planted("find_orders(limt=3)  #ty:ignore[unknown-argument]", 1, "did you mean limit?"),
    Planted("# ty: ignore\ncancel_order(id='A-1')", 2, "use run_code_write"),
    Planted("from collections import counter", 1, "has no member `counter`"),
    Planted("many(count=2.5)", 1, "expected int, found float"),
    Planted("wait(seconds='1')", 1, "expected float"),
    Planted("for row in price(lines=[]):\n    print(row)", 1, "not iterable"),
    Planted("rows = find_orders(\nlen(rows)", 2, "unexpected EOF while parsing"),
    # Inside lists and dictionaries
    Planted("label(tags={'x': 'y'})", 1, "expected dict[str, list[str]]"),
    Planted("tags = {'x': 'y'}\nlabel(tags=tags)", 2, "found dict[str, str]"),
    Planted("label(tags=[['x', ['y']]])", 1, "expected dict[str, list[str]]"),
    Planted("label(states={'open': True})", 1, 'expected list[Literal["open", "closed"]]'),
    Planted("label(states=['open', 'opne'])", 1, 'expected list[Literal["open", "closed"]]'),
    Planted("label(numbers=[1, {'n': 2}])", 1, "expected list[float]"),
    Planted("label(numbers=find_orders())", 1, "found list[Order]"),
    Planted("label(numbers={1: 2}.keys())", 1, "found dict_keys[int, int]"),
    # Beside the tools
    Planted("find.orders()", 1, "in programs find.orders is called find_orders"),
    Planted("total = 3\nprint(totals)", 2, "did you mean total "),
    Planted("json.dumps(find_orders())", 1, "write import json before"),
    Planted("len(find_orders()[0]['total'])", 1, "len takes no float"),
)


@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.code[:40])
def test_a_planted_mistake_is_found_before_any_call(planted: Planted, run: Run) -> None:
    answer = run(planted.code)

    assert answer.is_error
    assert answer.text.startswith("invalid_program: nothing was called.\n"), answer.text
    assert f"line {planted.line}: " in answer.text
    assert planted.way_out in answer.text


#: Programs that a strict checker complains about, and that work.
FINE: Final = (
    "rows = [{'sku': str(n)} for n in range(2)]\nprice(lines=rows)",
    "line = {'sku': 'x'}\nline['count'] = 3\nprice(lines=[line])",
    "def total(order: dict) -> float:\n    return order['total']\nsum(map(total, find_orders()))",
    "rows = find_orders(limit=2)\nfor row in rows:\n    row['mark'] = row['id'] + '!'\n[row['mark'] for row in rows]",
    "state = 'open' if len('x') else 'closed'\nlen(find_orders(state=state))",
    "def of(state: str):\n    return find_orders(state=state)\nlen(of('open'))",
    "options = {'state': 'open', 'limit': 3}\nlen(find_orders(**options))",
    "order = get_order(order_id='A-1')\norder.get('note') or 'none'",
    "order = get_order(order_id='A-1')\ngot = get_order(order_id=order['id'], from_=order.get('note'))\ngot['id']",
    "sorted(find_orders(limit=3), key=lambda row: row.get('note') or '')[0]['id']",
    "best = None\nfor row in find_orders():\n    if best is None or row['total'] > best['total']:\n        best = row\nbest['id']",
    "find_orders = find_orders(limit=1)\nlen(find_orders)",
    "list(filter(lambda row: row['state'] == 'open', find_orders(limit=3)))[0]['id']",
    "import re\nre.match('A', find_orders(limit=1)[0]['id']).group()",
    "return len(find_orders(limit=1))",
    "'cancel_order is not called here: ' + find_orders(limit=1)[0]['id']",
    "row = find_orders(limit=1)[0]\nrow['customer'] if 'customer' in row else 'nobody'",
    "x: dict = find_orders(limit=1)[0]\nx['id']",
    "[get_order(order_id=id)['id'] for id in {row['id'] for row in find_orders(limit=2)}][0][:2]",
    "value = echo(value={'a': [1]})\nvalue['a'][0]",
    "find_orders(state=None, limit=1)[0]['id']",
    "from __future__ import annotations\nfind_orders(limit=1)[0]['id']",
    # JSON has one kind of list, and texts for dates.
    "numbers = [1, 2]\nlabel(numbers=numbers)",
    "label(numbers=(1, 2.5))",
    "label(numbers={len(row['id']) for row in find_orders(limit=2)})",
    "import decimal\nlabel(numbers=[decimal.Decimal('1.5')])",
    "import datetime\nlabel(since=datetime.date(2026, 11, 19))",
    "states = ['open']\nstates.append('closed')\nlabel(states=states)",
    "label(states='open,closed'.split(','))",
    "state = 'open' if find_orders() else 'closed'\nlabel(states=[\n    state,\n    'open',\n])",
    "label(\n    tags={\n        row['id']: [row['id'], row.get('note')]\n        for row in find_orders(limit=0 or 1)\n        if row.get('note')\n    }\n)",
    "label(states=[row['state'] for row in find_orders(limit=2)])",
    "from collections import defaultdict\ntags = defaultdict(list)\ntags['a'].append('b')\nlabel(tags=tags)",
    "label(tags={row['id']: [row['state']] for row in find_orders(limit=2)})",
    "address = dict(city='Rome')\naddress['zip-code'] = '1'\nlabel(address=address)",
    # What a program got is its own.
    "rows = find_orders(limit=2)\nrows.append({'id': 'mine'})\nlen(rows)",
    "rows = find_orders(limit=2)\nrows += [{'id': 'mine'}]\nlen(rows)",
    "row = find_orders(limit=1)[0]\nrow.update({'mark': 1})\nrow['mark']",
    "row = find_orders(limit=1)[0]\nrow.setdefault('mark', 1)\nrow['mark']",
    "try:\n    found = get_order(order_id='Z')\nexcept RuntimeError as error:\n    found = {'problem': str(error)}\nfound['problem']",
    "import asyncio\nasync def one():\n    return find_orders(limit=1)\n(await asyncio.gather(one(), one()))[0][0]['id']",
)


@pytest.mark.parametrize("code", FINE)
def test_a_program_that_works_is_not_refused(code: str, run: Run) -> None:
    answer = run(code)

    assert not answer.is_error, answer.text
    assert "result" in json.loads(answer.text)
