import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import * as EventPage from "../../src/cli/pages/events/EventPage.ts"
import { plain } from "../../src/cli/terminal/Style.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { RULES } from "../../src/events/vocabulary/Inference.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as TimeTravel from "../../src/projections/timetravel/TimeTravel.ts"
import { forked, type Run, record } from "../../src/record/index.ts"
import * as Entries from "../../src/studio/course/Entries.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** Asks the past of a log. */
const asking = <A, E>(log: string, question: (travel: TimeTravel.TimeTravel.Service) => Effect.Effect<A, E>) =>
  Effect.flatMap(TimeTravel.TimeTravel, question).pipe(
    Effect.provide(
      TimeTravel.layer.pipe(
        Layer.provide(Projector.layer),
        Layer.provide(SqliteEventLog.layer({ filename: log, readonly: true })),
      ),
    ),
    Effect.runPromise,
  )

/** The chain of causes of an event: the type of each, what it says, and which arguments it was inferred from. */
const whyOf = (log: string, event: Event | undefined, timeline = "main") =>
  asking(log, (travel) => travel.why(`${timeline}@${event?.position}`))

const effectsOf = (log: string, event: Event | undefined) =>
  asking(log, (travel) => travel.effects(`main@${event?.position}`))

const shown = (chain: Awaited<ReturnType<typeof whyOf>>) =>
  chain.map(({ type, inferred, matched }) => (inferred === undefined ? type : `${type} by ${matched?.join(" ")}`))

const last = (events: ReadonlyArray<Event>, type: string) => events.findLast((event) => event.type === type)

/** Records a program, and asks why it gave its last command. */
const recorded = async (
  program: (run: Run) => Promise<unknown>,
  options: Partial<Parameters<typeof record>[0]> = {},
) => {
  const log = temporary("causes.db")
  const run = await record({ log, goal: "Add numbers", agent: "adder", ...options })
  await program(run)
  await run.end("achieved")
  const events = await eventsOf(log)
  const chain = await whyOf(log, last(events, "ActuatorCommanded"))
  return { log, events, chain, shown: shown(chain), taskId: run.taskId }
}

const NAMED = ["ActuatorCommanded", "TaskOpened"]

const CALLED = ["IoCalled", "TaskOpened"]

/** A model that says something. */
const saying = (message: object) => async (input: string | URL | Request) =>
  String(input instanceof Request ? input.url : input).endsWith("/data")
    ? Response.json({ rows: [{ price: 4711.5, name: "a samovar" }] })
    : Response.json({
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", ...message } }],
        usage: { prompt_tokens: 20, completion_tokens: 33 },
      })

const post = (run: Run, messages: ReadonlyArray<object>) =>
  run.fetch("http://model.invalid/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", messages }),
  })

const ask = (run: Run) => post(run, [{ role: "user", content: "How much?" }])

const adding = (run: Run) => run.tool("add", (values: object) => Object.keys(values).length)

