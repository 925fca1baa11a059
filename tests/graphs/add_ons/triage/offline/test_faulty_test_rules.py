"""The rules for faulty tests, with messages of browser drivers and test tools."""

import pytest

from tests.graphs.add_ons.triage.offline.test_triage_rules import case, concluded

TEST = "not real, the test"
MOMENT = "not real, the moment"
MEANING = {
    TEST: (True, "tool_bug"),
    MOMENT: (True, "temporary_error"),
    "real": (False, None),
    "disagreement": (None, None),
    "open": None,
}


def page_failure(error: str, place: str = "/app/tests/shop.spec.ts:5:16", source: str = "await page.goto('/shop');") -> str:
    return (
        f"  [chromium] › shop.spec.ts:4:7 › shop\n\n    Error: {error}\n\n      4 |   test('shop', async ({{ page }}) => {{\n"
        f"    > 5 |     {source}\n        |                ^\n"
        f"      6 |     await expect(page).toHaveTitle('Shop');\n        at {place}\n"
    )


def script(said: str) -> str:
    return f"{said}\n    at Context.<anonymous> (test/a.test.js:7:16)"


SAID = {
    "a server that does not run": (page_failure("page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:8080/shop"), MOMENT),
    "a browser without its libraries": (
        page_failure("browserType.launch: \n    Host system is missing dependencies to run browsers."),
        TEST,
    ),
    "a browser that is gone": (page_failure("page.goto: Target page, context or browser has been closed"), TEST),
    "an address that is none": (page_failure("apiRequestContext.get: Invalid URL"), TEST),
    "a fixture that fails": (
        page_failure("page.evaluate: SecurityError: denied", "/app/tests/support/fixtures/index.ts:27:18"),
        TEST,
    ),
    "an element that never came": (
        page_failure("locator.click: Test timeout of 30000ms exceeded.\n    Call log:\n      - waiting for locator('.product')"),
        "open",
    ),
    "another page than expected": (
        page_failure(
            'expect(page).toHaveURL(expected) failed\n\n    Expected: "/a"\n    Received: "/b"',
            source="await expect(page).toHaveURL('/a');",
        ),
        "disagreement",
    ),
    "a constant": ("def test_a():\n>       assert False\nE       assert False\n\ntest_a.py:2: AssertionError", "disagreement"),
    "a constant and what a name holds": (
        "def test_a():\n>       assert RATES['a'] == 4\nE       assert 3 == 4\n\ntest_a.py:2: AssertionError",
        "disagreement",
    ),
    "a constant where something was raised": (
        "def test_a():\n        try:\n            total()\n        except ValueError:\n"
        ">           assert False\nE           assert False\n\ntest_a.py:5: AssertionError",
        "disagreement",
    ),
    "a call of an assertion library on nothing": (
        "TypeError: Cannot use 'in' operator to search for 'status' in undefined\n"
        "    at Proxy.<anonymous> (node_modules/chai-http/lib/http.js:80:38)\n    at Context.<anonymous> (test/a.test.js:21:27)",
        TEST,
    ),
    "an element that was clicked": (
        page_failure(
            "locator.click: Test timeout of 30000ms exceeded.\n    Call log:\n      - waiting for locator('a')\n"
            "        - performing click action\n"
        ),
        MOMENT,
    ),
    "a page that never came": (
        page_failure('page.goto: Test timeout of 30000ms exceeded.\n    Call log:\n      - navigating to "http://localhost/"'),
        "open",
    ),
    "a hook of TestNG": (
        "java.net.MalformedURLException\n\tat com.shop.Base.open(Base.java:63)\n"
        "\tat org.testng.internal.Invoker.invokeConfigurationMethod(Invoker.java:510)",
        TEST,
    ),
    "a double that does not fit": (
        "def test_a(make):\n>       make(1)\n\ntest_a.py:3: \n\n>       return Double(x=x)\n"
        "E       TypeError: unexpected keyword 'x'\n\n"
        "tests/conftest.py:21: TypeError",
        TEST,
    ),
    "an attribute that the test class lacks": (
        "self = <a>\n\n>       self.client.get()\n"
        "E       AttributeError: 'test_rates' object has no attribute 'client'\n\ntests/test_a.py:3: AttributeError",
        TEST,
    ),
    "a part to replace that is not there": (
        "def test_a():\n>       patch('shop.mail')\n\ntest_a.py:3: \n\n"
        "E       AttributeError: module 'shop' has no attribute 'mail'\n\n"
        "/lib/site-packages/_pytest/monkeypatch.py:94: AttributeError",
        TEST,
    ),
    "a source file with a syntax error": (
        "RollupError: Parse failure: Expression expected\nAt file: /app/src/rates.js:30:18",
        "real",
    ),
    "a status of a response": (
        "def test_a():\n>       assert r.status_code == 201\nE       assert 404 == 201\n\ntest_a.py:2: AssertionError",
        "disagreement",
    ),
    "a number as a text": (
        "AssertionError: expected 76 to equal '76'\n    at Context.<anonymous> (test/a.test.js:7:16)",
        "disagreement",
    ),
    "two wordings": (script("AssertionError: expected 'Sign in' to equal 'Log in'"), "disagreement"),
    "two moments": (script("AssertionError: expected '2026-01-02' to equal '2026-01-03'"), "disagreement"),
    "a rounded number": (script("AssertionError: expected 0.30000000000000004 to equal 0.3"), "disagreement"),
    "a truth": (script("Error: expect(received).toBe(expected)\n\nExpected: true\nReceived: false"), "disagreement"),
    "a bare truth": (
        'Traceback (most recent call last):\n  File "/app/tests/test_a.py", line 2, in test_a\n    self.assertTrue(shown())\n'
        "AssertionError: False is not true",
        "disagreement",
    ),
    "a program that did not end": (
        "def test_a():\n>       run(command)\n\ntest_a.py:3: \n\nE       subprocess.TimeoutExpired: timed out after 3 seconds\n\n"
        "/usr/lib/python3.12/subprocess.py:1267: TimeoutExpired",
        "open",
    ),
    "a test that did not end": (script("Error: Timeout of 2000ms exceeded."), "open"),
    "a number and another": (script("Error: expect(received).toBe(expected)\n\nExpected: 3\nReceived: 4"), "disagreement"),
    "a list and another": (script("AssertionError: expected [ 1, 2 ] to deeply equal [ 1, 3 ]"), "disagreement"),
    "what a double was called with": (
        script("Error: expect(jest.fn()).toHaveBeenCalledWith(...expected)\n\nExpected: 1\nReceived: 2\n\nNumber of calls: 1"),
        "disagreement",
    ),
    "an answer to a client": (
        'Error: expected 201 "Created", got 400 "Bad Request"\n    at Test.assert (node_modules/supertest/lib/test.js:205:15)',
        "disagreement",
    ),
    "what a call returned": (
        "def test_a():\n>       assert name() == 'Ada'\nE       AssertionError: assert 'Bob' == 'Ada'\n"
        "E        +  where 'Bob' = name()\n\ntest_a.py:2: AssertionError",
        "disagreement",
    ),
    "a hook that fails": (
        script("TypeError: Cannot read properties of undefined")
        + "\n    at _callCircusHook (node_modules/jest-circus/build/run.js:281:10)",
        TEST,
    ),
    "a runner without a page": ("ReferenceError: document is not defined\n    at render (src/page.js:3:1)", TEST),
    "a name that the test lacks": (script("ReferenceError: mockMail is not defined"), TEST),
    "a locator of many elements": (
        page_failure("expect(locator).toBeVisible() failed\n\n    Error: strict mode violation"),
        TEST,
    ),
    "a test file that cannot be parsed": (
        'E     File "/app/tests/test_a.py", line 7\nE       async def test_b():\nE   IndentationError: unexpected unindent',
        TEST,
    ),
    "a module that cannot be parsed": (
        "E     File \"/app/shop/cart.py\", line 7\nE       def total(\nE   SyntaxError: '(' was never closed",
        "real",
    ),
    "installed packages that do not fit": (
        ">       client.post('/')\n\ntest_a.py:3: \n\nE       AttributeError: module 'anyio' has no attribute 'start'\n\n"
        "venv/lib/python3.10/site-packages/starlette/testclient.py:450: AttributeError",
        TEST,
    ),
    "a helper that tells what the application answered": (
        'tests/conftest.py:391: in proxy\n    raise RuntimeError(text)\nE   RuntimeError: Failed to start: "Not Found"',
        "open",
    ),
    "an empty list": ("def test_a():\n>       assert find()\nE       assert []\n\ntest_a.py:2: AssertionError", "disagreement"),
}


@pytest.mark.parametrize("said", SAID)
def test_the_text_of_a_failure_decides_between_test_and_application(said: str) -> None:
    details, meaning = SAID[said]
    assert concluded(case(details)) == MEANING[meaning]
