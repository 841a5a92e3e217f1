import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Message } from "../../src/agents/models/Message.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as ConversationRuns from "../../src/record/conversations/ConversationRuns.ts"
import * as Conversations from "../../src/record/conversations/Conversations.ts"
import * as NormalizedMessage from "../../src/record/conversations/NormalizedMessage.ts"
import * as RecordedFetch from "../../src/record/http/RecordedFetch.ts"
import { chat, type Exchange, exchangesOf, serving } from "./exchanged.ts"
import { eventsOf, temporary } from "./recorded.ts"

type Runs = ConversationRuns.ConversationRuns

const opened = (log: string, more: Partial<ConversationRuns.ConversationOptions> = {}) =>
  ConversationRuns.open({ log, agent: "server", ...more })

const fetchOf = (runs: Runs, belonging?: ConversationRuns.Belonging) =>
  RecordedFetch.make({
    exchange: (sent) => runs.exchange(sent, belonging),
    fetch: globalThis.fetch,
    assertOpen: () => {},
  })

const byTask = (events: ReadonlyArray<Event>) => {
  const tasks = new Map<string, Array<Event>>()
  for (const event of events) {
    if (event.taskId !== null) tasks.set(event.taskId, [...(tasks.get(event.taskId) ?? []), event])
  }
  return [...tasks.values()]
}

const of = (events: ReadonlyArray<Event>, type: string) => events.filter((event) => event.type === type)

/** What was inferred of each request to a model, by which rule. */
const rulesOf = (events: ReadonlyArray<Event>) => of(events, "ModelCalled").map(({ payload }) => payload.inferred)

/** Records exchanges one after the other, all by one recorder. */
const recorded = async (exchanges: ReadonlyArray<Exchange>) => {
  const log = temporary("conversations.db")
  await serving(exchanges, async (_, ask) => {
    const runs = await opened(log)
    for (const exchange of exchanges) await ask(fetchOf(runs), exchange)
    await runs.close()
  })
  return eventsOf(log)
}

const user = (content: string) => ({ role: "user", content })
const assistant = (content: string) => ({ role: "assistant", content })

describe("a request that continues an earlier one", () => {
  it.each([
    "anthropic-tool-runner-thread-lost",
    "boto3-retry-pair",
    "boto3-sigv4-converse-two-turns",
    "claude-agent-sdk-tool-turn",
    "google-genai-auto-function-calling",
    "google-genai-interactions-two-turns",
    "langgraph-chatopenai-responses-tool-turns",
    "openai-chat-second-turn",
    "openai-retry-pair",
    "pydantic-ai-anthropic-claude-sonnet-4-5",
    "smolagents-openaiservermodel",
  ])("belongs to its task, as %s sends it", async (name) => {
    const tasks = byTask(await recorded(exchangesOf(name)))
    expect(tasks).toHaveLength(1)
    const [events = []] = tasks
    const called = of(events, "ModelCalled")
    expect(called).toHaveLength(exchangesOf(name).length)
    // Each goes on from the one before: nothing is recorded twice.
    for (const [index, { payload }] of called.entries()) {
      const messages = (payload.request as { readonly messages: ReadonlyArray<unknown> }).messages
      if (index > 0) expect(messages.length).toBeLessThan(3)
    }
  })

  it("continues the answer that the server's own thread names, of two that say the same", async () => {
    const one = exchangesOf("openai-agents-previous-response-id")
    const renamed = (text: string) => text.replaceAll(/(resp|call|msg)_(?=R?\d)/g, "other_$1_")
    const two = one.map((turn) => ({ ...turn, request: renamed(turn.request), answer: renamed(turn.answer) }))
    const log = temporary("threads.db")
    await serving(one, async (_, askOne) => {
      await serving(two, async (_, askTwo) => {
        const runs = await opened(log)
        const fetch = fetchOf(runs)
        for (const [index, turn] of one.entries()) {
          await askOne(fetch, turn)
          await askTwo(fetch, two[index] as Exchange)
        }
        await runs.close()
      })
    })
    const tasks = byTask(await eventsOf(log))
    expect(tasks.map((task) => of(task, "ModelCalled").length)).toEqual([4, 4])
    for (const task of tasks) {
      const answers = of(task, "ModelResponded")
      const called = of(task, "ModelCalled").map(({ payload }) => (payload.request as { after?: string }).after)
      expect(called).toEqual([undefined, ...answers.slice(0, -1).map(({ id }) => id)])
      expect(of(task, "CommandSucceeded")).toHaveLength(2)
      const thread = { task: "thread", after: "thread" }
      expect(rulesOf(task)).toEqual([undefined, thread, thread, thread])
    }
  })

  it("is told from one that begins equally: two conversations never mix", async () => {
    const log = temporary("equal.db")
    const hi = chat([user("hi")], { content: "hello" })
    const one = chat([user("hi"), assistant("hello"), user("I am Ann")], { content: "Hi Ann" })
    const two = chat([user("hi"), assistant("hello"), user("I am Bob")], { content: "Hi Bob" })
    const oneMore = chat([user("hi"), assistant("hello"), user("I am Ann"), assistant("Hi Ann"), user("Bye")], {
      content: "Bye Ann",
    })
    await serving([hi, one, two, oneMore], async (_, ask) => {
      const runs = await opened(log)
      const fetch = fetchOf(runs)
      for (const exchange of [hi, hi, one, two, oneMore]) await ask(fetch, exchange)
      await runs.close()
    })
    const texts = byTask(await eventsOf(log)).map((task) => JSON.stringify(of(task, "ModelCalled")))
    expect(texts).toHaveLength(2)
    for (const text of texts) expect([text.includes("Ann"), text.includes("Bob")].filter(Boolean)).toHaveLength(1)
  })

  it("is repeated after a failure in the same task, and a fork of a conversation stays in it", async () => {
    const base = [user("hi"), assistant("hello")]
    const failing = { ...chat([...base, user("a")], {}), status: 500, answer: '{"error":{"message":"x"}}' }
    const tasks = byTask(
      await recorded([
        chat([user("hi")], { content: "hello" }),
        failing,
        failing,
        chat([...base, user("b")], { content: "B" }),
        chat([...base, user("b"), assistant("B"), user("c")], { content: "C" }),
      ]),
    )
    expect(tasks).toHaveLength(1)
    const messages = { task: "messages", after: "messages" }
    expect(rulesOf(tasks[0] ?? [])).toEqual([
      ...[undefined, messages, { ...messages, retryOf: "same-request" }],
      ...[messages, messages],
    ])
  })

  it("is found by a call's id where its conversation was cut down to a summary", async () => {
    const call = { id: "call_9xKq", type: "function", function: { name: "read", arguments: '{"file":"x"}' } }
    const calling = { content: null, tool_calls: [call] }
    const result = { role: "tool", tool_call_id: "call_9xKq", content: "of x" }
    const tasks = byTask(
      await recorded([
        chat([user("Look")], calling),
        chat([user("Summary: somebody looked"), { role: "assistant", ...calling }, result], { content: "done" }),
        chat([user("Something else")], { content: "no" }),
      ]),
    )
    expect(tasks.map((task) => of(task, "ModelCalled").length)).toEqual([2, 1])
    expect(tasks.map(rulesOf)).toEqual([[undefined, { task: "sent-calls" }], [undefined]])
  })
})

