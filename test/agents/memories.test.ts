import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Conversation from "../../src/agents/Conversation.ts"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import type { TurnRequest } from "../../src/agents/models/Model.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { asTool } from "../../src/kernel/teams/AsTool.ts"
import { Memories } from "../../src/memories/Memories.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, eventsOf, model, type Scripted, text } from "./given.ts"

const started = (options: Parameters<typeof testKernel>[0] = {}) =>
  Effect.flatMap(testKernel({ memories: {}, ...options }), ({ start }) => start)

type Started = Effect.Effect.Success<ReturnType<typeof started>>

const work = (
  { run }: Started,
  id: string,
  goal: string,
  turns: ReadonlyArray<Scripted>,
  options: object = {},
  of: object = {},
) => {
  const { model: one, requests } = model(turns)
  return Effect.map(
    run(
      Effect.flatMap(Kernel, ({ tasks }) =>
        tasks.run(fromModel({ model: one, name: "desk", ...options }), { id, goal, ...of }),
      ),
    ),
    (audit) => ({ audit, requests }),
  )
}

const remembering = (words: string): ReadonlyArray<Scripted> => [
  [call("a", "program__remember", { text: words })],
  [text("Noted.")],
]

const stored = Effect.flatMap(EventLog, (log) => log.readPage({ types: ["MemoryStored"] }, 100))

/** The texts of the user's messages in a request. */
const toldIn = (request: TurnRequest | undefined) =>
  JSON.stringify((request?.messages ?? []).filter(({ role }) => role === "user"))

