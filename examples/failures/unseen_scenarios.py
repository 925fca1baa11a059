"""The corpus made after the rules were frozen: a weather station, a library and a clinic, with other words and other code."""

from __future__ import annotations

from scenario import ONCE, TWICE, Attempt, Scenario
from unseen_scenarios_in_time import IN_TIME


def _only(expression: str, *, fails: bool = False) -> Attempt:
    return Attempt(arguments=("-k", expression), fails=fails)


_ASSERTIONS = (
    Scenario(
        "assertion",
        "test_boiling_point",
        {
            "station/__init__.py": "",
            "station/units.py": """
                def fahrenheit(celsius):
                    return celsius * 9 / 5 - 32
            """,
            "checks/test_units.py": """
                import pytest

                from station.units import fahrenheit


                @pytest.mark.parametrize("celsius", [-40])
                def test_cold(celsius):
                    assert fahrenheit(celsius) < 0


                def test_boiling_point():
                    assert fahrenheit(100) == pytest.approx(212)
            """,
        },
        ONCE,
    ),
    Scenario(
        "assertion",
        "test_late_fee",
        {
            "lending.py": """
                class Loan:
                    def __init__(self, days):
                        self.days = days

                    def fee(self):
                        return max(0, self.days - 28) * 20
            """,
            "test_lending.py": """
                import unittest

                import lending


                class LateFeeTest(unittest.TestCase):
                    def setUp(self):
                        self.loan = lending.Loan(30)

                    def test_late_fee(self):
                        self.assertEqual(self.loan.fee(), 50, "two days late at 25 cents")
            """,
        },
        TWICE,
    ),
    Scenario(
        "assertion",
        "test_dose_by_weight",
        {
            "dosage.py": """
                TABLE = {"adult": 40, "child": 20}


                def dose(group, kilos):
                    return TABLE[group] * kilos
            """,
            "test_dosage.py": """
                from dosage import dose


                def test_dose_of_grown_ups():
                    assert dose("adult", 70) == 2800


                def test_dose_by_weight():
                    assert dose("infant", 4) == 40
            """,
        },
        TWICE,
    ),
    Scenario(
        "assertion",
        "test_shelves_are_sorted",
        {
            "shelves.py": """
                def arrange(titles):
                    return sorted(titles)
            """,
            "conftest.py": """
                import pytest


                @pytest.fixture
                def titles():
                    return ["The Waves", "Emma", "An Ideal Husband"]
            """,
            "test_shelves.py": """
                from shelves import arrange


                def test_shelves_are_sorted(titles):
                    assert arrange(titles) == ["Emma", "An Ideal Husband", "The Waves"]
            """,
        },
        TWICE,
    ),
    Scenario(
        "assertion",
        "test_summary_of_readings",
        {
            "summary.py": """
                def describe(readings):
                    lowest, highest = readings[0], readings[-1]
                    return {"low": lowest, "high": highest, "span": highest - lowest}
            """,
            "test_summary.py": """
                from summary import describe


                def test_summary_of_readings():
                    assert describe([4, -2, 9, 7]) == {"low": -2, "high": 9, "span": 11}
            """,
        },
        ONCE,
    ),
    Scenario(
        "assertion",
        "test_depth_of_index",
        {
            "catalog_index.py": """
                def depth(tree):
                    return 1 + max(depth(child) for child in tree)
            """,
            "test_catalog_index.py": """
                from catalog_index import depth


                def test_depth_of_index():
                    assert depth([[], [[]]]) == 3
            """,
        },
        ONCE,
    ),
)

_IMPORTS = (
    Scenario(
        "import",
        "test_chart_has_axes",
        {
            "charts.py": """
                import plotnificent as pn


                def chart(points):
                    return pn.line(points)
            """,
            "test_charts.py": """
                def test_chart_has_axes():
                    from charts import chart

                    assert chart([1, 2]).axes
            """,
        },
    ),
    Scenario(
        "import",
        "test_patients",
        {
            "patients.py": "class Patient:\n    pass\n",
            "test_patients.py": """
                from patients import Patient
                from support.factories import PatientFactory


                def test_patient_from_factory():
                    assert isinstance(PatientFactory(), Patient)
            """,
        },
        TWICE,
    ),
    Scenario(
        "import",
        "test_wind_rose",
        {
            "wind.py": "DIRECTIONS = 16\n",
            "test_wind.py": """
                import importlib

                from wind import DIRECTIONS


                def test_wind_rose():
                    plugin = importlib.import_module("windplugins.rose")
                    assert plugin.petals == DIRECTIONS
            """,
        },
    ),
    Scenario(
        "import",
        "test_barcode",
        {
            "barcode_tools.py": "def ean(code):\n    return str(code).zfill(13)\n",
            "test_barcode.py": """
                from unittest import TestCase

                from barcode_tools import ean
                from collections import OrderedMapping


                class BarcodeTest(TestCase):
                    def test_length(self):
                        self.assertEqual(len(ean(7)), 13)
            """,
        },
    ),
)

