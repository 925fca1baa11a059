"""The forms in which models write calls as text, by the chat templates that they were trained with.

Most belong to one of three families: a tag with the name and, in it, a JSON object or parameters; special tokens around the name
and a JSON object; JSON with a key for the name and one for the arguments. Where NAME stands, each pattern has its only group.
Quantifiers are bounded, or possessive where a text could be read twice.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from answergraph.answers.schemas.answer_schema import CALL_ARGUMENTS, CALL_NAMES
from answergraph.json_text.json_in_text import MAX_TEXT_LENGTH

MAX_UNKNOWN = 32  # names of unknown tools that are looked for in a text

# Before the word of a tag, as in <｜DSML｜invoke, <minimax:tool_call, <|tool_call.
_SPECIAL = r"(?:[|｜]{1,2}+ ?+\w{1,20}+ ?+[|｜]{1,2}+ ?+|\w{1,20}+:|[|｜])?+"
_FENCED_OBJECT = r"(?:```(?:json)?\s*+)?(?=\{)"

# Tags, most with attributes: <function=NAME>, <invoke name="NAME">, and Llama's <function=NAME{…}> without an end.
_TAG = rf"< ?+{_SPECIAL}(?:function(?:_?call)?|invoke|tool(?:_?call)?)"
_NAME_TAG = r"(?:tool_|function_)?name>"
_TAGS = (
    rf"""{_TAG}(?: ?+=|/| ++name ?+=) ?+["']?NAME["']?(?![\w.-])(?:[^<>{{}}\n]{{0,80}}+>|[\s(,\[]*+(?=\{{))?""",
    rf"{_TAG}>\s*+<{_NAME_TAG}\s*+NAME\s*+</{_NAME_TAG}\s*+(?:<(?:arguments|parameters|args|input)>)?",
    rf"<tool_call>\s*+NAME\s*+(?:(?=</?(?:arg_key|tool_call)>)|{_FENCED_OBJECT})",
    r"(?:<start_function_call>|<\|tool_call>)call:NAME(?=\{)",
    r"^>>>(?!all\n)NAME[ \t]*+\n\s*+(?=\{)",
    rf"^[ \t]*+Action: ?+NAME[ \t]*+\n\s*+Action Input:\s*+{_FENCED_OBJECT}",
)

# Special tokens: Mistral's, DeepSeek's, Kimi's, OpenAI's, Qwen's.
TOKEN = r"(?:<[|｜][^<>|｜\n]{1,40}+[|｜]>|\[[A-Z_]{2,20}+\]|✿[A-Z]{2,12}+✿[ \t]*+[:：]?+)"
_ARGUMENTS_TOKEN = r"(?:<[|｜][^<>|｜\n]{0,30}(?:arg|sep)[^<>|｜\n]{0,20}+[|｜]>|\[ARGS\]|✿ARGS✿[ \t]*+[:：]?+)"
# DeepSeek writes the type before the name, Solar an id and a token that says that the name follows.
_NAMED = rf"\s*+(?:function\s*+{TOKEN}\s*+)?+NAME(?::\d++)?+(?!<[|｜][^<>|｜\n]{{0,30}}name)"
# Other tokens of chat templates are followed by a role or a channel, which no tool has to have, and those at an end by anything.
_CALL_TOKEN = (
    r"(?:<[|｜](?![^<>\n]{0,40}(?:end|result|response|output))[^<>|｜\n]{0,20}(?:tool|call|function)[^<>|｜\n]{0,20}+[|｜]>"
    r"|<\|recipient\|>(?!\s*+all\b)|\[TOOL_CALLS\]|to=|✿FUNCTION✿[ \t]*+[:：]?+)"
)

PYTHON_START = r"(?:^|(?<=[>\]]))[ \t]*+`?(?:print\()?(?:default_api\.)?(?:\[\s*+)?NAME(?:\.call)?\("
NEXT_PYTHON_CALL = r"[,;]\s*+NAME\("
_QUOTE = r"""\\?["']"""  # also of JSON within a string
_NAME_KEY = f"{_QUOTE}(?:{'|'.join(sorted(CALL_NAMES))}){_QUOTE}"
CALL_STARTS = "|".join(
    (
        PYTHON_START,
        *_TAGS,
        rf"(?:{TOKEN}|to=){_NAMED}(?:\s*+{TOKEN}[\w ]*+){{0,4}}+\s*+{_FENCED_OBJECT}",
        rf"{_CALL_TOKEN}{_NAMED}\s*+(?:{_ARGUMENTS_TOKEN}|\Z)",  # without arguments that can be read
        r"\A\s*+NAME[ \t]*+\n\s*+(?=\{)",
        r"<NAME>\s*+(?=[{<])",
        r"[{\[]",
        r'(?:^|(?<=>))[ \t]*+"(?=[{\[]\s*+\\")',  # JSON in a JSON string
    )
)
# The beginning of a call in broken JSON.
BROKEN_CALL = (
    r"""\{\s*+(?:Q(?:tool_calls|function|type|id|index|tool_call_id)Q\s*+:\s*+(?:(?:["'][^"'\n]{0,100}+["']|\d{1,9}+)\s*+,\s*+|(?:[{\[]\s*+)++))*"""
    rf"(?:{_NAME_KEY}\s*+:\s*+QNAMEQ.*?Q(?:{'|'.join(sorted(CALL_ARGUMENTS))})Q|QNAMEQ\s*+:\s*+\{{)"
).replace("Q", _QUOTE)

