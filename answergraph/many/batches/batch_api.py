"""``BatchAPI``: how the requests of a map reach a provider's batch endpoint."""

from dataclasses import KW_ONLY, dataclass

from answergraph import AgentSpecError
from answergraph.kit import explains_arguments

MOST_ROWS_PER_FILE = 50_000
"""What OpenAI takes in one file; Anthropic takes twice as many."""


@explains_arguments("BatchAPI()")
@dataclass(frozen=True)
class BatchAPI:
    """The half-price batch endpoint of the agent's own provider: ``map_answers(…, via=BatchAPI())``.

    The models of the agent must be OpenAI's (``ChatOpenAI``) or Anthropic's (``ChatAnthropic``). Rows are asked together: a batch
    has the next request of every row, so an agent with tools takes as many batches as it has turns. A killed run goes on with the
    batches that it had sent.

    Raises:
        AgentSpecError: If a number cannot be used.

    Example:
        >>> BatchAPI(rows_per_file=10_000).max_wait_seconds
        86400
    """

    _: KW_ONLY
    max_wait_seconds: float = 86_400
    """How long a batch may take; then it is cancelled, and its rows without a result end with this reason."""
    rows_per_file: int = MOST_ROWS_PER_FILE
    """Requests in one batch, at most. At most 10,000 rows are under way at once, since each is a run in memory."""

    def __post_init__(self) -> None:
        if self.max_wait_seconds <= 0:
            raise AgentSpecError(f"BatchAPI(max_wait_seconds={self.max_wait_seconds!r}): it is more than 0.")
        if not 1 <= self.rows_per_file <= MOST_ROWS_PER_FILE:
            raise AgentSpecError(f"BatchAPI(rows_per_file={self.rows_per_file!r}): it is between 1 and {MOST_ROWS_PER_FILE}.")
