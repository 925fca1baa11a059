"""The marked fields of an answer, for tests that do not ask about the others."""

from answergraph.evidence.claims import Claim, fields_of


def claims_of(answer: object) -> list[Claim]:
    return [field for field in fields_of(answer) if field.mark is not None]
