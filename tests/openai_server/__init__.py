"""A small OpenAI-compatible server on loopback, for tests with the real client libraries.

```python
with OpenAIServer([calls(ToolCall("add", {"a": 1, "b": 2})), says("It is 3.")]) as server:
    model = ChatOpenAI(model="gpt-4o-mini", base_url=server.base_url, api_key="test")
```
"""

from tests.openai_server.behaviour import (
    Behaviour,
    rejects_any,
    rejects_json_schema,
    rejects_response_format,
    rejects_strict,
    rejects_tool_choice_required,
    rejects_unknown_fields,
)
from tests.openai_server.loopback import ServedRequest
from tests.openai_server.reply import Failure, Reply, ToolCall, Usage, calls, is_cut_off, refuses, says
from tests.openai_server.server import OpenAIServer

__all__ = [
    "Behaviour",
    "Failure",
    "OpenAIServer",
    "Reply",
    "ServedRequest",
    "ToolCall",
    "Usage",
    "calls",
    "is_cut_off",
    "refuses",
    "rejects_any",
    "rejects_json_schema",
    "rejects_response_format",
    "rejects_strict",
    "rejects_tool_choice_required",
    "rejects_unknown_fields",
    "says",
]
