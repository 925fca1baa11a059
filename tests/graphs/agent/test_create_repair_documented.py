"""What trustcall's documentation shows takes as many calls of the model here: trustcall 0.0.39 makes two, one and one."""

from typing import Annotated, Any

from pydantic import BaseModel

from answergraph import Key, ToolStrategy, create_agent
from answergraph.testing import ScriptedChatModel
from tests.graphs.agent.scripted_agents import call, calls
from tests.suite.colors import Run


class Preference(BaseModel):
    preference: str
    sentence: str


class Morse(BaseModel):
    key_type: list[Preference] | None = None


class Semaphore(BaseModel):
    flag_color: list[Preference] | None = None


class Communication(BaseModel):
    morse: Morse
    semaphore: Semaphore


class Preferences(BaseModel):
    communication: Communication


class Hobby(BaseModel):
    name: str
    level: str


class User(BaseModel):
    name: str
    job: str
    hobbies: list[Hobby]
    languages: dict[str, str] = {}


class Person(BaseModel):
    name: str
    relationship: str
    notes: list[str] = []


class People(BaseModel):
    people: Annotated[list[Person], Key("name")]


def asked(run: Run, schema: type[BaseModel], *replies: dict[str, Any], existing: Any = None) -> tuple[Any, int]:
    """Return the answer, and how many calls of the model it took."""
    model = ScriptedChatModel(replies=[calls(call(schema.__name__, reply, "c")) for reply in replies])
    given = {"messages": ["Read it."], **({"existing": existing} if existing else {})}
    result = run(create_agent(model, response_format=ToolStrategy(schema)), given)
    return result["structured_response"], len(model.requests)


def patch(**values: Any) -> dict[str, Any]:
    return {"changes": [{"path": path.replace("__", "."), "value": value} for path, value in values.items()]}


def test_a_complex_schema_with_null_for_an_object_takes_two_calls(run: Run) -> None:
    key = [{"preference": "straight key", "sentence": "I love using a straight key."}]
    first = {"communication": {"morse": {"key_type": key}, "semaphore": None}}
    answer, requests = asked(run, Preferences, first, patch(communication__semaphore={}))
    assert answer == Preferences.model_validate({"communication": {"morse": {"key_type": key}, "semaphore": {}}})
    assert requests == 2


def test_an_update_of_a_large_profile_takes_one_call_and_drops_nothing(run: Run) -> None:
    hobbies = [Hobby(name=name, level="expert") for name in ("reading", "hiking", "sailing", "weaving", "cooking")]
    before = User(name="Alex", job="engineer", hobbies=hobbies, languages={"English": "native", "Python": "expert"})
    changes = {"job": "data scientist", "hobbies[5]": {"name": "machine learning", "level": "intermediate"}}
    answer, requests = asked(run, User, patch(**changes, languages__French="beginner"), existing=before)
    assert (answer.job, [hobby.name for hobby in answer.hobbies][-2:]) == ("data scientist", ["cooking", "machine learning"])
    assert answer.languages == {"English": "native", "Python": "expert", "French": "beginner"}
    assert requests == 1


def test_updates_and_insertions_at_once_take_one_call(run: Run) -> None:
    before = People(people=[Person(name="Emma", relationship="friend"), Person(name="Josh", relationship="cousin")])
    added = {"name": "Sarah", "relationship": "colleague"}
    changes = {"people['Josh'].notes": ["moved"], "people['Sarah']": added}
    answer, requests = asked(run, People, patch(**changes), existing=before)
    assert [(each.name, each.notes) for each in answer.people] == [("Emma", []), ("Josh", ["moved"]), ("Sarah", [])]
    assert requests == 1
