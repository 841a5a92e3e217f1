import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { PersonalData } from "../../src/events/payload/PersonalData.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Vocabulary from "../../src/events/vocabulary/Vocabulary.ts"
import { TaskControl } from "../../src/kernel/control/TaskControl.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { call, eventsOf, text } from "../agents/given.ts"
import { temporaryDirectory } from "../temporary.ts"
import { about, seen } from "./given.ts"
import { agentOf, answering } from "./resume/given.ts"
import { testKernel } from "./testKernel.ts"

/** What the subject says, in everything that is recorded of her task. */
const SECRET = "ANNAKARENINALIVESHERE"
const TASK = "visit"

const options = () => ({
  tools: {
    look: Tool.make({ description: "Looks", risk: "none", run: () => `saw ${SECRET}` }),
    fail: Tool.make({ description: "Fails", risk: "none", run: () => Promise.reject(new Error(`no ${SECRET}`)) }),
    ask: Tool.make({ description: "Is asked about", risk: "none", run: () => "asked" }),
  },
  sensors: { view: Sensor.make({ description: "Sees", reading: Schema.String, read: () => `view of ${SECRET}` }) },
  gate: {
    default: "allow",
    rules: [{ name: "ask", actuator: "program/ask", decision: "deny", reason: "never" }],
  } as GateConfig,
})

const TURNS = [
  [text(`I look for ${SECRET}.`), call("a1", "program__look", { at: SECRET })],
  [call("b1", "program__fail", { of: SECRET }), call("b2", "program__ask", { of: SECRET })],
  [text(`It is done, ${SECRET}.`)],
]

const agent = () => agentOf(answering(TURNS).model)

const RUBRIC = {
  name: "care",
  measures: [
    {
      name: "visit",
      description: "How the visit went",
      rewards: [
        {
          name: "closed",
          when: "it was closed",
          rule: 'event.type == "TaskClosed" && event.payload.outcome == "achieved"',
          weight: 1,
        },
        {
          name: "greeted",
          when: "she was greeted",
          rule: `event.type == "MessageSent" && event.payload.content.contains("done")`,
          weight: 1,
        },
        { name: "looked", when: "it looked", rule: 'count("CommandSucceeded") > 0', weight: 1 },
      ],
    },
  ],
}

/** A kernel on the log of a directory, until the effect ends. */
const inKernel = <A, E>(
  directory: string,
  effect: (kernel: Kernel.Service) => Effect.Effect<A, E, Kernel | EventLog | PersonalData | TaskControl>,
) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ ...options(), onOpenTasks: "resume", directory })).start
    return yield* run(Effect.flatMap(Kernel, effect))
  }).pipe(Effect.scoped)

const opening = { id: TASK, goal: `Visit ${SECRET}`, subject: "anna" }

const shred = Effect.flatMap(PersonalData, ({ shred }) => shred({ subject: "anna", reason: "asked", actor: "human:x" }))

/** The files of the directory, but for the kernel's plugins, whose bytes hold the secret. */
const leaking = (directory: string): ReadonlyArray<string> =>
  fs
    .readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((file) => fs.statSync(path.join(directory, file)).isFile())
    .filter((file) => fs.readFileSync(path.join(directory, file)).includes(SECRET))

