import { it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { AnswerPart } from "../../src/agents/models/Message.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, eventsOf, model, text } from "./given.ts"

/** Tools whose results come at once or later, so that a command that starts early would also end early. */
const kinds = {
  write: { risk: "low" },
  quick: { risk: "low" },
  look: { risk: "none" },
  fetch: { risk: "low", concurrent: true },
} as const

const isParallel = (name: keyof typeof kinds) => name === "look" || name === "fetch"

const toolsOf = (ran: Array<number>) =>
  Object.fromEntries(
    Object.entries(kinds).map(([name, declared]) => [
      name,
      Tool.make({
        description: name,
        args: { type: "object" },
        ...declared,
        run: async ({ at }) => {
          ran.push(Number(at))
          if (name !== "quick") await new Promise((resolve) => setImmediate(resolve))
          return at
        },
      }),
    ]),
  )

/** The commands of a task by the argument `at`, in the order in which they came to a point. */
const orderOf = (events: ReadonlyArray<Event>, type: string): ReadonlyArray<unknown> => {
  const at = new Map(
    events.flatMap(({ type, payload }) =>
      type === "ActuatorCommanded" ? [[payload.commandId, (payload.args as { readonly at: number }).at]] : [],
    ),
  )
  return events.filter((event) => event.type === type).map(({ payload }) => at.get(payload.commandId))
}

const upTo = (length: number) => Array.from({ length }, (_, at) => at)

const batch = fc.array(fc.constantFrom(...(["write", "quick", "look", "fetch"] as const)), {
  minLength: 1,
  maxLength: 8,
})

describe("the order of commands", () => {
  it.scopedLive("is that of their requests from a task's first one on, in 300 random batches", () =>
    Effect.gen(function* () {
      const ran: Array<number> = []
      const { run } = yield* (yield* testKernel({ tools: toolsOf(ran) })).start
      const batches = fc.sample(fc.tuple(fc.array(batch, { minLength: 25, maxLength: 25 }), fc.boolean()), 12)
      for (const [number, [rounds, asAnswers]] of batches.entries()) {
        const id = `t${number}`
        ran.length = 0
        const calls = rounds.map((names, round) =>
          names.map((name, at) => call(`c${round}-${at}`, `program__${name}`, { at: round * 10 + at })),
        )
        const expected = rounds.flatMap((names, round) => names.map((_, at) => round * 10 + at))
        if (asAnswers) {
          const turns: ReadonlyArray<ReadonlyArray<AnswerPart>> = [...calls, [text("Done.")]]
          const agent = fromModel({ model: model(turns).model })
          yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "g", id })))
        } else {
          const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "g", id })))
          for (const [round, names] of rounds.entries()) {
            const acts = names.map((name, at) => task.act(`program/${name}`, { at: round * 10 + at }))
            yield* Effect.promise(() => Promise.all(acts.map((act) => Effect.runPromise(act))))
          }
          yield* task.close("achieved")
        }
        const events = yield* run(eventsOf(id))
        expect(orderOf(events, "CommandDispatched")).toEqual(expected)
        expect(ran).toEqual(expected)
        // One by one: each ends before the next is requested, unless all of the answer may run together.
        if (!asAnswers) continue
        for (const [round, names] of rounds.entries()) {
          if (names.every(isParallel)) continue
          const own = events.filter(
            ({ type, payload }) =>
              (type === "ActuatorCommanded" && String(payload.callId).startsWith(`c${round}-`)) ||
              type === "CommandSucceeded",
          )
          const first = own.findIndex(({ type }) => type === "ActuatorCommanded")
          const types = own.slice(first, first + 2 * names.length).map(({ type }) => type)
          expect(types).toEqual(names.flatMap(() => ["ActuatorCommanded", "CommandSucceeded"]))
        }
      }
    }),
  )

  it.scopedLive("of an answer that writes, reads and removes is write, read, remove, with what was written read", () =>
    Effect.gen(function* () {
      let kept = "old"
      const tool = (run: () => unknown) => Tool.make({ description: "d", risk: "low", run: async () => run() })
      const tools = {
        write: tool(() => {
          kept = "new"
          return "written"
        }),
        read: Tool.make({ description: "d", risk: "none", run: () => kept }),
        remove: tool(() => {
          kept = "gone"
          return "removed"
        }),
      }
      const sensors = { file: Sensor.make({ description: "d", read: () => kept }) }
      const { run } = yield* (yield* testKernel({ tools, sensors })).start
      const calls = [
        ...[call("a", "program__write"), call("b", "program__read"), call("p", "perceive")],
        ...[call("c", "program__remove"), call("q", "perceive")],
      ]
      const scripted = model([calls, [text("Done.")]])
      const agent = fromModel({ model: scripted.model })
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { goal: "g", id: "t" })))
      expect(scripted.requests[1]?.messages.at(-1)?.content).toMatchObject([
        { callId: "a", content: "written" },
        { callId: "b", content: "new" },
        { callId: "p", content: { "program/file": "new" } },
        { callId: "c", content: "removed" },
        { callId: "q", content: { "program/file": "gone" } },
      ])
      const replayed = yield* run(
        Effect.flatMap(Kernel, ({ replay }) => replay("t", fromModel({ model: model([]).model }))),
      )
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
    }),
  )

  it.scopedLive("lets calls run at the same time where every tool is concurrent or without risk", () =>
    Effect.gen(function* () {
      let waiting: Array<() => void> = []
      const together = (declared: { readonly risk: "none" | "low"; readonly concurrent?: boolean }) =>
        Tool.make({
          description: "waits for the other one",
          ...declared,
          run: () =>
            new Promise((resolve) => {
              waiting.push(() => resolve("met"))
              if (waiting.length === 2) for (const each of waiting) each()
            }),
        })
      const tools = { one: together({ risk: "none" }), other: together({ risk: "low", concurrent: true }) }
      const { run } = yield* (yield* testKernel({ tools })).start
      waiting = []
      const turns = [[call("a", "program__one"), call("b", "program__other")], [text("Done.")]]
      const scripted = model(turns)
      yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(fromModel({ model: scripted.model }), { goal: "g" })))
      expect(scripted.requests[1]?.messages.at(-1)?.content).toMatchObject([{ content: "met" }, { content: "met" }])
    }),
  )

  it.scopedLive("is kept while a person is asked about one of them, which holds up no other", () =>
    Effect.gen(function* () {
      const ran: Array<number> = []
      const gate = {
        default: "allow",
        rules: [{ name: "ask", actuator: "program/write", decision: "confirm" }],
      } as const
      const { run } = yield* (yield* testKernel({ tools: toolsOf(ran), gate: { ...gate, confirmWithinMs: 200 } })).start
      const task = yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "g", id: "t" })))
      const acts = (["write", "look", "quick", "fetch"] as const).map((name, at) => task.act(`program/${name}`, { at }))
      const outcomes = yield* Effect.all(acts, { concurrency: "unbounded" })
      expect(outcomes.map(({ status }) => status)).toEqual(["expired", "succeeded", "succeeded", "succeeded"])
      expect(ran).toEqual(upTo(4).slice(1))
    }),
  )
})