_FIXTURES = (
    Scenario(
        "fixture",
        "test_reservation",
        {
            "test_reservation.py": """
                import pytest


                @pytest.fixture(scope="module")
                def reader(library_card):
                    return {"card": library_card}


                def test_reservation(reader):
                    assert reader["card"]
            """,
        },
    ),
    Scenario(
        "fixture",
        "test_ward_has_beds",
        {
            "test_ward.py": """
                import json
                import unittest


                class WardTest(unittest.TestCase):
                    def setUp(self):
                        self.ward = json.loads('{"name": "North", "beds": 12,}')

                    def test_ward_has_beds(self):
                        self.assertEqual(self.ward["beds"], 12)
            """,
        },
        TWICE,
    ),
    Scenario(
        "fixture",
        "test_sensor_is_calibrated",
        {
            "conftest.py": """
                import pytest


                class Rig:
                    def attach(self, sensor, port):
                        return (sensor, port)


                @pytest.fixture
                def sensor():
                    return Rig().attach("thermometer")
            """,
            "test_sensor.py": """
                def test_sensor_is_calibrated(sensor):
                    assert sensor
            """,
        },
    ),
    Scenario(
        "fixture",
        "test_readings_per_hour",
        {
            "readings.py": """
                def per_hour(readings, hours):
                    return len(readings) / hours
            """,
            "conftest.py": """
                import pytest


                @pytest.fixture
                def readings():
                    return [1, 2, 3, 4, 5]  # the sixth was lost when the fixture was copied
            """,
            "test_readings.py": """
                from readings import per_hour


                def test_readings_per_hour(readings):
                    assert per_hour(readings, 3) == 2
            """,
        },
    ),
)

_REFUSED = (
    Scenario(
        "refused",
        "test_forecast_is_downloaded",
        {
            "forecast.py": """
                import http.client


                def download():
                    client = http.client.HTTPConnection("localhost", 1, timeout=3)
                    client.request("GET", "/forecast.json")
                    return client.getresponse().read()
            """,
            "test_forecast.py": """
                from forecast import download


                def test_forecast_is_downloaded():
                    assert b"sunny" in download()
            """,
        },
    ),
    Scenario(
        "refused",
        "test_catalogue_sync",
        {
            "sync.py": """
                import asyncio


                async def sync():
                    reader, writer = await asyncio.open_connection("127.0.0.1", 1)
                    writer.close()
            """,
            "test_sync.py": """
                import asyncio

                import sync


                def test_catalogue_sync():
                    asyncio.run(sync.sync())
            """,
        },
        TWICE,
    ),
    Scenario(
        "refused",
        "test_appointment_reminder",
        {
            "reminder.py": """
                import smtplib


                class ReminderNotSent(RuntimeError):
                    pass


                def remind(address):
                    try:
                        with smtplib.SMTP("localhost", 1) as server:
                            server.sendmail("clinic@example.org", address, "Tomorrow at ten.")
                    except OSError as cause:
                        raise ReminderNotSent(address) from cause
            """,
            "test_reminder.py": """
                import reminder


                def test_appointment_reminder():
                    reminder.remind("ada@example.org")
            """,
        },
    ),
    Scenario(
        "refused",
        "test_radar_image",
        {
            "radar.py": """
                import urllib.error
                import urllib.request


                def image():
                    try:
                        return urllib.request.urlopen("http://localhost:1/radar.png", timeout=3).read()
                    except urllib.error.URLError as problem:
                        print(f"radar: error: {problem.reason}")
                        return None
            """,
            "test_radar.py": """
                from radar import image


                def test_radar_image():
                    assert image() is not None
            """,
        },
        TWICE,
    ),
)

