import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Studio from "../../src/studio/Studio.ts"
import type { LogInfo } from "../../src/studio/wire/Log.ts"
import type { Delta } from "../../src/studio/wire/Talk.ts"
import { LONGEST_INPUT } from "../../src/studio/wire/Talk.ts"
import { slow, talking } from "../agents/channel/given.ts"
import { eventsOf, type Scripted, text } from "../agents/given.ts"
import { temporaryDirectory } from "../temporary.ts"
import { listenTo, page, served, type Told } from "./given.ts"

/** A kernel, its Studio, and an agent in a conversation whose model answers so. */
const program = (turns: ReadonlyArray<Scripted>, options: Studio.StudioOptions = { answer: true }) =>
  Effect.gen(function* () {
    const filename = path.join(yield* temporaryDirectory, "log.db")
    const { agent, deltas } = talking(turns)
    const studio = Studio.layer({ by: "ada", deltas, ...options })
    const context = yield* Layer.build(Layer.provideMerge(studio, Hindcast.layer({ log: filename })))
    return { filename, agent, context }
  })

const statesIn = (told: ReadonlyArray<Told>) =>
  told.flatMap(({ type, data }) => (type === "state" ? [(data as { readonly state: string }).state] : []))

const deltasIn = (told: ReadonlyArray<Told>) =>
  told.flatMap(({ type, data }) => (type === "delta" ? [data as Delta] : []))

const textIn = (told: ReadonlyArray<Told>) =>
  deltasIn(told)
    .map((delta) => delta.text)
    .join("")

const TALK = "/api/talk?timeline=main&task=t"

const input = (words: string, delivery = "queued", task = "t") => ({ timeline: "main", task, text: words, delivery })

/** Waits until the agent is in a state. */
const until = (server: { readonly port: number; readonly token: string }, state: string) =>
  listenTo(server, TALK, (told) => statesIn(told).at(-1) === state)

