"""The runs of the second corpus whose failure has to do with time or chance, and those that passed too easily."""

from __future__ import annotations

from scenario import ONCE, TWICE, Attempt, Scenario

FAILS_THEN_PASSES = (Attempt(), Attempt(fails=False))
FAILS_THEN_PASSES_TWICE = (Attempt(), Attempt(fails=False), Attempt(fails=False))

_TIMEOUTS = (
    Scenario(
        "timeout",
        "test_barometer_reports",
        {
            "barometer.py": """
                import select
                import socket


                def report():
                    ours, theirs = socket.socketpair()
                    ready, _, _ = select.select([ours], [], [], 0.2)
                    if not ready:
                        raise TimeoutError("barometer sent nothing for 0.2 s")
            """,
            "test_barometer.py": """
                from barometer import report


                def test_barometer_reports():
                    report()
            """,
        },
    ),
    Scenario(
        "timeout",
        "test_lab_result_arrives",
        {
            "lab.py": """
                import http.client
                import socket

                LISTENER = socket.create_server(("localhost", 0))


                def result():
                    client = http.client.HTTPConnection("localhost", LISTENER.getsockname()[1], timeout=0.3)
                    client.request("GET", "/results/9")
                    return client.getresponse().status
            """,
            "test_lab.py": """
                import lab


                def test_lab_result_arrives():
                    assert lab.result() == 200
            """,
        },
        TWICE,
    ),
    Scenario(
        "timeout",
        "test_scanner_warms_up",
        {
            "scanner.py": """
                import concurrent.futures
                import threading

                WARM = threading.Event()


                def warm_up():
                    with concurrent.futures.ThreadPoolExecutor() as pool:
                        waiting = pool.submit(WARM.wait, 1)
                        return waiting.result(timeout=0.2)
            """,
            "test_scanner.py": """
                from scanner import warm_up


                def test_scanner_warms_up():
                    assert warm_up()
            """,
        },
    ),
    Scenario(
        "timeout",
        "test_satellite_link",
        {
            "link.py": """
                import asyncio


                async def link():
                    async with asyncio.timeout(0.2):
                        await asyncio.sleep(10)
            """,
            "test_link.py": """
                import asyncio
                import unittest

                from link import link


                class LinkTest(unittest.IsolatedAsyncioTestCase):
                    async def test_satellite_link(self):
                        await link()
            """,
        },
        TWICE,
    ),
)


def _drawn(first: int, second: int) -> tuple[Attempt, Attempt]:
    return Attempt(environment={"DRAW": str(first)}), Attempt(environment={"DRAW": str(second)}, fails=False)


_DRAWN = """
    import os
    import random


    def pytest_configure(config):
        random.seed(os.environ["DRAW"])


    def pytest_report_header(config):
        return "simulation seed = " + os.environ["DRAW"]
"""

