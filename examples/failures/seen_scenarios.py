"""The corpus the triage rules were written with: a shop, its stock and its deliveries."""

from __future__ import annotations

from scenario import TWICE, Attempt, Scenario
from seen_scenarios_in_time import IN_TIME
from seen_scenarios_passing import PASSING


def _alone(test: str, *, fails: bool = False) -> Attempt:
    return Attempt(arguments=("-k", test), fails=fails)


_ASSERTIONS = (
    Scenario(
        "assertion",
        "test_total_includes_shipping",
        {
            "shop/__init__.py": "",
            "shop/pricing.py": """
                def total(prices, shipping):
                    return sum(prices)
            """,
            "tests/test_pricing.py": """
                from shop.pricing import total


                def test_total_of_nothing():
                    assert total([], 0) == 0


                def test_total_includes_shipping():
                    assert total([10, 20], 5) == 35
            """,
        },
        TWICE,
    ),
    Scenario(
        "assertion",
        "test_last_page_is_short",
        {
            "pages.py": """
                def page(items, number, size):
                    start = number * size
                    return items[start:start + size]
            """,
            "test_pages.py": """
                from pages import page


                def test_first_page():
                    assert page([1, 2, 3, 4, 5], 0, 2) == [1, 2]


                def test_last_page_is_short():
                    assert page([1, 2, 3, 4, 5], 3, 2) == [5]
            """,
        },
        (Attempt(), _alone("test_last_page_is_short", fails=True)),
    ),
    Scenario(
        "assertion",
        "test_average_price_of_an_empty_basket",
        {
            "basket.py": """
                def average(prices):
                    return sum(prices) / len(prices)
            """,
            "test_basket.py": """
                from basket import average


                def test_average_price():
                    assert average([2, 4]) == 3


                def test_average_price_of_an_empty_basket():
                    assert average([]) == 0
            """,
        },
    ),
    Scenario(
        "assertion",
        "test_code_is_upper_case",
        {
            "codes.py": """
                def code(name, number):
                    return f"{name[:3]}-{number}"
            """,
            "test_codes.py": """
                import unittest

                from codes import code


                class CodeTest(unittest.TestCase):
                    def test_code_is_upper_case(self):
                        self.assertEqual(code("lamp", 7), "LAM-7")

                    def test_code_has_the_number(self):
                        self.assertTrue(code("lamp", 7).endswith("7"))
            """,
        },
    ),
    Scenario(
        "assertion",
        "test_discount_is_not_applied_twice",
        {
            "discount.py": """
                def discounted(price, percent):
                    once = price - price * percent // 100
                    return once - once * percent // 100
            """,
            "test_discount.py": """
                from discount import discounted


                def test_discount_is_not_applied_twice():
                    price = discounted(200, 10)
                    assert price == 180, "ten percent of 200 is 20"
            """,
        },
        TWICE,
    ),
)

_IMPORTS = (
    Scenario(
        "import",
        "tests.test_catalogue",
        {
            "catalogue.py": "ITEMS = ['lamp', 'chair']\n",
            "tests/test_catalogue.py": """
                import frobnicate_tables

                from catalogue import ITEMS


                def test_catalogue_lists_lamps():
                    assert frobnicate_tables.column(ITEMS, 0) == 'lamp'
            """,
            "tests/test_other.py": "def test_nothing_else_is_touched():\n    assert True\n",
        },
    ),
    Scenario(
        "import",
        "test_order_from_builder",
        {
            "order.py": "def lines(order):\n    return len(order)\n",
            "helpers_for_tests.py": "def make_order():\n    return ['lamp']\n",
            "test_order.py": """
                def test_order_from_builder():
                    from helpers_for_tests import make_big_order
                    from order import lines

                    assert lines(make_big_order()) == 40
            """,
        },
        TWICE,
    ),
    Scenario(
        "import",
        "test_report_as_table",
        {
            "report.py": """
                def as_table(rows):
                    import tabulatorix

                    return tabulatorix.render(rows)
            """,
            "test_report.py": """
                from report import as_table


                def test_report_as_table():
                    assert as_table([("lamp", 2)]).startswith("lamp")


                def test_report_exists():
                    assert callable(as_table)
            """,
        },
    ),
    Scenario(
        "import",
        "test_returns",
        {
            "returns.py": "def allowed(days):\n    return days <= 30\n",
            "testing_tools/__init__.py": "",
            "test_returns.py": """
                from testing_tools.clocks import frozen

                from returns import allowed


                def test_returns_within_a_month():
                    with frozen():
                        assert allowed(30)
            """,
        },
        TWICE,
    ),
)

