import { describe, expect, it } from "vitest"
import * as EventLine from "../../src/cli/pages/events/EventLine.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { forked, type Run, record, replayed } from "../../src/record/index.ts"
import { chat, type Exchange, exchangesOf, serving } from "./exchanged.ts"
import { eventsOf, temporary, timelineOf } from "./recorded.ts"

const of = (events: ReadonlyArray<Event>, type: string) => events.filter((event) => event.type === type)

const payloads = (events: ReadonlyArray<Event>, type: string) => of(events, type).map(({ payload }) => payload)

/** Records a program that makes some requests, one after the other. */
const recorded = async (exchanges: ReadonlyArray<Exchange>, before: (run: Run) => unknown = () => {}) => {
  const log = temporary("observed.db")
  await serving(exchanges, async (_, ask) => {
    const run = await record({ log, goal: "Ask", agent: "tester" })
    before(run)
    for (const exchange of exchanges) await ask(run.fetch, exchange)
    await run.end("achieved")
  })
  return { log, events: await eventsOf(log) }
}

const call = (id: string, name: string, args: string) => ({ id, type: "function", function: { name, arguments: args } })

const asked = { role: "user", content: "Look" }
const calling = { content: null, tool_calls: [call("a", "read", '{"file":"x"}'), call("b", "read", '{"file":"y"}')] }
const result = (id: string, content: string) => ({ role: "tool", tool_call_id: id, content })
const said = { role: "assistant", ...calling }

