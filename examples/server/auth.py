"""Who may use a server, and what they see: a token for each user, and for each user their own threads only.

In ``langgraph.json``: ``"auth": {"path": "./examples/server/auth.py:auth", "disable_studio_auth": true}``. The tokens come
from the environment, as JSON: ``ANSWERGRAPH_TOKENS='{"a-long-random-token": "alice"}'``. Put your own directory of users in the
place of ``user_of``; the rules below stay as they are.
"""

import hmac
import json
import os
from typing import Any

from langgraph_sdk import Auth

TOKENS = "ANSWERGRAPH_TOKENS"
"""The environment variable with a JSON object: the user of each token."""
OWNER = "owner"
"""The key of a thread's metadata that says whose it is."""

auth = Auth()


def user_of(token: str) -> str | None:
    """Return whose token it is."""
    found = None
    # All of them are compared, each in constant time: how long it takes tells nothing about a token.
    for known, user in json.loads(os.environ.get(TOKENS, "{}")).items():
        if hmac.compare_digest(known.encode(), token.encode()):
            found = str(user)
    return found


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    """Tell the server who asks."""
    kind, _, token = (authorization or "").partition(" ")
    user = user_of(token) if kind.lower() == "bearer" and token else None
    if user is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Send 'Authorization: Bearer <token>' with a known token.")
    return {"identity": user}


@auth.on
async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Refuse what no rule below allows."""
    return False


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """Write the user on each new thread, and show no others: to read, search, change, delete, or start a run in."""
    own = {OWNER: ctx.user.identity}
    if ctx.action in {"create", "update", "create_run"}:
        # Changed in its place: the server keeps the mapping that it handed over.
        value.setdefault("metadata", {}).update(own)
    return own


@auth.on.assistants.read
@auth.on.assistants.search
async def see_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Show the graphs that are served to everybody; nobody changes them over the network."""
    return True


@auth.on.store
async def own_store(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Keep what a user stores below a namespace of their own."""
    namespace = tuple(value.get("namespace") or ())
    value["namespace"] = (ctx.user.identity, *namespace[namespace[:1] == (ctx.user.identity,) :])
    return True