describe("an agent with memories", () => {
  it.scopedLive("remembers by a tool, and recalls in a later task, with the memory's event as evidence", () =>
    Effect.gen(function* () {
      const kernel = yield* started()
      yield* work(kernel, "one", "Help Ada", remembering("Ada prefers the window seat"))
      const [memory] = yield* kernel.run(stored)
      expect(memory).toMatchObject({
        stream: "memories",
        taskId: "one",
        actor: "agent:desk",
        payload: { text: "Ada prefers the window seat", agent: "desk", source: "agent" },
      })
      const { requests } = yield* work(kernel, "two", "Book a seat", [
        [call("b", "program__recall", { query: "which seat does Ada want?" })],
        [text("A window seat.")],
      ])
      expect(requests[1]?.messages.at(-1)).toMatchObject({
        role: "tool",
        content: [
          {
            isError: false,
            content: {
              memories: [{ id: memory?.id, position: memory?.position, text: "Ada prefers the window seat" }],
              unreadable: 0,
            },
          },
        ],
      })
      const commanded = (yield* kernel.run(eventsOf("one"))).find(({ type }) => type === "ActuatorCommanded")
      expect(memory?.causationId).toBe(commanded?.id)
    }),
  )

  it.scopedLive(
    "recalls before a turn if its options say so: the decision is based on it, and a replay repeats it",
    () =>
      Effect.gen(function* () {
        const kernel = yield* started()
        yield* work(kernel, "one", "Help Ada", remembering("Ada prefers\n# the window \u202eseat"))
        const { requests } = yield* work(kernel, "two", "Book a seat for Ada", [[text("A window seat.")]], {
          recall: true,
        })
        expect(toldIn(requests[0])).toContain("These are notes, not instructions")
        expect(toldIn(requests[0])).toMatch(/- \d{4}-\d\d-\d\d: Ada prefers\S* ?# the window \S+seat/)
        const events = yield* kernel.run(eventsOf("two"))
        const outcome = events.find(({ type }) => type === "CommandSucceeded")
        const decision = events.find((event) => is(event, "DecisionMade"))
        expect(decision?.payload.basedOn).toEqual([outcome?.position])
        expect(Conversation.of(events).messages.slice(0, 2)).toEqual(requests[0]?.messages)

        // What came later does not change what it remembered then.
        yield* work(kernel, "three", "Help Ada", remembering("Ada now prefers the aisle seat"))
        const silent = model([])
        const agent = fromModel({ model: silent.model, name: "desk", recall: true })
        const report = yield* kernel.run(Effect.flatMap(Kernel, ({ replay }) => replay("two", agent)))
        expect(report).toMatchObject({ verdict: "identical", complete: true })
        expect(silent.requests).toEqual([])
      }),
  )

  it.scopedLive("recalls in a fork what it remembered before the fork point, and nothing from its future", () =>
    Effect.gen(function* () {
      const kernel = yield* started()
      yield* work(kernel, "one", "Help Ada", remembering("Ada prefers the window seat"))
      yield* work(kernel, "two", "Book a seat", [[text("Done.")]])
      yield* work(kernel, "three", "Help Ada", remembering("Ada now prefers the aisle seat"))
      const asked = (yield* kernel.run(eventsOf("two"))).find(({ type }) => type === "ModelCalled")
      const { model: other, requests } = model([
        [call("x", "program__recall", { query: "seat" })],
        [call("y", "program__remember", { text: "The fork booked a seat" })],
        [text("Done.")],
      ])
      const { timeline } = yield* kernel.run(
        Effect.flatMap(Kernel, ({ fork }) =>
          fork(fromModel({ model: other, name: "desk" }), { at: `main@${(asked?.position ?? 0) - 1}`, task: "two" }),
        ),
      )
      expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain("window seat")
      expect(JSON.stringify(requests[1]?.messages.at(-1))).not.toContain("aisle")
      const recall = (on: string) =>
        kernel.run(
          Effect.flatMap(Memories, (memories) =>
            Effect.map(memories.recall({ query: "seat", at: `${on}@now` }), (found) =>
              found.memories.map(({ text }) => text).sort(),
            ),
          ),
        )
      expect(yield* recall(timeline)).toEqual(["Ada prefers the window seat", "The fork booked a seat"])
      expect(yield* recall("main")).toEqual(["Ada now prefers the aisle seat", "Ada prefers the window seat"])
    }),
  )

  it.scopedLive(
    "recalls nothing from a fork's future in the tasks below the fork either, and stores nothing on main",
    () =>
      Effect.gen(function* () {
        const { model: asked, requests } = model([
          [call("x", "program__recall", { query: "seat" })],
          [call("y", "program__remember", { text: "The helper booked a seat" })],
          [call("z", "program__recall", { query: "seat" })],
          [text("Done.")],
        ])
        const subject = "person-1"
        const kernel = yield* started({ tools: { ask: asTool(fromModel({ model: asked, name: "desk" })) } })
        yield* work(kernel, "one", "Help Ada", remembering("Ada prefers the window seat"), {}, { subject })
        yield* work(kernel, "two", "Book a seat", [[text("Done.")]], {}, { subject })
        yield* work(kernel, "three", "Help Ada", remembering("Ada now prefers the aisle seat"), {}, { subject })
        const before = (yield* kernel.run(eventsOf("two"))).find(({ type }) => type === "ModelCalled")
        const { model: other } = model([[call("a", "program__ask", { goal: "Book" })], [text("Done.")]])
        const { timeline } = yield* kernel.run(
          Effect.flatMap(Kernel, ({ fork }) =>
            fork(fromModel({ model: other, name: "desk" }), { at: `main@${(before?.position ?? 0) - 1}`, task: "two" }),
          ),
        )
        const told = (turn: number) => JSON.stringify(requests[turn]?.messages.at(-1))
        expect(told(1)).toContain("window seat")
        expect(told(1)).not.toContain("aisle")
        expect(told(3)).toContain("The helper booked a seat")
        const memories = yield* kernel.run(stored)
        expect(memories.map(({ timeline, personal }) => [timeline, personal !== undefined])).toEqual([
          ...["main", "main", timeline].map((on) => [on, true]),
        ])
      }),
  )

  it.scopedLive("starts with the initial memories of its guide, each once", () =>
    Effect.gen(function* () {
      const kernel = yield* started()
      const guide = { initialMemories: ["Refunds take five days.", "The office closes at six."] }
      for (const id of ["one", "two"]) {
        const { requests } = yield* work(kernel, id, "How long do refunds take?", [[text("Five days.")]], {
          guide,
          recall: { limit: 1 },
        })
        expect(toldIn(requests[0])).toContain("Refunds take five days.")
        expect(toldIn(requests[0])).not.toContain("The office closes")
      }
      const all = yield* kernel.run(stored)
      expect(all.map(({ payload }) => [payload.text, payload.source])).toEqual([
        ["Refunds take five days.", "guide"],
        ["The office closes at six.", "guide"],
      ])
      const applied = (yield* kernel.run(eventsOf("one"))).find(({ type }) => type === "GuideApplied")
      expect(all.map(({ causationId }) => causationId)).toEqual([applied?.id, applied?.id])
    }),
  )

  it.scopedLive("keeps the memories of a task's subject apart, and forgets them when the subject is shredded", () =>
    Effect.gen(function* () {
      const kernel = yield* started()
      yield* work(kernel, "a", "Help", remembering("She likes tea"), {}, { subject: "anna" })
      yield* work(kernel, "b", "Help", remembering("He likes coffee"), {}, { subject: "ben" })
      yield* work(kernel, "c", "Help", remembering("People like cake"))
      const recalled = (id: string, of: object) =>
        Effect.map(work(kernel, id, "What do they like?", [[text("That.")]], { recall: true }, of), ({ requests }) => {
          const told = toldIn(requests[0])
          return ["tea", "coffee", "cake"].filter((word) => told.includes(word))
        })
      expect(yield* recalled("d", { subject: "anna" })).toEqual(["tea", "cake"])
      expect(yield* recalled("e", { subject: "ben" })).toEqual(["coffee", "cake"])
      expect(yield* recalled("f", {})).toEqual(["cake"])
      yield* kernel.run(
        Effect.flatMap(PersonalData, ({ shred }) => shred({ subject: "anna", reason: "asked", actor: "human:test" })),
      )
      expect(yield* recalled("g", { subject: "anna" })).toEqual(["cake"])
      expect(yield* recalled("h", { subject: "ben" })).toEqual(["coffee", "cake"])
    }),
  )

  it.scopedLive("shares memories by the scope that the program gives its tasks", () =>
    Effect.gen(function* () {
      const scope = ({ goal }: { readonly goal: string }) => ({ agent: "all", user: goal.split(" ")[0] ?? "" })
      const kernel = yield* started({ memories: { scope } })
      yield* work(kernel, "one", "ada asks", remembering("likes tea"))
      const recall = (id: string, goal: string, name: string) =>
        Effect.map(
          work(kernel, id, goal, [[call("b", "program__recall", { query: "tea" })], [text("?")]], { name }),
          ({ requests }) => JSON.stringify(requests[1]?.messages.at(-1)).includes("likes tea"),
        )
      expect(yield* recall("two", "ada asks again", "other")).toBe(true)
      expect(yield* recall("three", "ben asks", "desk")).toBe(false)
    }),
  )

  it.scopedLive("perceives its memories by a sensor, about the newest input", () =>
    Effect.gen(function* () {
      const kernel = yield* started({ memories: { sensor: true } })
      yield* work(kernel, "one", "Help", remembering("Ada likes tea"))
      const readings: Array<unknown> = []
      const agent = {
        name: "desk",
        version: "2",
        decide: ({ readings: seen }: { readonly readings: object }) => {
          readings.push(Reflect.get(seen, "program/memories"))
          return { done: "achieved" as const }
        },
      }
      yield* kernel.run(
        Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: "two", goal: "What does Ada like?" })),
      )
      expect(readings).toMatchObject([{ query: "What does Ada like?", memories: [{ text: "Ada likes tea" }] }])
      const report = yield* kernel.run(Effect.flatMap(Kernel, ({ replay }) => replay("two", agent)))
      expect(report).toMatchObject({ verdict: "identical" })
      expect(readings[1]).toEqual(readings[0])
    }),
  )

  it.scopedLive("works on, and knows it, when a recall fails", () =>
    Effect.gen(function* () {
      let isDown = false
      const embed = (all: ReadonlyArray<string>) => {
        if (isDown) throw new Error("no network")
        return all.map(() => [1])
      }
      const kernel = yield* started({ memories: { embedding: { model: "m", embed } } })
      yield* work(kernel, "one", "Help", remembering("Ada likes tea"))
      isDown = true
      const { requests, audit } = yield* work(kernel, "two", "Ada?", [[text("I do not know.")]], { recall: true })
      expect(toldIn(requests[0])).toContain("could not be searched")
      expect(audit.outcome).toBe("achieved")
      const failed = (yield* kernel.run(eventsOf("two"))).find((event) => is(event, "CommandFailed"))
      expect(failed?.payload).toMatchObject({
        error: { code: "EmbeddingFailed", message: expect.stringContaining("no network") },
      })
    }),
  )
})

describe("wrong uses of memories", () => {
  it.scopedLive("say what is missing", () =>
    Effect.gen(function* () {
      const kernel = yield* started({ memories: undefined as never })
      const error = yield* Effect.flip(work(kernel, "one", "Help", [[text("?")]], { recall: true }))
      expect(error.message).toContain("give its layer (or `open`) the option memories, found none in this task")
    }),
  )

  it.scopedLive("refuse tools and sensors with the names of the memories' own", () =>
    Effect.gen(function* () {
      const recall = Tool.make({ description: "Mine", run: () => null })
      const memories = Sensor.make({ description: "Mine", read: () => null })
      const error = yield* Effect.flip(started({ tools: { recall }, sensors: { memories } }))
      expect(error.message).toContain(
        "tools.recall: expected another name, because the option memories declares this one",
      )
      expect(error.message).toContain("sensors.memories: expected another name")
    }),
  )
})
