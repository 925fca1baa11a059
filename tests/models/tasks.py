"""The tasks that a small real model is given: the first 26, and those of the files beside this one."""

import dataclasses
from datetime import date
from enum import Enum
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from answergraph import Quote
from tests.models.task import Task
from tests.models.tasks_of_extraction import EXTRACTION
from tests.models.tasks_with_tools import TOOL_TASKS

LOG = "test_login PASSED\ntest_payment FAILED\nE  ConnectionError: payment gateway timed out after 30 s\n1 failed, 1 passed"


class Person(BaseModel):
    """A person."""

    name: str
    age: int


class Customer(BaseModel):
    name: str
    city: str


class Item(BaseModel):
    """Something bought."""

    product: str
    quantity: int


class Order(BaseModel):
    """An order."""

    customer: Customer
    items: list[Item]


class Success(BaseModel):
    """It worked."""

    result: str


class Failure(BaseModel):
    """It failed."""

    error: str
    code: int


class Cat(BaseModel):
    kind: Literal["cat"]
    name: str
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    name: str
    tricks: list[str]


Pet = Annotated[Cat | Dog, Field(discriminator="kind")]


class Priority(Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


class Ticket(BaseModel):
    """A ticket."""

    title: str
    priority: Priority
    tags: list[Literal["bug", "feature", "question"]]


class Event(BaseModel):
    """An event."""

    name: str
    day: date
    place: str | None = None


class Tree(BaseModel):
    """A node of a tree."""

    label: str
    children: list["Tree"] = []


class Counts(BaseModel):
    counts: dict[str, int]


class Contact(BaseModel):
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+\.[a-z]+$")]
    phone: str


class Invoice(BaseModel):
    number: str
    total: float
    paid: bool


class Rating(BaseModel):
    stars: Annotated[int, Field(ge=1, le=5)]
    comment: Annotated[str, Field(max_length=60)]


class Profile(BaseModel):
    first_name: str
    last_name: str
    age: int
    city: str
    country: str
    job: str
    married: bool
    children: int
    languages: list[str]
    height_cm: int


@dataclasses.dataclass
class Point:
    """A point."""

    x: float
    y: float


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    celsius: float
    rain: bool


class CityReport(BaseModel):
    """A report of a city."""

    name: str
    report: str | None = None


class Stock(BaseModel):
    """What is in stock."""

    sku: str
    in_stock: int
    price: float


class Sum(BaseModel):
    """The result of a calculation."""

    total: float
    how: str


class Diagnosis(BaseModel):
    """Why a test failed."""

    failed_test: str
    cause: str
    quote: Annotated[str, Quote()]


def get_weather(city: str) -> str:
    """The current weather of a city."""
    return "Oslo: 4.5 degrees Celsius, rain" if city == "Oslo" else f"no weather known for {city}"


def lookup_stock(sku: str) -> str:
    """The stock and the price of an SKU."""
    return '{"sku": "X-42", "in_stock": 17, "price": 9.5}'


def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


def multiply(a: float, b: float) -> float:
    """Multiply two numbers."""
    return a * b


def read_log() -> str:
    """Read the log of the test run."""
    return LOG


_UPLOAD = "The upload of report.pdf failed with error code 503: service unavailable. Report this."
_EVENT = "Extract the event: The summer party takes place on 12 July 2025 in Hamburg."
_PROFILE = (
    "Extract the profile: Maria Silva, 41, an engineer from Porto in Portugal, is married with 2 children, "
    "speaks Portuguese and English and is 168 cm tall."
)
_REX = "Rex is a dog who can sit and roll over. Describe the pet."
_TREE = "Give the tree: animals has the children cats and dogs; cats has the child lions."
_CONTACT = "Extract: write to jane.doe@example.com or call +49 30 1234."

_FIRST = (
    Task("person", "Extract the person: Anna Berg is 34 years old.", Person, right=Person(name="Anna Berg", age=34)),
    Task("integer", "How many days are in a week?", int, right=7),
    Task(
        "weather",
        "What is the weather in Oslo? Use the tool.",
        Weather,
        (get_weather,),
        Weather(city="Oslo", celsius=4.5, rain=True),
    ),
    Task("union", _UPLOAD, Success | Failure),
    Task(
        "literal", "What is the sentiment of: 'I love this phone!'", Literal["positive", "negative", "neutral"], right="positive"
    ),
    Task(
        "stock",
        "How many of SKU X-42 are in stock, and at which price?",
        Stock,
        (lookup_stock,),
        Stock(sku="X-42", in_stock=17, price=9.5),
    ),
    Task("list_str", "Name three fruits.", list[str]),
    Task("event", _EVENT, Event, right=Event(name="The summer party", day=date(2025, 7, 12), place="Hamburg")),
    Task("boolean", "Is the Earth flat?", bool, right=False),
    Task("cityreport", "Report the weather in Oslo. Use the tool first.", CityReport, (get_weather,)),
    Task("contact", _CONTACT, Contact, right=Contact(email="jane.doe@example.com", phone="+49 30 1234")),
    Task("counts", "Count the fruits: apple, pear, apple, apple.", Counts, right=Counts(counts={"apple": 3, "pear": 1})),
    Task("dataclass", "Give the point at x = 3.5 and y = -2.", Point, right=Point(3.5, -2)),
    Task("diagnosis", "Which test failed and why? Read the log first.", Diagnosis, (read_log,)),
    Task("discriminated", _REX, Pet, right=Dog(kind="dog", name="Rex", tricks=["sit", "roll over"])),
    Task("enum", "The server room is on fire. What is the priority?", Priority, right=Priority.HIGH),
    Task(
        "invoice",
        "Extract the invoice: number A-17, total 249.90, not yet paid.",
        Invoice,
        right=Invoice(number="A-17", total=249.9, paid=False),
    ),
    Task("list_models", "List what was bought: 3 pens, 2 books, 1 bag.", list[Item]),
    Task("order", "Extract the order: Tom Lee from Berlin ordered 2 lamps and 1 desk.", Order),
    Task("profile", _PROFILE, Profile),
    Task("rating", "Rate this review from 1 to 5 stars: 'The food was great but the service was slow.'", Rating),
    Task("sum", "What is (2 + 3) * 4? Use the tools.", Sum, (add, multiply)),
    Task("three_way", "A customer bought 4 chairs.", Person | Item | Failure),
    Task("ticket", "File a ticket: the app crashes on start, this is urgent.", Ticket),
    Task("tree", _TREE, Tree),
    Task("wunion", "What is the weather in Rome?", Weather | Failure, (get_weather,)),
)

NEW = (*EXTRACTION, *TOOL_TASKS)
TASKS = (*_FIRST, *NEW)

HELD_OUT = frozenset(task.name for task in NEW[1::2])
"""Half of the new tasks: the library is not changed by what their replies show, so that they tell what a change is worth."""

QUICK = ("person", "integer", "weather", "union", "literal", "stock", "list_str", "event")
"""The tasks of ``--quick``: the first ones, two with tools."""
