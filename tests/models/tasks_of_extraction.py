"""Tasks without tools that have one right answer: facts of a text, and short questions."""

import dataclasses
from datetime import date
from decimal import Decimal
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from tests.models.task import Task


class Book(BaseModel):
    title: str
    author: str
    year: int


class Car(BaseModel):
    maker: str
    model: str
    year: int
    kilometres: int


class Address(BaseModel):
    street: str
    house_number: str
    postcode: str
    city: str


class Meeting(BaseModel):
    topic: str
    day: date
    participants: int


class Recipe(BaseModel):
    ingredients: list[str]
    minutes: int


class Payment(BaseModel):
    amount: Decimal
    currency: Literal["EUR", "USD", "GBP"]
    payee: str


class Measurement(BaseModel):
    degrees: float
    ward: int
    patient: int


class Head(BaseModel):
    first_name: str
    last_name: str


class Company(BaseModel):
    name: str
    head: Head
    city: str


class Paid(BaseModel):
    amount: float


class Refused(BaseModel):
    reason: str


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float


Shape = Annotated[Circle | Square, Field(discriminator="kind")]


class Weekday(Enum):
    MONDAY = "Monday"
    WEDNESDAY = "Wednesday"
    FRIDAY = "Friday"


class User(BaseModel):
    nick: str
    email: str | None = None


class Room(BaseModel):
    name: str
    square_metres: int


class Version(TypedDict):
    major: int
    minor: int
    patch: int


class Scores(BaseModel):
    scores: dict[str, int]


@dataclasses.dataclass
class Trip:
    """A trip by train."""

    start: str
    end: str
    hour: int


_ADDRESS = Address(street="Baker Street", house_number="12", postcode="10115", city="Berlin")
_COMPANY = Company(name="Acme", head=Head(first_name="Ida", last_name="Holm"), city="Vienna")
_ROOMS = [Room(name="kitchen", square_metres=12), Room(name="bedroom", square_metres=16)]

EXTRACTION = (
    Task("book", "Extract the book: Emma by Jane Austen, 1815.", Book, right=Book(title="Emma", author="Jane Austen", year=1815)),
    Task(
        "car",
        "Extract the car: a Volvo V60 from 2019 with 84000 kilometres.",
        Car,
        right=Car(maker="Volvo", model="V60", year=2019, kilometres=84000),
    ),
    Task("address", "Extract the address: 12 Baker Street, 10115 Berlin.", Address, right=_ADDRESS),
    Task(
        "meeting",
        "Extract the meeting: budget review on 5 March 2026 with 8 participants.",
        Meeting,
        right=Meeting(topic="budget review", day=date(2026, 3, 5), participants=8),
    ),
    Task(
        "recipe",
        "Extract the recipe: mix flour, sugar and butter; bake for 25 minutes.",
        Recipe,
        right=Recipe(ingredients=["flour", "sugar", "butter"], minutes=25),
    ),
    Task("language", "Which language is this: Où est la gare ?", Literal["english", "french", "german"], right="french"),
    Task("spam", "Is this mail spam: You have won 1,000,000 dollars, click here!", bool, right=True),
    Task("largest", "Which is the largest of these numbers: 17, 42, 8, 23?", int, right=42),
    Task("colours", "Which colours are named: a blue door and a green roof?", list[str], right=["blue", "green"]),
    Task("trip", "The train from Milan to Rome leaves at 9 o'clock.", Trip, right=Trip("Milan", "Rome", 9)),
    Task(
        "payment",
        "Extract the payment: 19.99 EUR to Ben Otto.",
        Payment,
        right=Payment(amount=Decimal("19.99"), currency="EUR", payee="Ben Otto"),
    ),
    Task(
        "measurement",
        "Extract the measurement: patient 17 in ward 4 has 38.6 degrees.",
        Measurement,
        right=Measurement(degrees=38.6, ward=4, patient=17),
    ),
    Task("scores", "Extract the scores: Ann 12, Bob 9, Eve 15.", Scores, right=Scores(scores={"Ann": 12, "Bob": 9, "Eve": 15})),
    Task("company", "Extract the company: Acme, led by Ida Holm, in Vienna.", Company, right=_COMPANY),
    Task(
        "refused",
        "The payment was refused: card expired. Report this.",
        Paid | Refused,
        right=Refused(reason="card expired"),
    ),
    Task("shape", "Describe the shape: a circle with a radius of 2.5.", Shape, right=Circle(kind="circle", radius=2.5)),
    Task("weekday", "Which day comes after Tuesday?", Weekday, right=Weekday.WEDNESDAY),
    Task(
        "user",
        "Extract the user: the nick is kira7, the email is kira@example.org.",
        User,
        right=User(nick="kira7", email="kira@example.org"),
    ),
    Task("rooms", "List the rooms: kitchen 12 square metres, bedroom 16 square metres.", list[Room], right=_ROOMS),
    Task("version", "Extract the version: 3.12.4", Version, right=Version(major=3, minor=12, patch=4)),
)
