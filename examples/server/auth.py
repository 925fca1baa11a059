"""Access rights of a server: each user has a token, and sees only their own threads.

In ``langgraph.json``: ``"auth": {"path": "./examples/server/auth.py:auth", "disable_studio_auth": true}``. The tokens come
from the environment, as JSON: ``ANSWERGRAPH_TOKENS='{"a-long-random-token": "alice"}'``. Replace ``user_of`` with your own
directory of users; the rules below need no change.
"""

import hmac
import json
import os
from typing import Any

from langgraph_sdk import Auth

TOKENS = "ANSWERGRAPH_TOKENS"
"""The environment variable; it holds a JSON object with the user of each token."""
OWNER = "owner"
"""The key of a thread's metadata that names its owner."""

auth = Auth()


def user_of(token: str) -> str | None:
    """Return the user of a token."""
    found = None
    # Every token is compared in constant time, so the duration reveals nothing about a token.
    for known, user in json.loads(os.environ.get(TOKENS, "{}")).items():
        if hmac.compare_digest(known.encode(), token.encode()):
            found = str(user)
    return found


@auth.authenticate
async def authenticate(authorization: str | None) -> Auth.types.MinimalUserDict:
    """Identify the user of a request."""
    kind, _, token = (authorization or "").partition(" ")
    user = user_of(token) if kind.lower() == "bearer" and token else None
    if user is None:
        raise Auth.exceptions.HTTPException(status_code=401, detail="Send 'Authorization: Bearer <token>' with a known token.")
    return {"identity": user}


@auth.on
async def refuse(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Refuse everything that no rule below allows."""
    return False


@auth.on.threads
async def own_threads(ctx: Auth.types.AuthContext, value: Any) -> Auth.types.FilterType:
    """Record the user on each new thread, and hide the threads of others from every request."""
    own = {OWNER: ctx.user.identity}
    if ctx.action in {"create", "update", "create_run"}:
        # Changed in place: the server keeps the mapping that it passes.
        value.setdefault("metadata", {}).update(own)
    return own


@auth.on.assistants.read
@auth.on.assistants.search
async def see_assistants(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Show the served graphs to everybody; nobody can change them over the network."""
    return True


@auth.on.store
async def own_store(ctx: Auth.types.AuthContext, value: Any) -> bool:
    """Keep each user's items below the user's own namespace."""
    namespace = tuple(value.get("namespace") or ())
    value["namespace"] = (ctx.user.identity, *namespace[namespace[:1] == (ctx.user.identity,) :])
    return True