describe("the tools that a recorded program calls by itself", () => {
  it.each([
    "openai-chat-second-turn",
    "langgraph-chatopenai-responses-tool-turns",
    "pydantic-ai-anthropic-claude-sonnet-4-5",
    "google-genai-auto-function-calling",
  ])("are commands with their outcomes, as %s has them", async (name) => {
    const { events } = await recorded(exchangesOf(name))
    const [commanded, ...others] = of(events, "ActuatorCommanded")
    expect(others).toEqual([])
    expect(commanded?.payload).toMatchObject({
      actuator: "program/weather",
      args: { city: "Zürich" },
      observed: true,
    })
    const { commandId } = commanded?.payload ?? {}
    const [succeeded] = of(events, "CommandSucceeded")
    expect(succeeded?.payload).toMatchObject({ commandId })
    expect(JSON.stringify(succeeded?.payload.result)).toContain("sunny")
    // Nobody was asked, and the rule says who did not rule.
    expect(payloads(events, "CommandAllowed")).toEqual([{ commandId, rule: "observed" }])
    expect(of(events, "ConfirmationRequested")).toEqual([])
    expect(EventLine.lines(Style.plain, events).join("\n")).not.toContain("→")
    const began = [of(events, "ModelResponded")[0], commanded, ...of(events, "CommandDispatched"), succeeded]
    const times = began.map((event) => event?.occurredAt ?? 0)
    expect(times).toEqual(times.toSorted((a, b) => a - b))
    // The answer caused the command, and its outcome the next request.
    const [answer] = of(events, "ModelResponded")
    expect(commanded?.causationId).toBe(answer?.id)
    expect(of(events, "ModelCalled")[1]?.causationId).toBe(succeeded?.id)
  })

  it("have every digit of the ids that their model wrote", async () => {
    const ids = '{"big":12345678901234567890,"list":[-98765432109876543210,7],"exact":9007199254740992}'
    const { events } = await recorded([chat([asked], { content: null, tool_calls: [call("a", "pay", ids)] })])
    expect(payloads(events, "ActuatorCommanded").map(({ args }) => args)).toEqual([
      { big: "12345678901234567890", list: ["-98765432109876543210", 7], exact: 9007199254740992 },
    ])
    // The answer has them as they were written, next to the value that a program reads.
    expect(payloads(events, "ModelResponded").map(({ response }) => response)).toMatchObject([
      { parts: [{ args: { big: 12345678901234567000, exact: 9007199254740992 }, text: ids }] },
    ])
  })

  it("have the result that a client tells its model in words", async () => {
    const { events } = await recorded(exchangesOf("smolagents-openaiservermodel"))
    const [weather, answer] = payloads(events, "ActuatorCommanded")
    expect(payloads(events, "CommandSucceeded")).toMatchObject([
      { commandId: weather?.commandId, result: "sunny ☀", inferred: { cause: "call-text" } },
    ])
    expect(payloads(events, "CommandOutcomeUnknown")).toMatchObject([{ commandId: answer?.commandId }])
  })

  it("are told apart by their ids, in any order, and by their place where a client sends other ids", async () => {
    const own = {
      role: "assistant",
      tool_calls: [call("1", "read", '{"file":"x"}'), call("2", "read", '{"file":"y"}')],
    }
    const { events } = await recorded([
      chat([asked], calling),
      chat([asked, said, result("b", "of y"), result("a", "of x")], { content: "first" }),
      chat([asked, said, result("b", "of y"), result("a", "of x"), { role: "user", content: "again" }], calling),
      chat(
        [
          ...[asked, said, result("b", "of y"), result("a", "of x"), { role: "user", content: "again" }],
          ...[own, result("1", "x now"), result("2", "y now")],
        ],
        { content: "second" },
      ),
    ])
    const lines = EventLine.lines(Style.plain, events).filter((line) => / CommandSucceeded /.test(line))
    expect(lines.map((line) => line.replace(/^.* agent:tester {2}| in [\d.]+ m?s$/g, ""))).toEqual([
      'program/read {"file":"y"} → "of y"',
      'program/read {"file":"x"} → "of x"',
      'program/read {"file":"x"} → "x now"',
      'program/read {"file":"y"} → "y now"',
    ])
    const files = new Map(
      payloads(events, "ActuatorCommanded").map(({ commandId, args }) => [commandId, (args as { file: string }).file]),
    )
    const outcomes = payloads(events, "CommandSucceeded").map(({ commandId, result, inferred }) => [
      files.get(commandId),
      result,
      inferred,
    ])
    expect(outcomes).toEqual([
      ["y", "of y", { cause: "call-id" }],
      ["x", "of x", { cause: "call-id" }],
      ["x", "x now", { cause: "call-order" }],
      ["y", "y now", { cause: "call-order" }],
    ])
  })

  it("have their results in each of several conversations that are the same word for word, one after the other or at once", async () => {
    const exchanges = [
      chat([asked], calling),
      chat([asked, said, result("a", "of x"), result("b", "of y")], { content: "done" }),
    ]
    const log = temporary("again.db")
    await serving(exchanges, async (_, ask) => {
      const run = await record({ log, goal: "Ask", agent: "tester" })
      const converse = async () => {
        for (const exchange of exchanges) await ask(run.fetch, exchange)
      }
      await converse()
      await converse()
      await Promise.all([converse(), converse()])
      await run.end("achieved")
    })
    const events = await eventsOf(log)
    expect(of(events, "ActuatorCommanded")).toHaveLength(8)
    expect(payloads(events, "CommandSucceeded").map((one) => one.result)).toEqual(
      Array(4).fill(["of x", "of y"]).flat(),
    )
    // What comes after an answer is recorded, not what was asked before it once more.
    const [, , , again] = payloads(events, "ModelCalled")
    expect(again?.request).toMatchObject({ after: of(events, "ModelResponded")[2]?.id })
  })

  it("failed where the format says so, and are unknown where no result came", async () => {
    const body = (messages: ReadonlyArray<object>) => JSON.stringify({ model: "m", max_tokens: 9, messages })
    const question = { role: "user", content: "Look" }
    const uses = ["a", "b"].map((id) => ({ type: "tool_use", id, name: "read", input: { id } }))
    const results = [{ type: "tool_result", tool_use_id: "a", is_error: true, content: "no such file" }]
    const answer = (content: ReadonlyArray<object>) =>
      JSON.stringify({ type: "message", role: "assistant", content, stop_reason: "tool_use", usage: {} })
    const one = { path: "/v1/messages", status: 200, type: "application/json" }
    const { events } = await recorded([
      { ...one, request: body([question]), answer: answer(uses) },
      {
        ...one,
        request: body([question, { role: "assistant", content: uses }, { role: "user", content: results }]),
        answer: answer([{ type: "text", text: "Sorry" }]),
      },
    ])
    const [first, second] = payloads(events, "ActuatorCommanded").map(({ commandId }) => commandId)
    expect(payloads(events, "CommandFailed")).toMatchObject([
      { commandId: first, error: { code: "failed", message: "no such file" } },
    ])
    expect(payloads(events, "CommandOutcomeUnknown")).toEqual([
      { commandId: second, reason: "no later request told its result" },
    ])
    expect(events.at(-1)?.type).toBe("TaskClosed")
  })

  it("are recorded once where the program records them itself", async () => {
    const reading = [chat([asked], calling), chat([asked, said, result("a", "of x"), result("b", "of y")], {})]
    const { events } = await recorded(reading, (run) => run.tool("read", () => "of a file"))
    expect(of(events, "ActuatorCommanded")).toEqual([])
  })

  it.each(["ModelResponded", "IoAnswered", "ActuatorCommanded", "CommandAllowed", "CommandDispatched"])(
    "have their outcomes in a fork that continues from their answer, named by its %s",
    async (type) => {
      const turns = exchangesOf("openai-chat-second-turn")
      const { log, events } = await recorded(turns)
      const [answer] = of(events, "ModelResponded")
      const [dispatched] = of(events, "CommandDispatched")
      const forkedAt = performance.now()
      await serving(turns, async (_, ask) => {
        const { at } = await forked({ log, at: of(events, type)[0]?.position ?? 0 }, async (run) => {
          for (const turn of turns) await ask(run.fetch, turn)
          await run.end("achieved")
        })
        expect(at).toBe(dispatched?.position)
      })
      const inFork = (await timelineOf(log, "fork-1")).filter(({ timeline }) => timeline === "fork-1")
      const [succeeded, ...others] = payloads(inFork, "CommandSucceeded")
      expect([succeeded, others]).toMatchObject([{ result: "sunny" }, []])
      // What lay between the recording and its fork is no time of the call.
      expect(Number(succeeded?.latencyMs)).toBeLessThanOrEqual(performance.now() - forkedAt)
      // The call is shared with the parent, and the request continues the answer there.
      for (const one of ["ActuatorCommanded", "CommandAllowed", "CommandDispatched"])
        expect(of(inFork, one)).toEqual([])
      expect(payloads(inFork, "ModelCalled")).toMatchObject([{ request: { after: answer?.id } }])
    },
  )

  it("are no calls of a replay, which answers the requests alone", async () => {
    const exchanges = [chat([asked], calling), chat([asked, said, result("a", "of x"), result("b", "of y")], {})]
    const { log } = await recorded(exchanges)
    const texts = await serving([], (_, ask) =>
      replayed({ log }, async (run) => {
        const texts = [await ask(run.fetch, exchanges[0] as Exchange), await ask(run.fetch, exchanges[1] as Exchange)]
        await run.end("achieved")
        return texts
      }),
    )
    expect(texts).toEqual(exchanges.map(({ answer }) => answer))
  })
})