# Tags around the parameters of a call; DeepSeek's say whether the value is a text or JSON.
PARAMETER = re.compile(
    rf"""\s*+< ?+{_SPECIAL}(?:parameter(?:=| ++name ?+= ?+["']?)|(?P<key>arg_key>))(?P<name>[\w.-]++)"""
    rf"""(?(key)</arg_key>\s*+<arg_value|["']?(?P<attributes>[^<>\n]{{0,80}}+))>"""
    rf"""\n?(?P<value>.*?)\n?</ ?+(?(key)arg_value|{_SPECIAL}parameter)>""",
    re.DOTALL,
)
PARAMETERS_END = re.compile(rf"\s*+(?P<closed></)|\s*+< ?+{_SPECIAL}(?:parameter|arg_key>)")
GEMMA_TEXT = re.compile(r'(<escape>|<\|"\|>)(?P<text>.*?)\1', re.DOTALL)
WRAPPERS = re.compile(
    rf"</? ?+{_SPECIAL}(?:\w{{1,20}}_)?(?:(?i:tool|function)_?(?i:calls?)|function|invoke)\|?>"
    rf"|<\|(?:im_start|start_header_id|start|channel|from)\|>\w*+|{TOKEN}|\[/TOOL_CALLS]|</(?:arguments|parameters|args)>"
)

_ANY_NAME = r"(?:functions\.)?((?!print\()[\w-][\w.-]{0,63}+)"  # ``print`` shows what the call in it gives
_SAID_IN_JSON = rf"{_NAME_KEY}\s*+:\s*+{_QUOTE}NAME{_QUOTE}"
_BY_NAME = rf"""{_CALL_TOKEN}\s*+\[?\s*+\{{\s*+["']NAME["']\s*+:\s*+\{{"""
_SAID_CALLS = "|".join((*_TAGS, rf"{_CALL_TOKEN}{_NAMED}", _SAID_IN_JSON, _BY_NAME)).replace("NAME", _ANY_NAME)
_ANY_CALLS = "|".join((_SAID_CALLS, *(each.replace("NAME", _ANY_NAME) for each in (PYTHON_START, NEXT_PYTHON_CALL))))
_WHOLE = re.compile(r"""\s*+(?:\{\s*+")?([A-Za-z_][\w.-]{0,63}+)(?:\(.*\)|"\s*+:\s*+\{.*\}\s*+\})\s*+""", re.DOTALL)
_ESCAPED_NAME = re.compile(rf'({_NAME_KEY}\s*+:\s*+)?"((?:[\w.-]|\\u[\da-fA-F]{{4}}){{1,64}}+)"(?(1)|(?=\s*+:\s*+\{{))')


def with_plain_names(text: str) -> str:
    """Return a text in which JSON has the names of calls without escapes, such as that of ``_``, which say the same."""
    return _ESCAPED_NAME.sub(_plain_name, text) if "\\u" in text else text


def _plain_name(match: re.Match[str]) -> str:
    return (match[1] or "") + json.dumps(json.loads(f'"{match[2]}"'), ensure_ascii=False)


def names_called(text: str, *, only_said: bool = False) -> Iterator[str]:
    """Yield the names, of any tool, that a text may call; with ``only_said`` those whose form says that it is a call."""
    starts = re.compile(_SAID_CALLS if only_said else _ANY_CALLS, re.MULTILINE)
    yield from () if only_said else name_of_whole(text)
    for match in starts.finditer(with_plain_names(text[:MAX_TEXT_LENGTH])):
        yield match[match.lastindex or 0]


def name_of_whole(text: str) -> list[str]:
    """Return the name that a text calls if it may be a call as a whole: ``name(city="Oslo")``, ``{"name": {"city": "Oslo"}}``."""
    return [match[1]] if (match := _WHOLE.fullmatch(text)) else []


def with_unknown(names: Collection[str], called_names: Iterable[str]) -> dict[str, Sequence[str]]:
    """Return offered names, and the first unknown ones among those that a text calls."""
    orders: Mapping[str, Sequence[str]] = names if isinstance(names, Mapping) else dict.fromkeys(names, ())
    return {**dict.fromkeys(islice((name for name in called_names if name not in names), MAX_UNKNOWN), ()), **orders}


@lru_cache(maxsize=256)
def compiled(pattern: str, names: frozenset[str]) -> re.Pattern[str]:
    """Return a pattern with the offered names in place of NAME."""
    any_name = "|".join(map(re.escape, sorted(names)))
    return re.compile(pattern.replace("NAME", rf"(?:functions\.)?({any_name})"), re.MULTILINE | re.DOTALL)