describe("the causes of a recorded program's calls", () => {
  it("lead to the answer in which a call's value occurs, and say that this is inferred", async () => {
    const { chain, shown } = await recorded(async (run) => {
      const load = run.io("load", (name: string) => ({ name, rows: 20 }))
      await adding(run)({ a: (await load("stock")).rows })
    })
    expect(shown).toEqual(["ActuatorCommanded", "IoAnswered by /a", ...CALLED])
    expect(chain[1]).toMatchObject({
      inferred: true,
      rule: "values",
      matched: ["/a"],
      payload: { result: { rows: 20 } },
    })
    const by = { rule: "values", says: RULES.values, from: ["/a"] }
    expect(chain.map((cause) => Entries.cause(cause).inferred)).toEqual([undefined, by, undefined, undefined])
    expect(EventPage.chain(plain, chain)).toEqual([
      '@4 ActuatorCommanded  program/add {"a":20}',
      '└─ @3 IoAnswered  load {"name":"stock","rows":20}  (inferred by values: /a)',
      '   └─ @2 IoCalled  load ["stock"]',
      "      └─ @1 TaskOpened  adder: Add numbers",
      "Inferred by values: no event names the cause: the given arguments of the call occur in the answer, perhaps by chance.",
    ])
  })

  it("say by which rule the result of a call was paired with it, forwards and backwards", async () => {
    const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } }
    const said = { role: "assistant", content: null, tool_calls: [call] }
    const asked = { role: "user", content: "How much?" }
    const { log, events } = await recorded(
      async (run) => {
        for (const messages of [[asked], [asked, said, { role: "tool", tool_call_id: "c1", content: "20" }]])
          await (await post(run, messages)).json()
      },
      { fetch: saying({ content: null, tool_calls: [call] }) },
    )
    const outcome = last(events, "CommandSucceeded")
    expect(outcome?.payload.inferred).toEqual({ cause: "call-id" })
    const chain = await whyOf(log, last(events, "ModelCalled"))
    expect(chain.map(({ type, rule }) => [type, rule])).toEqual([
      ["ModelCalled", undefined],
      ["CommandSucceeded", undefined],
      ["CommandDispatched", "call-id"],
      ["CommandAllowed", undefined],
      ["ActuatorCommanded", undefined],
      ["ModelResponded", undefined],
      ["ModelCalled", undefined],
      ["TaskOpened", undefined],
    ])
    const page = EventPage.chain(plain, chain)
    expect(page[0]).toContain("(continuation inferred by messages)")
    expect(page[2]).toContain("(inferred by call-id)")
    expect(page.slice(-2)).toEqual([
      `Inferred by call-id: ${RULES["call-id"]}.`,
      `Inferred by messages: ${RULES.messages}.`,
    ])
    const { events: effects } = await effectsOf(
      log,
      events.find(({ type }) => type === "CommandDispatched"),
    )
    expect(effects.map(({ event, rule }) => [event.type, rule]).slice(0, 2)).toEqual([
      ["CommandDispatched", undefined],
      ["CommandSucceeded", "call-id"],
    ])
  })

  it("lead to a model's answer as it was read, whether it said the value or called with it, in JSON or not", async () => {
    const call = { id: "c1", type: "function", function: { name: "add", arguments: '{"a":20,"who":"Levin"}' } }
    const called = await recorded(
      async (run) => {
        await (await ask(run)).json()
        await adding(run)({ a: 20, who: "Levin" })
      },
      { fetch: saying({ content: null, tool_calls: [call] }) },
    )
    const asked = ["ModelCalled", "TaskOpened"]
    expect(called.shown).toEqual(["ActuatorCommanded", "ModelResponded by /a /who", ...asked])
    for (const content of ['{"a": 20}', "20", '["{\\"n\\":20}"]']) {
      const said = await recorded(
        async (run) => {
          await (await ask(run)).json()
          await adding(run)({ a: 20 })
        },
        { fetch: saying({ content }) },
      )
      expect(said.shown).toEqual(["ActuatorCommanded", "ModelResponded by /a", ...asked])
    }
  })

  it("lead to what other servers, tools, sensors and chance answered, and from there on", async () => {
    const { shown, events, log } = await recorded(
      async (run) => {
        const [row] = ((await (await run.fetch("http://shop.invalid/data")).json()) as { rows: [{ price: number }] })
          .rows
        const double = run.tool("double", ({ price }: { price: number }) => price * 2)
        const doubled = await double({ price: row.price })
        const heat = await run.sensor("heat", () => 77.25)()
        await run.io("note", (_: number) => null)(heat)
        const add = adding(run)
        await add({ chance: run.random() })
        await add({ deep: [{ doubled: `${doubled}`, real: doubled }] })
      },
      { fetch: saying({}) },
    )
    const toServer = ["ActuatorCommanded", "IoAnswered by /price", ...CALLED]
    const executed = ["CommandDispatched", "CommandAllowed"]
    expect(shown).toEqual([
      "ActuatorCommanded",
      "CommandSucceeded by /deep/0/doubled /deep/0/real",
      ...executed,
      ...toServer,
    ])
    const noted = events.findLast((event) => event.type === "IoCalled")
    expect((await whyOf(log, noted)).map(({ type }) => type)).toEqual(["IoCalled", "SensorRead", "TaskOpened"])
    const drawn = events.filter(({ type }) => type === "ActuatorCommanded").at(-2)
    expect((await whyOf(log, drawn)).map(({ type }) => type)).toEqual([
      "ActuatorCommanded",
      "RandomDrawn",
      "TaskOpened",
    ])
  })

  it("stay as they are named where a value occurs in no answer, or in almost any", async () => {
    const program = (values: object) => async (run: Run) => {
      const placeholders = { secret: "[redacted]", deep: "[no JSON: nested too deeply]" }
      const load = run.io("load", (_: string) => ({ rows: 20, one: 1, id: "abc", ...placeholders, ok: true }))
      await load("stock")
      await (await ask(run)).text()
      await adding(run)(values)
      await load("9")
    }
    const unknown = [
      { a: 21, b: 0, c: 1, d: -1, e: "abc", f: true, g: null },
      // What is about an answer is no part of it; and a later answer is no cause.
      { tokens: 33, status: 200, type: "application/json", finish: "stop", part: "reasoning" },
      { hidden: "[redacted]" },
      { deep: "[no JSON: nested too deeply]" },
      { far: `${"x".repeat(2000)} 20` },
      {},
    ]
    for (const values of unknown) {
      const { shown } = await recorded(program(values), { fetch: saying({ content: "Nothing." }) })
      expect([values, shown]).toEqual([values, NAMED])
    }
  })

  it("lead to the answer with most of the values, and among equal ones to the newest", async () => {
    const program = (values: object) => async (run: Run) => {
      const load = run.io("load", (_: number, answer: object) => answer)
      await load(1, { a: 20, b: 30, name: "first" })
      await load(2, { a: 20, b: 30, name: "second" })
      await load(3, { a: 20, name: "decoy" })
      await adding(run)(values)
    }
    const both = await recorded(program({ a: 20, b: 30 }))
    expect(both.chain[1]?.payload).toMatchObject({ result: { name: "second" } })
    const one = await recorded(program({ a: 20, again: 20, also: 21 }))
    expect(one.chain[1]).toMatchObject({ payload: { result: { name: "decoy" } }, matched: ["/a", "/again"] })
  })

  it("lead each of several calls at once to its own answer", async () => {
    const { events, log } = await recorded(async (run) => {
      const load = run.io("load", async (name: string) => ({ price: name.length * 1000 }))
      const add = adding(run)
      await Promise.all(["tea", "bread", "samovar"].map(async (name) => add({ ...(await load(name)), name })))
    })
    const commands = events.filter(({ type }) => type === "ActuatorCommanded")
    const found = await Promise.all(
      commands.map(async (command) => {
        const [own, answer] = (await whyOf(log, command)).map(({ payload }) => payload)
        return [JSON.parse(JSON.stringify(own?.args)).price, JSON.parse(JSON.stringify(answer?.result)).price]
      }),
    )
    expect(found.toSorted()).toEqual([
      [3000, 3000],
      [5000, 5000],
      [7000, 7000],
    ])
  })

  it("stay in the history of their timeline, and reach from a fork into what it shares", async () => {
    const program = (answer: number) => async (run: Run) => {
      const load = run.io("load", (_: string) => answer)
      const early = await run.io("early", () => 31)()
      const late = await load("x")
      const add = adding(run)
      await add({ late })
      await add({ early })
      await add({ late: 52 })
    }
    const { log, events, taskId } = await recorded(program(52))
    const at = events.find(({ type, payload }) => type === "IoCalled" && payload.io === "load")?.position ?? 0
    await forked({ log, taskId, at: `@${at - 1}`, timeline: "other" }, program(64))
    const other = (await eventsOf(log)).filter(
      ({ timeline, type }) => timeline === "other" && type === "ActuatorCommanded",
    )
    const chains = await Promise.all(other.map((event) => whyOf(log, event, "other")))
    expect(chains.map(shown)).toEqual([
      ["ActuatorCommanded", "IoAnswered by /late", "IoCalled", "TimelineForked"],
      ["ActuatorCommanded", "IoAnswered by /early", ...CALLED],
      // Only the parent was answered 52, after the fork left it.
      ["ActuatorCommanded", "TimelineForked"],
    ])
    expect(chains[0]?.[1]?.payload.result).toBe(64)
  })

  it("are sought in no more than some answers, in other tasks not at all, and in long ones to a limit", async () => {
    const long = "x".repeat(3_000_000)
    const far = await recorded(async (run) => {
      const load = run.io("load", (answer: unknown) => answer)
      await load("the needle")
      for (let index = 0; index < 3; index++) await load(long)
      await adding(run)({ name: "the needle" })
    })
    expect(far.shown).toEqual(NAMED)
    const log = temporary("two.db")
    const first = await record({ log, goal: "Load", agent: "loader", id: "first" })
    await first.io("load", () => "the needle")()
    await first.end("achieved")
    const second = await record({ log, goal: "Add", agent: "adder", id: "second" })
    await adding(second)({ name: "the needle" })
    await second.end("achieved")
    expect(shown(await whyOf(log, last(await eventsOf(log), "ActuatorCommanded")))).toEqual(NAMED)
  })

  it("are found behind hundreds of other answers", async () => {
    const { shown } = await recorded(async (run) => {
      await run.io("load", () => "the needle")()
      for (let index = 0; index < 300; index++) run.random()
      await adding(run)({ name: "needle" })
    })
    expect(shown).toEqual(["ActuatorCommanded", "IoAnswered by /name", ...CALLED])
  })

  it("are inferred from personal data only while it can be read", async () => {
    const {
      log,
      events,
      shown: before,
    } = await recorded(
      async (run) => {
        await run.io("load", () => "levin of the meadow")()
        await adding(run)({ name: "levin of the meadow" })
      },
      { subject: "levin" },
    )
    expect(before).toEqual(["ActuatorCommanded", "IoAnswered by /name", ...CALLED])
    await Effect.flatMap(PersonalData, (data) =>
      data.shred({ subject: "levin", reason: "he asked", actor: "human:test" }),
    ).pipe(Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)
    expect(shown(await whyOf(log, last(events, "ActuatorCommanded")))).toEqual(NAMED)
  })

  it("are not inferred of a task that no program recorded", async () => {
    const log = temporary("kernel.db")
    const opened = { goal: "Add", measures: [], agent: "adder@1.0.0" }
    const task = { stream: "task/t", taskId: "t", actor: "kernel" }
    const chain = await Effect.gen(function* () {
      const { append } = yield* EventLog
      const [root] = (yield* append({ ...task, events: [{ type: "TaskOpened", payload: opened }] })).events
      const causationId = root?.id ?? null
      const command = { commandId: "c", actuator: "p/add", args: { a: 20 }, argsDigest: "0".repeat(64), priority: 0 }
      yield* append({
        ...task,
        events: [
          { type: "IoAnswered", causationId, payload: { io: "load", result: 20 } },
          { type: "ActuatorCommanded", causationId, payload: command },
        ],
      })
      return yield* Effect.promise(() => whyOf(log, { position: 3 } as Event))
    }).pipe(Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)
    expect(shown(chain)).toEqual(NAMED)
  })
})
