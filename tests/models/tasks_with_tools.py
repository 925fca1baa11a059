"""Tasks whose right answer only a tool has: nobody can guess it."""

from datetime import date
from typing import Literal

from pydantic import BaseModel

from tests.models.task import Task


class Balance(BaseModel):
    """The balance of an account."""

    account: str
    balance: float


class Flight(BaseModel):
    """When and where a flight leaves."""

    gate: str
    delay_minutes: int


class Employee(BaseModel):
    """Where somebody works."""

    office: str
    team: str


class OrderStatus(BaseModel):
    """Where an order is."""

    status: Literal["packed", "shipped", "delivered"]
    carrier: str


class Email(BaseModel):
    email: str


class Release(BaseModel):
    package: str
    version: str


class Climate(BaseModel):
    """What a sensor measures."""

    degrees: float
    humidity_percent: int


class Loan(BaseModel):
    """Whether a book is on loan, and until when."""

    on_loan: bool
    due: date


class Parcel(BaseModel):
    kilograms: float


class Config(BaseModel):
    """How the server runs."""

    port: int
    workers: int


class Clock(BaseModel):
    """The time of day."""

    hour: int
    minute: int


class Hotel(BaseModel):
    phone: str
    stars: int


class Patient(BaseModel):
    name: str
    blood_group: str


class Winner(BaseModel):
    """Who won a match."""

    team: str
    goals: int


def get_balance(account: str) -> str:
    """Get the balance of an account."""
    return '{"account": "A-7", "balance": 312.4}'


def find_flight(number: str) -> str:
    """Find a flight by its number."""
    return "LH 454: gate B22, delayed by 35 minutes"


def find_employee(name: str) -> str:
    """Find an employee by name."""
    return '{"name": "Mei Tan", "office": "Room 214", "team": "Billing"}'


def get_order(order_id: int) -> str:
    """Get the status of an order."""
    return "Order 5512: shipped with DHL on 3 May"


def cancel_order(order_id: int) -> str:
    """Cancel an order."""
    return f"Order {order_id} is cancelled"


def get_user(user_id: int) -> str:
    """Get a user by id."""
    return '{"id": 81, "email": "noa@example.net"}'


def newest_version(package: str) -> str:
    """Get the newest version of a package."""
    return f"{package} 4.7.1"


def read_sensor(sensor_id: str) -> str:
    """Read a sensor."""
    return "degrees: 21.7, humidity: 48 %"


def find_book(book_id: str) -> str:
    """Find a book of the library."""
    return '{"id": "B-19", "on_loan": true, "due": "2026-03-14"}'


def count_seats(show: str) -> int:
    """Count the free seats of a show."""
    return 43


def weigh(parcel: str) -> str:
    """Weigh a parcel."""
    return "2.35 kg"


def search_handbook(query: str) -> str:
    """Search the handbook of the company."""
    return "Invoices are payable within 21 days."


def read_config() -> str:
    """Read the configuration of the server."""
    return "host = 0.0.0.0\nport = 8443\nworkers = 6"


def list_folder() -> list[str]:
    """List the files of the folder."""
    return ["report.txt", "prices.csv"]


def current_time() -> str:
    """Tell the time."""
    return "14:35"


def find_hotel(name: str) -> str:
    """Find a hotel by name."""
    return '{"name": "Astoria", "phone": "+39 06 5550", "stars": 4}'


def book_hotel(name: str, nights: int) -> str:
    """Book a hotel."""
    return f"{nights} nights at {name} are booked"


def get_rate(currency: str) -> float:
    """Get today's price of one unit of a currency in euros."""
    return 0.1347


def get_patient(number: int) -> str:
    """Get a patient's record."""
    return "Patient 33: Iris Vogt, blood group B+"


def delete_patient(number: int) -> str:
    """Delete a patient's record."""
    return f"The record of patient {number} is deleted"


def match_result(teams: str) -> str:
    """Look up the result of a match."""
    return '{"winner": "Larks", "goals": 5, "loser": "Wrens"}'


_LOAN = Loan(on_loan=True, due=date(2026, 3, 14))

TOOL_TASKS = (
    Task("balance", "What is the balance of account A-7?", Balance, (get_balance,), Balance(account="A-7", balance=312.4)),
    Task(
        "flight",
        "At which gate does flight LH 454 leave, and how late?",
        Flight,
        (find_flight,),
        Flight(gate="B22", delay_minutes=35),
    ),
    Task(
        "employee",
        "In which office and team does Mei Tan work?",
        Employee,
        (find_employee,),
        Employee(office="Room 214", team="Billing"),
    ),
    Task(
        "order_status",
        "Where is order 5512?",
        OrderStatus,
        (get_order, cancel_order),
        OrderStatus(status="shipped", carrier="DHL"),
        get_order,
    ),
    Task("email", "What is the email address of user 81?", Email, (get_user,), Email(email="noa@example.net")),
    Task(
        "release",
        "Which is the newest version of parsely?",
        Release,
        (newest_version,),
        Release(package="parsely", version="4.7.1"),
    ),
    Task("climate", "What does sensor S-3 measure?", Climate, (read_sensor,), Climate(degrees=21.7, humidity_percent=48)),
    Task("loan", "Is the book B-19 on loan, and until when?", Loan, (find_book,), _LOAN),
    Task("seats", "How many seats are free for the show Hamlet?", int, (count_seats,), 43),
    Task("parcel", "How heavy is parcel P-88?", Parcel, (weigh,), Parcel(kilograms=2.35)),
    Task("payable", "Within how many days is an invoice payable? Search the handbook.", int, (search_handbook,), 21),
    Task(
        "config",
        "On which port does the server listen, with how many workers?",
        Config,
        (read_config,),
        Config(port=8443, workers=6),
    ),
    Task("folder", "Which files are in the folder?", list[str], (list_folder,), ["report.txt", "prices.csv"]),
    Task("clock", "What time is it?", Clock, (current_time,), Clock(hour=14, minute=35)),
    Task(
        "hotel",
        "Which phone number has the hotel Astoria?",
        Hotel,
        (find_hotel, book_hotel),
        Hotel(phone="+39 06 5550", stars=4),
        find_hotel,
    ),
    Task("rate", "How many euros is one krone today?", float, (get_rate,), 0.1347),
    Task(
        "patient",
        "Who is patient 33?",
        Patient,
        (get_patient, delete_patient),
        Patient(name="Iris Vogt", blood_group="B+"),
        get_patient,
    ),
    Task("winner", "Who won the match Larks against Wrens?", Winner, (match_result,), Winner(team="Larks", goals=5)),
)
