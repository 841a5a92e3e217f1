"""Hooks for frameworks: which agent, node or step worked, and who handed over to whom.

Models and marked tools are recorded anyway. These hooks add what never reaches a model's provider, as ``io`` calls of the run
(``agent``, ``handoff``, ``node``), which a replay expects again. Outside a run, they do nothing. The frameworks are imported
when a hook is made.
"""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Dict, Optional

from ._record import Run, current_run
from .errors import ToolFailed


class _Calls:
    """Calls that a framework reports when they begin, and again when they end, by an id of its own."""

    def __init__(self) -> None:
        self._begun: Dict[Any, Any] = {}

    def begin(self, id: Any, name: str, args: Dict[str, Any]) -> None:
        run = current_run()
        if run is None:
            return
        try:
            found = run._call("io", name, args, {})
        except ToolFailed:
            # In a replay, the step failed when it was recorded. Whether it does again, the framework finds out.
            return
        if "call" in found:
            self._begun[id] = (run, found["call"])

    def end(self, id: Any, error: Optional[BaseException] = None) -> None:
        run, call = self._begun.pop(id, (None, 0))
        if isinstance(run, Run):
            if error is None:
                run._returned(call, None)
            else:
                run._raised(call, error)


class Failed(Exception):
    """A framework reported that a step failed, without an exception."""


def openai_agents() -> Any:
    """A processor for ``agents.add_trace_processor`` or ``set_trace_processors``, of the OpenAI Agents SDK: the agents that
    ran, and hand-offs. The SDK reports nothing while its tracing is disabled.

    Example::

        agents.set_trace_processors([hindcast.frameworks.openai_agents()])
    """
    from agents.tracing import TracingProcessor

    calls = _Calls()

    class Recorder(TracingProcessor):  # type: ignore[misc, unused-ignore]
        def on_span_start(self, span: Any) -> None:
            if span.span_data.type == "agent":
                calls.begin(span.span_id, "agent", {"agent": str(span.span_data.name)})

        def on_span_end(self, span: Any) -> None:
            data = span.span_data
            if data.type == "handoff":
                calls.begin(span.span_id, "handoff", {"from": str(data.from_agent), "to": str(data.to_agent)})
            if data.type in ("agent", "handoff"):
                calls.end(span.span_id, Failed(span.error["message"]) if span.error else None)

        def on_trace_start(self, trace: Any) -> None: ...

        def on_trace_end(self, trace: Any) -> None: ...

        def shutdown(self) -> None: ...

        def force_flush(self) -> None: ...

    return Recorder()


def langgraph() -> Any:
    """A callback for LangGraph: the nodes that ran, with their steps.

    Example::

        graph.invoke(question, {"callbacks": [hindcast.frameworks.langgraph()]})
    """
    from langchain_core.callbacks import BaseCallbackHandler

    calls = _Calls()

    class Recorder(BaseCallbackHandler):  # type: ignore[misc, unused-ignore]
        # In the thread and order of the nodes: a replay compares it.
        run_inline = True
        # A gate or a replay may refuse a call.
        raise_error = True

        def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: Any, **told: Any) -> None:
            metadata = told.get("metadata") or {}
            node = metadata.get("langgraph_node")
            # A node's own chains have its metadata, too.
            if node is not None and told.get("name") == node:
                calls.begin(run_id, "node", {"node": str(node), "step": metadata.get("langgraph_step")})

        def on_chain_end(self, outputs: Any, *, run_id: Any, **told: Any) -> None:
            calls.end(run_id)

        def on_chain_error(self, error: BaseException, *, run_id: Any, **told: Any) -> None:
            calls.end(run_id, error)

    return Recorder()


async def pydantic_ai(run: Any) -> AsyncIterator[Any]:
    """Iterates over the nodes of a run of Pydantic AI, and records each.

    Example::

        async with agent.iter("Do I need an umbrella?") as run:
            async for node in hindcast.frameworks.pydantic_ai(run):
                ...
        print(run.result.output)
    """
    calls = _Calls()
    step = 0
    nodes = run.__aiter__()
    while True:
        try:
            node = await nodes.__anext__()
        except StopAsyncIteration:
            return
        args = {"node": type(node).__name__, "step": step}
        # The recorder may wait for the log.
        await asyncio.to_thread(calls.begin, step, "node", args)
        await asyncio.to_thread(calls.end, step)
        step += 1
        yield node
