"""Hooks for frameworks, with the frameworks themselves where they are installed."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from typing import Any, List
import unittest

import hindcast
from hindcast import frameworks

from .story import WithPlace


class Hooks(WithPlace):
    def record(self, work: Any) -> List[Any]:
        """Records and replays some work. Returns the arguments of the recorded calls."""
        log = self.place / f"{self._testMethodName}.db"
        with hindcast.record(log, goal="Work", agent="clerk") as run:
            work()
        assert run.task is not None
        with hindcast.replay(run.task, log):
            work()
        # Outside a run, nothing is recorded.
        work()
        with hindcast.Log(log) as opened:
            self.assertEqual(len(list(opened.tasks())), 1)
            events = list(opened.events(task=run.task))
        types = [event["type"] for event in events]
        self.assertEqual(types.count("IoCalled"), types.count("IoAnswered") + types.count("IoFailed"))
        return [event["payload"]["request"][0] for event in events if event["type"] == "IoCalled"]

    @unittest.skipUnless(find_spec("langgraph"), "needs langgraph")
    def test_the_nodes_of_langgraph(self) -> None:
        from langgraph.graph import END, START, StateGraph

        graph: Any = StateGraph(dict)
        graph.add_node("think", lambda state: {"n": state["n"] + 1})
        graph.add_node("act", lambda state: {"n": state["n"] * 2})
        graph.add_edge(START, "think")
        graph.add_edge("think", "act")
        graph.add_edge("act", END)
        compiled = graph.compile()

        def work() -> None:
            self.assertEqual(compiled.invoke({"n": 1}, {"callbacks": [frameworks.langgraph()]}), {"n": 4})

        calls = self.record(work)
        self.assertEqual(calls, [{"node": "think", "step": 1}, {"node": "act", "step": 2}])

    @unittest.skipUnless(find_spec("pydantic_ai"), "needs pydantic_ai")
    def test_the_nodes_of_pydantic_ai(self) -> None:
        from pydantic_ai import Agent
        from pydantic_ai.models.test import TestModel

        agent: Any = Agent(TestModel(custom_output_text="Yes."), name="clerk")

        async def run() -> str:
            async with agent.iter("Do I need an umbrella?") as running:
                async for _ in frameworks.pydantic_ai(running):
                    pass
            return str(running.result.output)

        calls = self.record(lambda: self.assertEqual(asyncio.run(run()), "Yes."))
        self.assertEqual([call["node"] for call in calls], ["UserPromptNode", "ModelRequestNode", "CallToolsNode", "End"])

    @unittest.skipUnless(find_spec("agents") and find_spec("openai"), "needs openai-agents")
    def test_the_agents_and_hand_offs_of_openai_agents(self) -> None:
        import agents
        from agents.items import ModelResponse
        from agents.usage import Usage
        from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

        class Scripted(agents.Model):
            async def get_response(self, *args: Any, **kwargs: Any) -> Any:
                handoffs = kwargs["handoffs"]
                output: Any
                if handoffs:
                    output = ResponseFunctionToolCall(
                        id="1", call_id="c1", type="function_call", name=handoffs[0].tool_name, arguments="{}"
                    )
                else:
                    text = ResponseOutputText(text="Yes.", type="output_text", annotations=[])
                    output = ResponseOutputMessage(
                        id="2", type="message", role="assistant", status="completed", content=[text]
                    )
                return ModelResponse(output=[output], usage=Usage(), response_id=None)

            def stream_response(self, *args: Any, **kwargs: Any) -> Any:
                raise NotImplementedError

        model = Scripted()
        weather = agents.Agent(name="weather", model=model)
        clerk = agents.Agent(name="clerk", model=model, handoffs=[weather])
        agents.set_trace_processors([frameworks.openai_agents()])

        def work() -> None:
            result = asyncio.run(agents.Runner.run(clerk, "Do I need an umbrella?"))
            self.assertEqual(result.final_output, "Yes.")

        calls = self.record(work)
        self.assertIn({"from": "clerk", "to": "weather"}, calls)
        self.assertEqual([one["agent"] for one in calls if "agent" in one], ["clerk", "weather"])

    def test_without_the_framework_the_import_says_so(self) -> None:
        for hook, module in ((frameworks.langgraph, "langchain_core"), (frameworks.openai_agents, "agents")):
            if find_spec(module) is None:
                with self.assertRaisesRegex(ModuleNotFoundError, module):
                    hook()

    def test_a_step_is_recorded_with_its_failure_and_repeated(self) -> None:
        def work() -> None:
            calls = frameworks._Calls()
            calls.begin(1, "node", {"node": "think"})
            calls.begin(2, "node", {"node": "act"})
            calls.end(2, frameworks.Failed("no"))
            calls.end(1)
            # It never began.
            calls.end(3)

        calls = self.record(work)
        self.assertEqual(calls, [{"node": "think"}, {"node": "act"}])


if __name__ == "__main__":
    unittest.main()
