"""Reads YAML and the line of every key, for error messages."""

from pathlib import Path
from typing import Any

from answergraph.errors import WorkflowFileError
from answergraph.kit import require_extra

require_extra("workflow", "yaml")

import yaml  # noqa: E402 - see above

MAX_FILE_CHARACTERS = 200_000
MAX_DEPTH = 32
MAX_NUMBER_CHARACTERS = 100
"""Maximum length of other values than strings; YAML's base-60 numbers take quadratic time."""
MAX_VALUES = 100_000
"""Maximum number of values, with aliases expanded."""
MERGE = "tag:yaml.org,2002:merge"

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class YamlDocument:
    """A YAML file as plain data, and the line of each key by its path, such as ``steps[0].name``."""

    def __init__(self, path: Path) -> None:
        """Read a file; raise ``WorkflowFileError`` if it is not readable YAML, repeats a key, or expands to too many values."""
        self.path = path
        self._lines: dict[str, int] = {}
        self._open: set[int] = set()
        self._values = 0
        try:
            self.data: Any = self._plain(self._root(), "")
        except RecursionError as error:
            raise self.error("", "it is nested too deeply") from error

    def error(self, key: str, problem: str) -> WorkflowFileError:
        """Return an error at a key, or at the nearest key around it that is in the file."""
        nearest = key
        while nearest and nearest not in self._lines:
            nearest = nearest[: max(nearest.rfind("."), nearest.rfind("["), 0)]
        return WorkflowFileError(str(self.path), self._lines.get(nearest, 1), key, problem)

    def _root(self) -> yaml.Node | None:
        try:
            text = self.path.read_text(encoding="utf-8")
            if len(text) > MAX_FILE_CHARACTERS:
                raise self.error("", f"it has more than {MAX_FILE_CHARACTERS} characters")
            self._refuse_deep(text)
            return yaml.compose(text, Loader=_LOADER)
        except (OSError, UnicodeDecodeError) as error:
            raise self.error("", f"it cannot be read: {error}") from error
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 1 if mark else 1
            problem = getattr(error, "problem", None) or str(error)
            raise WorkflowFileError(str(self.path), line, "", f"it is not YAML: {problem}") from error

    def _refuse_deep(self, text: str) -> None:
        # Nested values are read recursively.
        depth, anchors = 0, set()
        for event in yaml.parse(text, Loader=_LOADER):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            problem = f"it nests deeper than {MAX_DEPTH}" if depth > MAX_DEPTH else ""
            if isinstance(event, yaml.AliasEvent) and event.anchor not in anchors:
                problem = f"undefined alias {event.anchor!r}"
            if problem:
                line = event.start_mark.line + 1 if event.start_mark else 1
                raise WorkflowFileError(str(self.path), line, "", problem)
            anchors.add(getattr(event, "anchor", None))

    def _plain(self, node: yaml.Node | None, key: str) -> Any:
        if node is None:
            return None
        self._lines.setdefault(key, node.start_mark.line + 1)
        self._values += 1
        if id(node) in self._open or self._values > MAX_VALUES:
            problem = f"it holds more than {MAX_VALUES} values" if self._values > MAX_VALUES else "an alias contains itself"
            raise self.error(key, problem)
        self._open.add(id(node))
        value = self._value(node, key)
        self._open.remove(id(node))
        return value

    def _value(self, node: yaml.Node, key: str) -> object:
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, key)
        if isinstance(node, yaml.SequenceNode):
            return [self._plain(item, f"{key}[{index}]") for index, item in enumerate(node.value)]
        if not node.tag.endswith(":str") and len(node.value) > MAX_NUMBER_CHARACTERS:
            raise self.error(key, f"a value without quotes has at most {MAX_NUMBER_CHARACTERS} characters")
        try:
            return yaml.SafeLoader("").construct_object(node)
        except (yaml.YAMLError, ValueError, LookupError, AttributeError, TypeError, OverflowError) as error:
            # Raised by PyYAML for a tag with an invalid value.
            raise self.error(key, f"it cannot be read: {getattr(error, 'problem', None) or error}") from error

    def _mapping(self, node: yaml.MappingNode, key: str) -> dict[str, object]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for name_node, value_node in node.value:
            name = str(name_node.value) if isinstance(name_node, yaml.ScalarNode) else "?"
            inner = f"{key}.{name}" if key else name
            if name in own:
                raise WorkflowFileError(str(self.path), name_node.start_mark.line + 1, inner, "the key is repeated")
            self._lines[inner] = name_node.start_mark.line + 1
            value = self._plain(value_node, inner)
            if name_node.tag != MERGE:
                own[name] = value
                continue
            for each in value if isinstance(value, list) else [value]:
                if not isinstance(each, dict):
                    raise self.error(inner, "<< merges mappings")
                merged = {**each, **merged}
        return {**merged, **own}