/** Events with a personal field that is not encrypted. */
const uncovered = (events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  events.flatMap(({ type, payload, personal }) =>
    personal === undefined &&
    Object.keys(Vocabulary.core.types.get(type)?.personal ?? {}).some((field) => Object.hasOwn(payload, field))
      ? [type]
      : [],
  )

describe("a task of a subject", () => {
  it.scopedLive(
    "has all that is personal in it under the subject's key, in a fork and in scores too, and works as any task",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        yield* inKernel(directory, (kernel) =>
          Effect.gen(function* () {
            expect((yield* kernel.tasks.run(agent(), opening)).outcome).toBe("achieved")
            expect(yield* kernel.replay(TASK, agent())).toMatchObject({ verdict: "identical", complete: true })
            const scored = yield* kernel.rescore({ rubric: RUBRIC, tasks: [TASK] })
            expect(scored.totals[TASK]).toMatchObject({ net: 3, unscored: 0 })
            const at = (yield* eventsOf(TASK)).find(({ type }) => type === "CommandSucceeded")?.position ?? 0
            yield* kernel.fork(agent(), {
              at,
              task: TASK,
              acceptUnrewound: true,
              overrides: { goal: `Visit ${SECRET} again` },
            })
            const log = yield* EventLog
            const all = (yield* log.readPage({ taskId: TASK }, 1_000)).filter(({ taskId }) => taskId === TASK)
            expect(all.some(({ timeline }) => timeline !== "main")).toBe(true)
            expect(JSON.stringify(all)).toContain(`Visit ${SECRET} again`)
            expect(uncovered(all)).toEqual([])
            expect(new Set(all.flatMap(({ personal }) => personal?.keyId ?? [])).size).toBe(1)
          }),
        )
        expect(leaking(directory)).toEqual([])
      }),
  )

  it.scopedLive("goes on after a crash while the key is there", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const { run } = yield* (yield* testKernel({ ...options(), onOpenTasks: "resume", directory })).start
        yield* Effect.forkDaemon(Effect.exit(run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent(), opening)))))
        yield* run(seen(about("CommandSucceeded")))
      }).pipe(Effect.scoped)
      yield* inKernel(directory, (kernel) =>
        Effect.gen(function* () {
          expect(yield* kernel.tasks.resume(TASK, agent())).toMatchObject({ outcome: "achieved" })
          expect(uncovered(yield* eventsOf(TASK))).toEqual([])
        }),
      )
      expect(leaking(directory)).toEqual([])
    }),
  )

  it.scopedLive(
    "cannot be read, resumed, replayed or forked once the subject was shredded; audits, scores and verification say what is left",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        yield* inKernel(directory, (kernel) =>
          Effect.gen(function* () {
            yield* kernel.tasks.run(agent(), opening)
            const open = yield* kernel.tasks.open({ ...opening, id: "open", agent: "scribe@1" })
            yield* open.say(SECRET)
          }),
        )
        yield* inKernel(directory, (kernel) =>
          Effect.gen(function* () {
            yield* shred
            const log = yield* EventLog
            expect(JSON.stringify(yield* log.readPage({}, 1_000))).not.toContain(SECRET)
            const refusals: ReadonlyArray<Effect.Effect<void, { readonly _tag: string; readonly message: string }>> = [
              Effect.asVoid(kernel.replay(TASK, agent())),
              Effect.asVoid(kernel.fork(agent(), { at: 20, task: TASK })),
              Effect.asVoid(kernel.tasks.resume("open", agent())),
            ]
            for (const refused of refusals) {
              const error = yield* Effect.flip(refused)
              expect(error).toMatchObject({ _tag: "NotReplayable" })
              expect(error.message).toContain("their key was destroyed or is missing")
            }
            expect(yield* TaskAudit.load(TASK)).toMatchObject({ goal: "[shredded]", outcome: "achieved" })
            const { totals, scoreSetId } = yield* kernel.rescore({ rubric: RUBRIC, tasks: [TASK] })
            expect(totals[TASK]).toMatchObject({ net: 2, unscored: 1 })
            const [unscored, ...others] = (yield* log.readPage({ stream: `scores/${scoreSetId}` }, 100)).filter(
              ({ type }) => type === "MeasureUnscored",
            )
            expect([unscored?.payload.name, others]).toEqual(["greeted", []])
            yield* (yield* TaskControl).cancel("open", { by: "human:x", reason: SECRET })
            expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
          }),
        )
        expect(leaking(directory)).toEqual([])
      }),
  )

  it.scopedLive(
    "asks a person in words that only the key opens: without it, nobody can approve what cannot be shown",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const gate: GateConfig = {
          default: "allow",
          rules: [{ name: "ask", actuator: "program/ask", decision: "confirm" }],
        }
        const { run } = yield* (yield* testKernel({ ...options(), gate, directory })).start
        yield* run(
          Effect.gen(function* () {
            const { tasks } = yield* Kernel
            const people = yield* Confirmations
            const task = yield* tasks.open(opening)
            /** Asks for a command, and waits for its question. */
            const asked = Effect.gen(function* () {
              const { position } = yield* (yield* EventLog).head
              const acting = yield* Effect.fork(task.act("program/ask", { of: SECRET }))
              yield* seen(({ type, position: at }) => type === "ConfirmationRequested" && at > position)
              const [[id, waiting] = []] = Object.entries(yield* people.pending)
              return { acting, id: String(id), waiting }
            })
            const by = { by: "ada", channel: "program", reason: `as ${SECRET} said` }

            const first = yield* asked
            expect(JSON.stringify(first.waiting)).toContain(SECRET)
            yield* people.decide(first.id, { approved: true, ...by })
            expect((yield* Fiber.join(first.acting)).status).toBe("succeeded")

            const second = yield* asked
            yield* shred
            expect(yield* Effect.flip(people.decide(second.id, { approved: true, ...by }))).toMatchObject({
              _tag: "NotAsShown",
            })
            yield* people.decide(second.id, { approved: false, ...by })
            expect((yield* Fiber.join(second.acting)).status).toBe("denied")
            yield* task.close("abandoned", SECRET)
          }),
        )
        expect(leaking(directory)).toEqual([])
      }),
  )
})