describe("talking to an agent from the page", () => {
  it.scopedLive("shows what it does and its answer while it streams, which is in the log once it is whole", () =>
    Effect.gen(function* () {
      const answer = yield* slow("I thi", "nk so.")
      const { agent, context } = yield* program([[text("Hello.")], answer.scripted])
      yield* Effect.gen(function* () {
        const { server, get, post } = yield* page
        const { tasks } = yield* Kernel
        expect(yield* get<LogInfo>("/api/log")).toMatchObject({ allows: { answer: true, talk: true } })
        yield* Effect.fork(tasks.run(agent, { goal: "Talk", id: "t" }))
        yield* Effect.flatMap(EventLog, (log) => untilThere(log, "t"))
        yield* until(server, "ready")
        const said = yield* post("/api/inputs", input("What do you think?"))
        expect(said).toEqual({ status: 200, body: { position: expect.any(Number) } })
        yield* answer.begun
        // Whoever comes in the midst of an answer is told what has come of it.
        const early = yield* listenTo(server, TALK, (told) => textIn(told) === "I thi")
        expect(statesIn(early).at(-1)).toBe("thinking")
        expect((yield* eventsOf("t")).filter((event) => is(event, "ModelResponded"))).toHaveLength(1)
        const whole = yield* listenTo(server, TALK, (told) => {
          if (textIn(told) === "I thi") Effect.runSync(answer.goOn)
          return statesIn(told).at(-1) === "ready"
        })
        expect(textIn(whole)).toBe("I think so.")
        const events = yield* eventsOf("t")
        const spoken = events.filter((event) => is(event, "MessageSent")).map(({ payload }) => payload.content)
        expect(spoken).toEqual(["Hello.", "I think so."])
        const heard = events.find((event) => is(event, "InputReceived"))
        expect(heard).toMatchObject({
          position: said.body.position,
          actor: "human:ada",
          payload: { source: "studio", content: "What do you think?", delivery: "queued" },
        })
        const [request] = new Set(deltasIn(early).map((delta) => delta.request))
        expect(events.find(({ id }) => id === request)?.type).toBe("ModelCalled")
      }).pipe(Effect.provide(context))
    }),
  )

  it.scopedLive("interrupts the answer that is under way", () =>
    Effect.gen(function* () {
      const answer = yield* slow("Well, ", "let me tell you all of it.")
      const { agent, context } = yield* program([answer.scripted, [text("Stopped.")]])
      yield* Effect.gen(function* () {
        const { server, post } = yield* page
        const { tasks } = yield* Kernel
        yield* Effect.fork(tasks.run(agent, { goal: "Talk", id: "t" }))
        yield* answer.begun
        expect((yield* post("/api/inputs", input("Stop", "interrupting"))).status).toBe(200)
        yield* until(server, "ready")
        const events = yield* eventsOf("t")
        expect(events.find((event) => is(event, "ModelFailed"))?.payload).toMatchObject({ kind: "interrupted" })
        expect(events.findLast((event) => is(event, "MessageSent"))?.payload.content).toBe("Stopped.")
      }).pipe(Effect.provide(context))
    }),
  )

  it.scopedLive("refuses what is not to be said, and says what was expected; nothing is recorded", () =>
    Effect.gen(function* () {
      const { agent, context } = yield* program([[text("Hello.")]])
      yield* Effect.gen(function* () {
        const { server, post, refused, send } = yield* page
        const { tasks } = yield* Kernel
        const log = yield* EventLog
        const done = { name: "done", version: "1.0.0", decide: () => ({ done: "achieved" as const }) }
        yield* tasks.run(done, { goal: "Be done", id: "closed" })
        yield* Effect.fork(tasks.run(agent, { goal: "Talk", id: "t" }))
        yield* untilThere(log, "t")
        yield* until(server, "ready")
        const { position: before } = yield* log.head
        for (const [body, status, error, says] of [
          [input(" \n"), 400, "InvalidBody", "text"],
          [input("x".repeat(LONGEST_INPUT + 1)), 400, "InvalidBody", `${LONGEST_INPUT}`],
          [input("Hi", "shouting"), 400, "InvalidBody", "queued, steering, interrupting"],
          [{ ...input("Hi"), by: "eve" }, 400, "InvalidBody", "by"],
          [input("Hi", "queued", "nobody"), 404, "TaskNotFound", "nobody"],
          [{ ...input("Hi"), timeline: "nowhere" }, 404, "TimelineNotFound", "nowhere"],
          [input("Hi", "queued", "closed"), 409, "TaskClosed", "closed"],
        ] as const) {
          const { status: found, body: answered } = yield* post("/api/inputs", body)
          expect([found, answered.error]).toEqual([status, error])
          expect(answered.message).toContain(says)
        }
        const type = { "content-type": "application/json" }
        for (const [stranger, status] of [
          [{ headers: type, token: null }, 401],
          [{ headers: { ...type, origin: "http://evil.example" } }, 403],
          [{ headers: { ...type, host: "evil.example" } }, 403],
        ] as const) {
          const body = JSON.stringify(input("Hi"))
          expect((yield* send("/api/inputs", { ...stranger, method: "POST", body })).status).toBe(status)
          expect((yield* send(TALK, stranger)).status).toBe(status)
        }
        expect((yield* refused("/api/talk?timeline=main&task=nobody")).error).toBe("TaskNotFound")
        expect((yield* log.head).position).toBe(before)
      }).pipe(Effect.provide(context))
    }),
  )

  it.scopedLive(
    "is not possible without the permission, nor where no kernel runs; both still show the conversation",
    () =>
      Effect.gen(function* () {
        const { agent, context, filename } = yield* program([[text("Hello.")]], {})
        yield* Effect.gen(function* () {
          const { server, get, post } = yield* page
          const { tasks } = yield* Kernel
          yield* Effect.fork(tasks.run(agent, { goal: "Talk", id: "t" }))
          yield* Effect.flatMap(EventLog, (log) => untilThere(log, "t"))
          yield* until(server, "ready")
          expect(yield* get<LogInfo>("/api/log")).toMatchObject({ allows: { answer: false, talk: false } })
          expect(yield* post("/api/inputs", input("Hi"))).toMatchObject({ status: 403, body: { error: "NotAllowed" } })
        }).pipe(Effect.provide(context))
        yield* Effect.gen(function* () {
          const { server, get, post } = yield* page
          expect(yield* get<LogInfo>("/api/log")).toMatchObject({ allows: { answer: true, talk: false } })
          yield* until(server, "ready")
          expect(yield* post("/api/inputs", input("Hi"))).toMatchObject({
            status: 403,
            body: { error: "NoAgentsHere" },
          })
        }).pipe(Effect.provide(served(filename, { answer: true }, false)))
      }),
  )
})

/** Waits until a task was opened. */
const untilThere = (log: EventLog.Service, taskId: string) =>
  Effect.repeat(log.readPage({ taskId, types: ["TaskOpened"] }, 1), { until: ({ length }) => length > 0 })
