"""Other projects' test suites: their places, and why some tests that pass with LangChain's ``create_agent`` fail here."""

from dataclasses import dataclass, field

DRAWN = "drawn edges show the reasons"
WIRE = "a recorded request: our tools are sent unchanged, not as strict ones"
MALFORMED = "a malformed call is answered with an error in the same run"
IDS = "a call without an id is given one, because servers refuse it"
LIMIT = "the caller's recursion limit is left alone"
COPIED = "a reply is signed with the agent's name in a copy; LangChain writes into the object that the model returned"
REFUSED = "where no middleware takes it, a refusal ends the run as refused; LangChain raises that its text is no answer"
INSIDE = "the test replaces a private function of LangChain that is not called"


@dataclass(frozen=True)
class Suite:
    """The tests of one package."""

    package: str
    version: str
    tests: str
    """The folder of the tests below that of the package, with the options of pytest that the suite's own Makefile gives."""
    repository: str = ""
    """Where the tests are if the source distribution has none: the project's public repository."""
    tag: str = ""
    """The tag, or the commit where there are none."""
    folder: str = ""
    """The folder of the package in the repository; empty for all of it."""
    is_published: bool = True
    """Whether the package index has the package; an application is run where its sources are."""
    needs: tuple[str, ...] = ()
    """What else is installed with the package in an environment of its own; if empty, it runs where ``make compat`` runs."""
    constraints: str = "constraints.txt"
    """The file with the versions of what is installed there; none if the package wants other versions."""
    explained: dict[str, str] = field(default_factory=dict)
    """The reason for a failure here, per end of a test's name."""

    @property
    def name(self) -> str:
        return f"{self.package} {self.version}"

    @property
    def distribution(self) -> str:
        """The name of the package in the package index."""
        return self.package.replace("_", "-")


BESIDE_EVERY_SUITE = ("langchain==1.5.2", "pytest", "pytest-asyncio", "pytest-socket", "pytest-timeout", "pytest-xdist")
"""What is installed in every environment of a suite's own; LangChain is the same in all of them."""


SUITES = (
    Suite(
        "langchain",
        "1.5.2",
        "tests/unit_tests/agents",
        needs=("langchain-core==1.8.3", "langchain-openai", "langchain-tests", "blockbuster", "pytest-mock", "syrupy", "toml"),
        constraints="",
        explained={
            "test_async_middleware_with_can_jump_to_graph_snapshot": DRAWN,
            "test_create_agent_diagram": DRAWN,
            "test_per_call_needs_a_tool_call_id": IDS,
            "test_per_call_same_tool_twice_routes_each_answer_to_its_own_call": IDS,
            "test_tool_runtime_config_access": LIMIT,
            "test_create_agent_does_not_patch_model_output": MALFORMED,
            "test_create_agent_answers_invalid_tool_calls_on_next_turn": MALFORMED,
            "test_create_agent_patches_only_invalid_tool_calls_with_ids[None-False]": IDS,
            "test_middleware_model_swap_provider_to_tool_strategy": INSIDE,
            "test_inference_to_native_output[False]": WIRE,
            "test_inference_to_native_output[True]": WIRE,
            "test_strict_mode[False]": WIRE,
            "test_strict_mode[True]": WIRE,
            "test_refusal_with_provider_strategy[False]": REFUSED,
            "test_refusal_with_provider_strategy[True]": REFUSED,
        },
    ),
    Suite(
        "deepagents",
        "0.7.8",
        "tests/unit_tests -n auto -p no:syrupy --disable-socket --allow-unix-socket --benchmark-disable",
        repository="https://github.com/langchain-ai/deepagents",
        tag="deepagents==0.7.8",
        folder="libs/deepagents",
        needs=("deepagents[aws,quickjs,video]", "langchain-tests", "pytest-benchmark", "pytest-codspeed>=5.0.3,<6", "pytest-cov"),
        constraints="",
        explained={"test_invalid_tool_call_patched_on_next_turn": MALFORMED},
    ),
    Suite(
        "langgraph_supervisor",
        "0.0.31",
        "tests",
        explained={
            "test_supervisor_basic_workflow[None-None]": COPIED,
            "test_supervisor_basic_workflow[inline-None]": COPIED,
        },
    ),
    Suite("langgraph_swarm", "0.1.0", "tests"),
    Suite(
        "langchain_mcp_adapters",
        "0.3.2",
        "tests",
        needs=("mcp<2", "dirty-equals", "websockets"),
        constraints="",
    ),
    Suite(
        "copilotkit",
        "0.1.95",
        "tests/test_copilotkit_lg_middleware.py",
        repository="https://github.com/CopilotKit/CopilotKit",
        tag="python-sdk/v0.1.95",
        folder="sdk-python",
        needs=("annotated-doc",),
    ),
    Suite(
        "open_swe_agent",
        "0.1.0",
        "tests --timeout 120",
        repository="https://github.com/langchain-ai/open-swe",
        tag="9511f859a32a1cb604b6bae56eb229b847431110",
        is_published=False,
        needs=(
            *(
                "deepagents==0.7.6",
                "fastapi>=0.141.1",
                "uvicorn>=0.52.0",
                "httpx>=0.28.1",
                "PyJWT",
                "cryptography",
                "langgraph-sdk",
            ),
            *("markdownify", "langchain-anthropic", "langgraph-cli[inmem]>=0.4.31", "langsmith", "langchain-openai>=1.4.1,<2"),
            *("langchain-fireworks", "fireworks-ai", "langchain-daytona", "langchain-modal", "langchain-runloop", "exa-py"),
            *("langchain-google-genai", "langchain-mcp-adapters", "stagehand", "websockets", "Pygments"),
        ),
        constraints="",
    ),
)
