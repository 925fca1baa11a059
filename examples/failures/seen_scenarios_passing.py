"""The runs of the first corpus that passed, and whose logs show a failure all the same."""

from __future__ import annotations

from scenario import Scenario

PASSING = (
    Scenario(
        "swallowed",
        "test_import_of_orders",
        {
            "test_import_of_orders.py": """
                import logging

                log = logging.getLogger("orders")


                def test_import_of_orders():
                    rows = [1, 2]
                    try:
                        assert len(rows) == 3
                    except AssertionError:
                        log.exception("rows differ")
            """,
        },
        is_false_positive=True,
    ),
    Scenario(
        "swallowed",
        "test_background_sync",
        {
            "test_background_sync.py": """
                import threading


                def sync():
                    raise RuntimeError("nothing was synchronised")


                def test_background_sync():
                    threading.excepthook = lambda given: print(f"Exception in thread {given.thread.name}: {given.exc_value}")
                    thread = threading.Thread(target=sync, name="sync")
                    thread.start()
                    thread.join()
            """,
        },
        is_false_positive=True,
    ),
    Scenario(
        "expected error",
        "test_bad_order_is_logged",
        {
            "test_bad_order.py": """
                import logging

                log = logging.getLogger("orders")


                def test_bad_order_is_logged(caplog):
                    log.error("order without lines is refused")
                    assert "refused" in caplog.text
            """,
        },
        is_false_positive=False,
    ),
)
"""Passing runs: two that should have failed, one whose error is what was tested."""