_ORDER = (
    Scenario(
        "order",
        "test_no_loans_at_first",
        {
            "desk.py": """
                class Desk:
                    loans = []

                    def lend(self, title):
                        self.loans.append(title)
            """,
            "test_desk.py": """
                from desk import Desk


                def test_lending_a_book():
                    desk = Desk()
                    desk.lend("Emma")
                    assert "Emma" in desk.loans


                def test_no_loans_at_first():
                    assert Desk().loans == []
            """,
        },
        (*TWICE, _only("no_loans")),
    ),
    Scenario(
        "order",
        "test_locale_of_reports",
        {
            "reports.py": """
                SETTINGS = {"decimal": "."}


                def number(value):
                    return str(value).replace(".", SETTINGS["decimal"])
            """,
            "test_reports.py": """
                import reports


                def test_german_reports():
                    reports.SETTINGS["decimal"] = ","
                    assert reports.number(1.5) == "1,5"


                def test_locale_of_reports():
                    assert reports.number(2.5) == "2.5"
            """,
        },
        (*TWICE, _only("locale")),
    ),
    Scenario(
        "order",
        "test_patient_can_be_registered",
        {
            "register.py": """
                import sqlite3

                DATABASE = sqlite3.connect(":memory:")
                DATABASE.execute("CREATE TABLE patients (name TEXT UNIQUE)")


                def register(name):
                    DATABASE.execute("INSERT INTO patients VALUES (?)", (name,))
            """,
            "test_register.py": """
                from register import DATABASE, register


                def test_patients_are_counted():
                    register("Ada")
                    assert DATABASE.execute("SELECT count(*) FROM patients").fetchone() == (1,)


                def test_patient_can_be_registered():
                    register("Ada")
            """,
        },
        (*TWICE, _only("can_be_registered")),
    ),
    Scenario(
        "order",
        "test_calibration_offset",
        {
            "calibration.py": """
                import functools

                OFFSETS = {"north": 3}


                @functools.lru_cache
                def offset(station):
                    return OFFSETS.get(station, 0)
            """,
            "test_calibration.py": """
                import calibration


                def test_unknown_station():
                    assert calibration.offset("south") == 0


                def test_calibration_offset():
                    calibration.OFFSETS["south"] = 5
                    assert calibration.offset("south") == 5
            """,
        },
        (Attempt(), _only("calibration_offset")),
    ),
)

_DISK = (
    Scenario(
        "disk",
        "test_log_is_rotated",
        {
            "rotation.py": """
                import os


                def rotate(path):
                    descriptor = os.open(path, os.O_WRONLY)
                    try:
                        os.write(descriptor, b"#" * 64)
                    finally:
                        os.close(descriptor)
            """,
            "test_rotation.py": """
                from rotation import rotate


                def test_log_is_rotated():
                    rotate("/dev/full")
            """,
        },
    ),
    Scenario(
        "disk",
        "test_scans_are_archived",
        {
            "archive.py": """
                import tarfile


                def archive(names, target):
                    with tarfile.open(target, "w") as tar:
                        for name in names:
                            tar.add(name)
            """,
            "scan.txt": "x-ray\n" * 200,
            "test_archive.py": """
                import archive


                def test_scans_are_archived():
                    archive.archive(["scan.txt"], "/dev/full")
            """,
        },
        TWICE,
    ),
    Scenario(
        "disk",
        "test_export_of_measurements",
        {
            "export.py": """
                import subprocess


                def export():
                    done = subprocess.run("echo 21.5 > /dev/full", shell=True, capture_output=True, text=True)
                    if done.returncode:
                        raise RuntimeError(f"export ended with {done.returncode}: {done.stderr.strip()}")
            """,
            "test_export.py": """
                from export import export


                def test_export_of_measurements():
                    export()
            """,
        },
    ),
    Scenario(
        "disk",
        "test_index_is_written",
        {
            "index_writer.py": """
                import sys


                def write(words):
                    try:
                        with open("/dev/full", "w", buffering=1) as file:
                            print(*words, sep="\\n", file=file)
                    except OSError as problem:
                        print("index_writer: ERROR", problem, file=sys.stderr)
                        return 0
                    return len(words)
            """,
            "test_index_writer.py": """
                from index_writer import write


                def test_index_is_written():
                    assert write(["austen", "wilde"]) == 2
            """,
        },
        TWICE,
    ),
)

SCENARIOS = (*_ASSERTIONS, *_IMPORTS, *_FIXTURES, *_REFUSED, *_ORDER, *_DISK, *IN_TIME)
"""Every run of this corpus."""