describe("a process with many conversations", () => {
  it("records 200 at once without mixing any, though all begin alike", async () => {
    const log = temporary("many.db")
    const count = 200
    const turns = Array.from({ length: count }, (_, index) => {
      const opening = [user("hi")]
      const second = [...opening, assistant("hello"), user(`I am number ${index}.`)]
      return [
        chat(opening, { content: "hello" }),
        chat(second, { content: `Hi ${index}` }),
        chat([...second, assistant(`Hi ${index}`), user(`Still ${index}.`)], { content: "bye" }),
      ]
    })
    await serving(turns.flat(), async (_, ask) => {
      const runs = await opened(log)
      const fetch = fetchOf(runs)
      await Promise.all(
        turns.map(async (own) => {
          for (const exchange of own) await ask(fetch, exchange)
        }),
      )
      await runs.close()
    })
    const tasks = byTask(await eventsOf(log))
    expect(tasks).toHaveLength(count)
    for (const task of tasks) {
      const called = of(task, "ModelCalled")
      expect(called).toHaveLength(3)
      const numbers = new Set(
        JSON.stringify(called.map(({ payload }) => payload.request)).match(/(?<=number |Still )\d+/g),
      )
      expect(numbers.size).toBe(1)
    }
  })

  it("puts what names a run into it, what a caller is at work on, and what its client's session says", async () => {
    const log = temporary("named.db")
    const [hi, title, child] = [chat([user("hi")], {}), chat([user("A title?")], {}), chat([user("Search")], {})]
    await serving([hi, title, child], async (url, ask) => {
      const runs = await opened(log)
      await ask(fetchOf(runs, { run: "team-7" }), hi)
      await ask(fetchOf(runs, { run: "team-7" }), title)
      const placed = await runs.begin("A child", "child-1")
      await ask(fetchOf(runs, { within: placed.taskId }), child)
      const headers = { "content-type": "application/json", "x-claude-code-session-id": "s-1" }
      for (const { path, request } of [hi, title]) {
        await (await fetchOf(runs)(url + path, { method: "POST", headers, body: request })).text()
      }
      await runs.close()
    })
    const tasks = byTask(await eventsOf(log))
    expect(tasks.map((task) => of(task, "ModelCalled").length)).toEqual([2, 1, 2])
    expect(tasks[0]?.[0]?.taskId).toBe("team-7")
    // The name is the program's own word: nothing is inferred.
    expect(tasks.map(rulesOf)).toEqual([[undefined, undefined], [{ task: "caller" }], [undefined, { task: "session" }]])
    expect(tasks[2]?.[0]?.payload).toMatchObject({ goal: "hi" })
  })

  it("leaves tasks open for the next process, which continues them", async () => {
    const log = temporary("next.db")
    const [first, second] = exchangesOf("openai-chat-second-turn")
    if (first === undefined || second === undefined) throw new Error("expected two turns")
    await serving([first, second], async (_, ask) => {
      for (const exchange of [first, second]) {
        const runs = await opened(log)
        await ask(fetchOf(runs), exchange)
        await runs.close()
      }
    })
    const tasks = byTask(await eventsOf(log))
    expect(tasks).toHaveLength(1)
    expect(of(tasks[0] ?? [], "RecorderJoined")).toHaveLength(1)
    expect(rulesOf(tasks[0] ?? [])).toEqual([undefined, { task: "messages", after: "messages" }])
    expect(of(tasks[0] ?? [], "CommandSucceeded")).toHaveLength(1)
  })

  it("closes what is silent for long, and records what continues it later whole, in a task of its own", async () => {
    const log = temporary("idle.db")
    const [first, second] = exchangesOf("openai-chat-second-turn")
    if (first === undefined || second === undefined) throw new Error("expected two turns")
    await serving([first, second], async (_, ask) => {
      const runs = await opened(log, { idleMs: -1 })
      await ask(fetchOf(runs), first)
      await runs.closeIdle()
      await ask(fetchOf(runs), second)
      await runs.close()
    })
    const tasks = byTask(await eventsOf(log))
    expect(tasks.map((task) => of(task, "TaskClosed").map(({ payload }) => payload.outcome))[0]).toEqual(["abandoned"])
    expect(of(tasks[1] ?? [], "ModelCalled")[0]?.payload.request).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant" }, { role: "tool" }],
    })
    expect(tasks.map(rulesOf)).toEqual([[undefined], [undefined]])
  })

  it("closes, as a service, what had been silent for long when an earlier process left it", async () => {
    const log = temporary("silent.db")
    const [hi, again] = [
      chat([user("hi")], assistant("hello")),
      chat([user("hi"), assistant("hello"), user("still there?")], {}),
    ]
    await serving([hi, again], async (_, ask) => {
      const earlier = await opened(log)
      await ask(fetchOf(earlier), hi)
      await earlier.close()
      const service = await opened(log, { isService: true, idleMs: -1 })
      await ask(fetchOf(service), again)
      await service.close()
    })
    const tasks = byTask(await eventsOf(log))
    const [silent = [], own = []] = tasks
    expect(of(silent, "TaskClosed").map(({ payload }) => payload)).toMatchObject([
      { outcome: "achieved", reason: expect.stringContaining("silent") },
    ])
    expect(of(own, "ModelCalled")[0]?.payload.request).toMatchObject({
      messages: [{ role: "user" }, { role: "assistant" }, { role: "user" }],
    })
  })
})