_FIXTURES = (
    Scenario(
        "fixture",
        "test_stock_is_counted",
        {
            "test_stock.py": """
                def test_stock_starts_empty():
                    assert [] == []


                def test_stock_is_counted(stocked_warehouse):
                    assert len(stocked_warehouse) == 3
            """,
        },
    ),
    Scenario(
        "fixture",
        "test_customer_has_an_address",
        {
            "test_customer.py": """
                import pytest

                RECORDS = {"ada": {"name": "Ada"}}


                @pytest.fixture
                def customer():
                    record = dict(RECORDS["ada"])
                    record["address"] = RECORDS["addresses"]["ada"]
                    return record


                def test_customer_has_an_address(customer):
                    assert customer["address"]
            """,
        },
        TWICE,
    ),
    Scenario(
        "fixture",
        "test_invoice_number",
        {
            "conftest.py": """
                import pytest


                @pytest.fixture
                def counter():
                    return iter(range(100))


                @pytest.fixture(scope="session")
                def numbering(counter):
                    return lambda: next(counter)
            """,
            "test_invoice.py": """
                def test_invoice_number(numbering):
                    assert numbering() == 0
            """,
        },
    ),
    Scenario(
        "fixture",
        "test_price_list_is_read",
        {
            "conftest.py": """
                from pathlib import Path

                import pytest


                @pytest.fixture
                def price_list():
                    return (Path(__file__).parent / "data" / "prices-2024.csv").read_text()
            """,
            "test_price_list.py": """
                def test_price_list_is_read(price_list):
                    assert "lamp" in price_list
            """,
        },
    ),
)

_REFUSED = (
    Scenario(
        "refused",
        "test_stock_service_answers",
        {
            "test_stock_service.py": """
                import socket


                def test_stock_service_answers():
                    with socket.create_connection(("127.0.0.1", 9), timeout=2) as connection:
                        connection.sendall(b"PING")
            """,
        },
    ),
    Scenario(
        "refused",
        "test_rates_are_fetched",
        {
            "rates.py": """
                import urllib.request


                def fetch():
                    with urllib.request.urlopen("http://127.0.0.1:9/rates", timeout=2) as reply:
                        return reply.read()
            """,
            "test_rates.py": """
                from rates import fetch


                def test_rates_are_fetched():
                    assert fetch() == b"1.08"
            """,
        },
        TWICE,
    ),
    Scenario(
        "refused",
        "test_payment_is_accepted",
        {
            "payment.py": """
                import socket


                class PaymentError(Exception):
                    pass


                def pay(amount):
                    try:
                        socket.create_connection(("127.0.0.1", 9), timeout=2)
                    except OSError as error:
                        raise PaymentError(f"payment of {amount} was not accepted") from error
            """,
            "test_payment.py": """
                from payment import pay


                def test_payment_is_accepted():
                    pay(12)
            """,
        },
    ),
    Scenario(
        "refused",
        "test_delivery_status_page",
        {
            "delivery.py": """
                import logging
                import socket

                log = logging.getLogger("delivery")


                def status_page():
                    try:
                        socket.create_connection(("127.0.0.1", 9), timeout=2)
                    except OSError as error:
                        log.error("carrier 127.0.0.1:9: %s", error)
                        return 503
                    return 200
            """,
            "test_delivery.py": """
                from delivery import status_page


                def test_delivery_status_page():
                    assert status_page() == 200
            """,
        },
        TWICE,
    ),
)

