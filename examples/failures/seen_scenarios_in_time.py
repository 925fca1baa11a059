"""The runs of the first corpus whose failure has to do with time or chance."""

from __future__ import annotations

from scenario import ONCE, TWICE, Attempt, Scenario

FAILS_THEN_PASSES = (Attempt(), Attempt(fails=False))

_SLOW_SERVER = """
    import socket
    import threading

    KEPT = []


    def slow_server():
        listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=lambda: KEPT.append(listener.accept()), daemon=True).start()
        return listener
"""

_TIMEOUTS = (
    Scenario(
        "timeout",
        "test_carrier_sends_a_quote",
        {
            "slow.py": _SLOW_SERVER,
            "test_carrier.py": """
                import socket

                from slow import slow_server


                def test_carrier_sends_a_quote():
                    address = slow_server().getsockname()
                    with socket.create_connection(address, timeout=0.3) as connection:
                        connection.sendall(b"QUOTE 12")
                        assert connection.recv(100) == b"4.90"
            """,
        },
    ),
    Scenario(
        "timeout",
        "test_label_printer_finishes",
        {
            "test_label_printer.py": """
                import subprocess
                import sys


                def test_label_printer_finishes():
                    subprocess.run([sys.executable, "-c", "import time; time.sleep(5)"], timeout=0.3, check=True)
            """,
        },
        TWICE,
    ),
    Scenario(
        "timeout",
        "test_search_index_is_ready",
        {
            "index.py": """
                import asyncio


                async def ready():
                    await asyncio.Event().wait()
            """,
            "test_index.py": """
                import asyncio

                from index import ready


                def test_search_index_is_ready():
                    asyncio.run(asyncio.wait_for(ready(), 0.2))
            """,
        },
        TWICE,
    ),
    Scenario(
        "timeout",
        "test_order_is_shipped",
        {
            "slow.py": _SLOW_SERVER,
            "shipping.py": """
                import urllib.request


                def shipped(address):
                    with urllib.request.urlopen("http://%s:%d/orders/17" % address, timeout=0.3) as reply:
                        return reply.status == 200
            """,
            "test_shipping.py": """
                from shipping import shipped
                from slow import slow_server


                def test_order_is_shipped():
                    assert shipped(slow_server().getsockname())
            """,
        },
    ),
)

_SEEDED = """
    import os
    import random

    import pytest


    def pytest_report_header():
        return f"random seed: {os.environ.get('SHOP_SEED')}"


    @pytest.fixture(autouse=True)
    def seeded():
        random.seed(int(os.environ["SHOP_SEED"]))
"""


def _seeds(first: int, second: int) -> tuple[Attempt, Attempt]:
    return Attempt(environment={"SHOP_SEED": str(first)}), Attempt(environment={"SHOP_SEED": str(second)}, fails=False)


_SEEDS = (
    Scenario(
        "seed",
        "test_recommended_items_are_new",
        {
            "conftest.py": _SEEDED,
            "test_recommended.py": """
                import random


                def test_recommended_items_are_new():
                    items = random.sample(range(10), 3)
                    assert 7 not in items
            """,
        },
        _seeds(4000, 4001),
    ),
    Scenario(
        "seed",
        "test_shuffled_offers_begin_with_the_best",
        {
            "conftest.py": _SEEDED,
            "offers.py": """
                import random


                def shuffled(offers):
                    return random.sample(offers, len(offers))
            """,
            "test_offers.py": """
                from offers import shuffled


                def test_shuffled_offers_begin_with_the_best():
                    assert shuffled(["lamp", "chair"])[0] == "lamp"
            """,
        },
        _seeds(4001, 4003),
    ),
    Scenario(
        "seed",
        "test_tags_are_joined",
        {
            "test_tags.py": """
                def test_tags_are_joined():
                    tags = {"new", "red", "sale"}
                    assert ",".join(tags) == "new,red,sale"
            """,
        },
        (Attempt(environment={"PYTHONHASHSEED": "1"}), Attempt(environment={"PYTHONHASHSEED": "16"}, fails=False)),
    ),
    Scenario(
        "seed",
        "test_coupon_codes_differ",
        {
            "coupons.py": """
                import random


                def coupon():
                    return f"SAVE{random.randrange(4)}"
            """,
            "test_coupons.py": """
                from coupons import coupon


                def test_coupon_codes_differ():
                    assert coupon() != coupon()
            """,
        },
        FAILS_THEN_PASSES,
    ),
)