describe("the meaning of a message", () => {
  const call = (callId: string, args: object): Message => ({
    role: "assistant",
    content: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "Let me look" },
      { type: "call", callId, tool: "read", args: args as never },
    ],
  })

  it("is the same with other ids, orders of keys, thoughts and blocks, and another with other words", () => {
    const one = call("a", { file: "x", lines: [1, 2] })
    const two: Message = {
      role: "assistant",
      content: [
        { type: "text", text: "<think>hm</think>\nLet me " },
        { type: "text", text: "look" },
        { type: "call", callId: "pyd_ai_1", tool: "read", args: { lines: [1, 2], file: "x" } },
      ],
    }
    expect(NormalizedMessage.of(one)).toBe(NormalizedMessage.of(two))
    expect(NormalizedMessage.of(one)).not.toBe(NormalizedMessage.of(call("a", { file: "y", lines: [1, 2] })))
    const result = (content: unknown): Message => ({
      role: "tool",
      content: [{ callId: "a", tool: "read", isError: false, content: content as never }],
    })
    expect(NormalizedMessage.of(result("of x"))).toBe(
      NormalizedMessage.of(result([{ type: "text", text: "of x", cache_control: { type: "ephemeral" } }])),
    )
  })

  it("tells conversations apart by any word, whatever the words are", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" }), { minLength: 1, maxLength: 6 }), fc.nat(5), (words, at) => {
        const said = words.map(
          (text, index): Message =>
            index % 2 === 0
              ? { role: "user", content: [{ type: "text", text }] }
              : { role: "assistant", content: [{ type: "text", text }] },
        )
        const known = Conversations.make()
        known.of("one").asked("e1", { messages: said })
        known.of("one").answered({ id: "e2", request: "e1", parts: [{ type: "text", text: "yes" }] })
        const more: Message = { role: "assistant", content: [{ type: "text", text: "yes" }] }
        const next: Message = { role: "user", content: [{ type: "text", text: "next" }] }
        expect(known.runOf({ messages: [...said, more, next] })).toEqual({ run: "one", by: "messages" })
        const other = said.map((message, index): Message => {
          if (index !== at % said.length) return message
          const content = [{ type: "text" as const, text: `${words[index]} and more` }]
          return index % 2 === 0 ? { role: "user", content } : { role: "assistant", content }
        })
        expect(known.runOf({ messages: [...other, more, next] })).toBeUndefined()
      }),
    )
  })
})