_ORDER = (
    Scenario(
        "order",
        "test_new_cart_is_empty",
        {
            "cart.py": """
                ITEMS = []


                def add(item):
                    ITEMS.append(item)


                def count():
                    return len(ITEMS)
            """,
            "test_cart.py": """
                from cart import add, count


                def test_adding_an_item():
                    add("lamp")
                    assert count() >= 1


                def test_new_cart_is_empty():
                    assert count() == 0
            """,
        },
        (*TWICE, _alone("test_new_cart_is_empty")),
    ),
    Scenario(
        "order",
        "test_default_currency",
        {
            "currency.py": """
                import os


                def currency():
                    return os.environ.get("SHOP_CURRENCY", "EUR")
            """,
            "test_currency.py": """
                import os

                from currency import currency


                def test_currency_of_the_environment():
                    os.environ["SHOP_CURRENCY"] = "JPY"
                    assert currency() == "JPY"


                def test_default_currency():
                    assert currency() == "EUR"
            """,
        },
        (*TWICE, _alone("test_default_currency")),
    ),
    Scenario(
        "order",
        "test_first_customer_number",
        {
            "numbers_given.py": """
                _last = 0


                def next_number():
                    global _last
                    _last += 1
                    return _last
            """,
            "test_numbers.py": """
                from numbers_given import next_number


                def test_numbers_grow():
                    assert next_number() < next_number()


                def test_first_customer_number():
                    assert next_number() == 1
            """,
        },
        (*TWICE, _alone("test_first_customer_number")),
    ),
    Scenario(
        "order",
        "test_template_is_found",
        {
            "templates/mail.txt": "Dear customer\n",
            "test_mail.py": """
                import os
                from pathlib import Path


                def test_mail_is_written_elsewhere(tmp_path):
                    os.chdir(tmp_path)
                    Path("mail.txt").write_text("sent")
                    assert Path("mail.txt").exists()


                def test_template_is_found():
                    assert Path("templates/mail.txt").read_text().startswith("Dear")
            """,
        },
        (Attempt(), _alone("test_template_is_found")),
    ),
)

_DISK = (
    Scenario(
        "disk",
        "test_receipt_is_saved",
        {
            "test_receipt.py": """
                def test_receipt_is_saved():
                    with open("/dev/full", "w") as file:
                        file.write("paid: 12")
            """,
        },
    ),
    Scenario(
        "disk",
        "test_orders_are_kept",
        {
            "store.py": """
                import sqlite3


                def keep(orders):
                    database = sqlite3.connect(":memory:")
                    database.execute("PRAGMA max_page_count = 3")
                    database.execute("CREATE TABLE orders (id, text)")
                    database.executemany("INSERT INTO orders VALUES (?, ?)", orders)
                    return database
            """,
            "test_store.py": """
                from store import keep


                def test_orders_are_kept():
                    database = keep((number, "lamp " * 50) for number in range(500))
                    assert database.execute("SELECT count(*) FROM orders").fetchone() == (500,)
            """,
        },
        TWICE,
    ),
    Scenario(
        "disk",
        "test_backup_is_complete",
        {
            "backup.py": """
                import shutil


                class BackupError(Exception):
                    pass


                def backup(source, target):
                    try:
                        shutil.copyfile(source, target)
                    except OSError as error:
                        raise BackupError(f"backup of {source} stopped") from error
            """,
            "orders.csv": "1,lamp\n" * 20,
            "test_backup.py": """
                from backup import backup


                def test_backup_is_complete():
                    backup("orders.csv", "/dev/full")
            """,
        },
    ),
    Scenario(
        "disk",
        "test_images_are_cached",
        {
            "images.py": """
                import logging

                log = logging.getLogger("images")


                def cache(image):
                    try:
                        with open("/dev/full", "wb") as file:
                            file.write(image)
                    except OSError:
                        log.exception("image of %d bytes not cached", len(image))
                        return False
                    return True
            """,
            "test_images.py": """
                from images import cache


                def test_images_are_cached():
                    assert cache(b"lamp" * 100)
            """,
        },
        TWICE,
    ),
)

SCENARIOS = (*_ASSERTIONS, *_IMPORTS, *_FIXTURES, *_REFUSED, *_ORDER, *_DISK, *IN_TIME, *PASSING)
"""Every run of this corpus."""