_SEEDS = (
    Scenario(
        "seed",
        "test_simulated_rain",
        {
            "conftest.py": _DRAWN,
            "rain.py": """
                import random


                def days_of_rain(days):
                    return sum(random.random() < 0.5 for _ in range(days))
            """,
            "test_rain.py": """
                from rain import days_of_rain


                def test_simulated_rain():
                    assert 8 <= days_of_rain(20) <= 11
            """,
        },
        _drawn(7001, 7000),
    ),
    Scenario(
        "seed",
        "test_book_of_the_day",
        {
            "conftest.py": _DRAWN,
            "test_book_of_the_day.py": """
                import random

                BOOKS = ["Emma", "The Waves", "Salome"]


                def test_book_of_the_day():
                    chosen = random.choice(BOOKS)
                    assert chosen != "Salome"
            """,
        },
        _drawn(7003, 7000),
    ),
    Scenario(
        "seed",
        "test_anonymous_ids",
        {
            "anonymous.py": """
                import uuid


                def anonymous_id():
                    return str(uuid.uuid4())[:8]
            """,
            "test_anonymous.py": """
                from anonymous import anonymous_id


                def test_anonymous_ids():
                    assert not anonymous_id()[0].isdigit()
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "seed",
        "test_departments_in_line",
        {
            "departments.py": """
                def line(departments):
                    return " > ".join(set(departments))
            """,
            "test_departments.py": """
                from departments import line


                def test_departments_in_line():
                    assert line(["triage", "x-ray"]) == "triage > x-ray"
            """,
        },
        FAILS_THEN_PASSES,
    ),
)

_CLOCKS = (
    Scenario(
        "clock",
        "test_membership_is_current",
        {
            "membership.py": """
                from datetime import datetime


                def is_current(until):
                    return datetime.now() < datetime.fromisoformat(until)
            """,
            "test_membership.py": """
                from membership import is_current


                def test_membership_is_current():
                    assert is_current("2026-03-31T00:00:00")
            """,
        },
        TWICE,
    ),
    Scenario(
        "clock",
        "test_report_title",
        {
            "title.py": """
                import datetime


                def title():
                    return f"Weather report {datetime.date.today():%Y}"
            """,
            "test_title.py": """
                import unittest

                from title import title


                class TitleTest(unittest.TestCase):
                    def test_report_title(self):
                        self.assertEqual(title(), "Weather report 2024")
            """,
        },
        TWICE,
    ),
    Scenario(
        "clock",
        "test_prescription_is_accepted",
        {
            "prescription.py": """
                import time


                class Rejected(ValueError):
                    pass


                def accept(valid_until):
                    if time.time() > valid_until:
                        raise Rejected(f"prescription has expired ({time.ctime(valid_until)})")
            """,
            "test_prescription.py": """
                from prescription import accept


                def test_prescription_is_accepted():
                    accept(1_767_225_600)
            """,
        },
    ),
    Scenario(
        "clock",
        "test_next_opening_day",
        {
            "opening.py": """
                from datetime import date


                def next_opening():
                    return max(date.today(), date(2025, 9, 1))
            """,
            "test_opening.py": """
                from datetime import date

                from opening import next_opening


                def test_next_opening_day():
                    assert next_opening() == date(2025, 9, 1)
            """,
        },
        ONCE,
    ),
)

_FLAKY = (
    Scenario(
        "flaky",
        "test_alarm_rings",
        {
            "alarm.py": """
                import threading
                import time


                class Alarm:
                    rang = False

                    def set(self):
                        threading.Timer((time.monotonic_ns() % 1000) / 8_000, self.ring).start()

                    def ring(self):
                        self.rang = True
            """,
            "test_alarm.py": """
                import time

                from alarm import Alarm


                def test_alarm_rings():
                    alarm = Alarm()
                    alarm.set()
                    time.sleep(0.06)
                    assert alarm.rang
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_scan_duration",
        {
            "scan.py": """
                import time


                def scan():
                    began = time.monotonic()
                    time.sleep((time.monotonic_ns() % 1000) / 15_000)
                    return time.monotonic() - began
            """,
            "test_scan.py": """
                from scan import scan


                def test_scan_duration():
                    seconds = scan()
                    assert seconds < 0.03
            """,
        },
        FAILS_THEN_PASSES_TWICE,
    ),
    Scenario(
        "flaky",
        "test_pages_arrive_in_order",
        {
            "pages_async.py": """
                import asyncio
                import time


                async def fetch(number, out):
                    await asyncio.sleep((time.monotonic_ns() % 991) / 20_000)
                    out.append(number)


                async def fetch_all():
                    out = []
                    await asyncio.gather(*(fetch(number, out) for number in (1, 2)))
                    return out
            """,
            "test_pages_async.py": """
                import asyncio

                from pages_async import fetch_all


                def test_pages_arrive_in_order():
                    assert asyncio.run(fetch_all()) == [1, 2]
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_buffer_is_flushed",
        {
            "buffer.py": """
                import threading
                import time

                LINES = []


                def flush_soon(line):
                    def run():
                        time.sleep((time.monotonic_ns() % 1000) / 9_000)
                        LINES.append(line)

                    threading.Thread(target=run, daemon=True).start()
            """,
            "test_buffer.py": """
                import time

                import buffer


                def test_buffer_starts_empty():
                    assert buffer.LINES == []


                def test_buffer_is_flushed():
                    buffer.flush_soon("21.5")
                    deadline = time.monotonic() + 0.05
                    while time.monotonic() < deadline:
                        pass
                    assert buffer.LINES
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_heartbeat",
        {
            "heartbeat.py": """
                import time


                def beats():
                    return 3 if time.monotonic_ns() % 2 else 2
            """,
            "test_heartbeat.py": """
                from heartbeat import beats


                def test_heartbeat():
                    assert beats() == 3
            """,
        },
        FAILS_THEN_PASSES,
    ),
)

_PASSING = (
    Scenario(
        "swallowed",
        "test_night_readings",
        {
            "test_night.py": """
                import traceback


                def test_night_readings():
                    try:
                        assert [3, 4] == [3, 5]
                    except Exception:
                        traceback.print_exc()
            """,
        },
        is_false_positive=True,
    ),
    Scenario(
        "swallowed",
        "test_returned_books",
        {
            "test_returned.py": """
                import asyncio


                async def book():
                    raise LookupError("no such book")


                def test_returned_books():
                    async def main():
                        asyncio.get_running_loop().set_exception_handler(lambda loop, given: print(given["message"]))
                        task = asyncio.ensure_future(book())
                        await asyncio.sleep(0.01)
                        del task

                    asyncio.run(main())
            """,
        },
        is_false_positive=True,
    ),
    Scenario(
        "expected error",
        "test_unknown_ward_is_reported",
        {
            "test_unknown_ward.py": """
                import logging


                def test_unknown_ward_is_reported(caplog):
                    logging.getLogger("wards").critical("ward 99 does not exist")
                    assert caplog.records
            """,
        },
        is_false_positive=False,
    ),
)

IN_TIME = (*_TIMEOUTS, *_SEEDS, *_CLOCKS, *_FLAKY, *_PASSING)
"""Time-outs, random data, clocks, tests that pass on a rerun, and passing tests with trouble in their logs."""