_CLOCKS = (
    Scenario(
        "clock",
        "test_licence_is_valid",
        {
            "test_licence.py": """
                import datetime

                VALID_UNTIL = datetime.date(2025, 12, 31)


                def test_licence_is_valid():
                    assert datetime.date.today() <= VALID_UNTIL
            """,
        },
        TWICE,
    ),
    Scenario(
        "clock",
        "test_age_of_a_customer",
        {
            "age.py": """
                from datetime import date


                def age(born):
                    return date.today().year - born.year
            """,
            "test_age.py": """
                from datetime import date

                from age import age


                def test_age_of_a_customer():
                    assert age(date(1990, 1, 1)) == 35
            """,
        },
        TWICE,
    ),
    Scenario(
        "clock",
        "test_session_is_open",
        {
            "session.py": """
                from datetime import datetime, timezone


                class SessionExpiredError(Exception):
                    pass


                def check(expires):
                    now = datetime.now(timezone.utc)
                    if now >= expires:
                        raise SessionExpiredError(f"session expired at {expires.isoformat()}, now {now.isoformat()}")
            """,
            "test_session.py": """
                from datetime import datetime, timezone

                from session import check


                def test_session_is_open():
                    check(datetime(2026, 1, 1, tzinfo=timezone.utc))
            """,
        },
    ),
    Scenario(
        "clock",
        "test_copyright_year",
        {
            "footer.py": """
                import time


                def footer():
                    return f"© {time.localtime().tm_year} Lamps & Chairs"
            """,
            "test_footer.py": """
                from footer import footer


                def test_copyright_year():
                    assert footer() == "© 2025 Lamps & Chairs"
            """,
        },
    ),
)

_FLAKY = (
    Scenario(
        "flaky",
        "test_mail_is_sent_in_the_background",
        {
            "mailer.py": """
                import threading
                import time

                SENT = []


                def send_later(mail):
                    def work():
                        time.sleep((time.perf_counter_ns() % 1000) / 10_000)
                        SENT.append(mail)

                    threading.Thread(target=work).start()
            """,
            "test_mailer.py": """
                import time

                from mailer import SENT, send_later


                def test_mail_is_sent_in_the_background():
                    send_later("hello")
                    time.sleep(0.05)
                    assert SENT == ["hello"]
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_price_feed_is_fresh",
        {
            "feed.py": """
                import time


                def latency():
                    start = time.perf_counter()
                    time.sleep((time.perf_counter_ns() % 1000) / 20_000)
                    return time.perf_counter() - start
            """,
            "test_feed.py": """
                from feed import latency


                def test_price_feed_has_a_latency():
                    assert latency() >= 0


                def test_price_feed_is_fresh():
                    assert latency() < 0.025
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_both_workers_finish",
        {
            "workers.py": """
                import threading
                import time


                def work(names):
                    done = []

                    def one(name):
                        time.sleep((time.perf_counter_ns() % 997) / 30_000)
                        done.append(name)

                    threads = [threading.Thread(target=one, args=(name,)) for name in names]
                    for thread in threads:
                        thread.start()
                    for thread in threads:
                        thread.join()
                    return done
            """,
            "test_workers.py": """
                from workers import work


                def test_one_worker_finishes():
                    assert work(["pack"]) == ["pack"]


                def test_both_workers_finish():
                    assert work(["pack", "ship"]) == ["pack", "ship"]
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_stream_delivers_in_time",
        {
            "stream.py": """
                import queue
                import threading
                import time


                def stream():
                    events = queue.Queue()

                    def produce():
                        time.sleep((time.perf_counter_ns() % 1000) / 8_000)
                        events.put("sold")

                    threading.Thread(target=produce).start()
                    return events
            """,
            "test_stream.py": """
                from stream import stream


                def test_stream_delivers_in_time():
                    assert stream().get(timeout=0.06) == "sold"
            """,
        },
        FAILS_THEN_PASSES,
    ),
    Scenario(
        "flaky",
        "test_lock_is_released",
        {
            "locks.py": """
                import threading
                import time

                LOCK = threading.Lock()


                def hold():
                    def work():
                        with LOCK:
                            time.sleep((time.perf_counter_ns() % 1000) / 10_000)

                    threading.Thread(target=work).start()
            """,
            "test_locks.py": """
                import time

                from locks import LOCK, hold


                def test_lock_is_released():
                    hold()
                    time.sleep(0.05)
                    assert not LOCK.locked()
            """,
        },
        ONCE,
    ),
)

IN_TIME = (*_TIMEOUTS, *_SEEDS, *_CLOCKS, *_FLAKY)
"""Time-outs, random data, clocks, and tests that pass on a rerun."""
