"""The blocks of Python on the pages of the documentation, which are programs that run."""

import doctest
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]

_BLOCK = re.compile(
    r"(?P<mark><!--(?P<comment>(?:(?!-->).)*)-->\s*\n)?"
    r"^(?P<indent>[ ]*)```python[ ]*\n(?P<code>.*?)^[ ]*```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_NOT_RUN = re.compile(r"\s*not run: \w+ \w+")


@dataclass(frozen=True)
class Example:
    """One block of Python on a page."""

    page: Path
    line: int
    """The line of its first line of code."""
    code: str
    comment: str
    """The HTML comment right before it."""
    setup: str = ""
    """What runs before it: on a page of the reference, the first block of the page."""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"

    @property
    def is_run(self) -> bool:
        return not _NOT_RUN.match(self.comment)

    def run(self, namespace: dict[str, object]) -> None:
        """Run it; a block of prompts is compared with the output it shows, and a traceback points into the page."""
        exec(self.setup, namespace)
        if self.code.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(self.code, namespace, str(self), str(self.page), self.line - 1)
            doctest.DebugRunner(optionflags=doctest.ELLIPSIS).run(test)
        else:
            exec(compile("\n" * (self.line - 1) + self.code, str(self.page), "exec"), namespace)


def examples_in(text: str, page: Path) -> Iterator[Example]:
    for block in _BLOCK.finditer(text):
        line = text.count("\n", 0, block.start("code")) + 1
        code = re.sub(f"^{block['indent']}", "", block["code"], flags=re.MULTILINE)
        yield Example(page, line, code, block["comment"] or "")


def page_examples() -> list[Example]:
    """Return the examples of all pages; those of the reference, one for each name, go on from the first of their page."""
    return [example for page in PAGES for example in _of_page(page)]


def _of_page(page: Path) -> list[Example]:
    examples = list(examples_in(page.read_text(), page))
    if page.parent.name == "reference":
        return [*examples[:1], *(replace(example, setup=examples[0].code) for example in examples[1:])]
    return examples
