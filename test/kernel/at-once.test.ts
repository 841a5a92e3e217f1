import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schedule } from "effect"
import { describe, expect } from "vitest"
import { type AppendRequest, type CoreNewEvent, EventLog, LogUnavailable } from "../../src/events/log/EventLog.ts"
import * as CommandState from "../../src/kernel/acting/CommandState.ts"
import { TaskControl } from "../../src/kernel/control/TaskControl.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { counting } from "./resume/given.ts"
import { testKernel } from "./testKernel.ts"

type Append = EventLog.Service["append"]

/** A kernel whose appends pass through a function; `appended` keeps the types of each commit that it asked for. */
const through = (
  change: (append: Append, request: AppendRequest) => ReturnType<Append> = (append, request) => append(request),
) =>
  Effect.gen(function* () {
    const appended: Array<ReadonlyArray<string>> = []
    const between = Layer.effect(
      EventLog,
      Effect.map(EventLog, (log) => ({
        ...log,
        append: (request: AppendRequest) =>
          Effect.suspend(() => {
            appended.push(request.events.map(({ type }) => type))
            return change(log.append, request)
          }),
      })),
    )
    const { executed, tools } = counting()
    const { start, layerLog } = yield* testKernel({ tools, between })
    return { appended, executed, layerLog, ...(yield* start) }
  })

/** A kernel that holds back the append of a message until it is told to go on, and then does something with it. */
const holdingBack = (end: (append: Append, request: AppendRequest) => ReturnType<Append>) =>
  Effect.gen(function* () {
    const goOn = yield* Deferred.make<void>()
    const held = yield* Deferred.make<void>()
    const kernel = yield* through((append, request) =>
      request.events[0]?.type === "MessageSent"
        ? Deferred.succeed(held, undefined).pipe(
            Effect.zipRight(Deferred.await(goOn)),
            Effect.zipRight(Effect.suspend(() => end(append, request))),
          )
        : append(request),
    )
    return { ...kernel, goOn: Deferred.succeed(goOn, undefined), isHeld: Deferred.await(held) }
  })

const holding = holdingBack((append, request) => append(request))

/** A task whose tools run: one command was carried out in it. */
const openTask = Effect.gen(function* () {
  const task = yield* (yield* Kernel).tasks.open({ goal: "look", id: "t", agent: "a@1" })
  yield* task.act("program/look")
  return task
})

const AT_ONCE = ["ActuatorCommanded", "CommandAllowed", "CommandDispatched"]
/** What is recorded of a command that waits after the gate has allowed it. */
const ALLOWED = ["ActuatorCommanded", "CommandAllowed"]
const isAtOnce = ({ events }: AppendRequest) => events.length === AT_ONCE.length && events[0]?.type === AT_ONCE[0]

const typesOf = (id = "t") =>
  Effect.flatMap(EventLog, (log) =>
    Effect.map(log.readPage({ taskId: id }, 1000), (events) => events.map(({ type }) => type)),
  )

/** The commits of the commands after the first. */
const commandsIn = (appended: ReadonlyArray<ReadonlyArray<string>>) =>
  appended.filter((types) => types.some((type) => AT_ONCE.includes(type)))

describe("a command for which nothing has to be waited", () => {
  it.scopedLive("is requested, allowed and dispatched in one commit", () =>
    Effect.gen(function* () {
      const { run, appended, executed } = yield* through()
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          appended.length = 0
          const outcome = yield* task.act("program/note", { of: "one" })
          expect(outcome.status).toBe("succeeded")
          expect(commandsIn(appended)).toEqual([AT_ONCE])
          expect((yield* typesOf()).slice(-4)).toEqual([...AT_ONCE, "CommandSucceeded"])
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("is not dispatched where its task was paused meanwhile, and is carried out once when it goes on", () =>
    Effect.gen(function* () {
      const allowed = yield* Deferred.make<void>()
      const paused = { type: "TaskPaused", payload: { by: "ada" } } as const
      const pausing = { stream: "task/t", taskId: "t", actor: "human:ada", events: [paused] } as const
      let isAsked = false
      const { run, appended, executed } = yield* through((append, request) => {
        const appending = append(request)
        if (request.events.at(-1)?.type === "CommandAllowed" && isAsked)
          return Effect.zipLeft(appending, Deferred.succeed(allowed, undefined))
        if (!isAtOnce(request) || isAsked || executed.length === 0) return appending
        isAsked = true
        return Effect.zipRight(append(pausing), appending)
      })
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          appended.length = 0
          const acting = yield* Effect.fork(task.act("program/note"))
          yield* Deferred.await(allowed)
          expect(commandsIn(appended)).toEqual([AT_ONCE, ALLOWED])
          expect(executed).toHaveLength(1)
          yield* (yield* TaskControl).continue("t", { by: "ada" })
          expect((yield* Fiber.join(acting)).status).toBe("succeeded")
          const types = yield* typesOf()
          expect(types.slice(types.indexOf("TaskPaused"))).toEqual([
            ...["TaskPaused", "ActuatorCommanded", "CommandAllowed", "TaskContinued"],
            ...["CommandDispatched", "CommandSucceeded"],
          ])
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("is recorded once, step by step, where another program has appended meanwhile", () =>
    Effect.gen(function* () {
      const { run, appended, executed } = yield* through()
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          const input = { source: "human:ada", content: "hello", delivery: "queued" } as const
          yield* (yield* EventLog).append({
            stream: "task/t",
            taskId: "t",
            actor: "human:ada",
            events: [{ type: "InputReceived", payload: input }],
          })
          appended.length = 0
          expect((yield* task.act("program/note")).status).toBe("succeeded")
          // The one that conflicted is not in the log.
          expect(commandsIn(appended)[0]).toEqual(AT_ONCE)
          expect(commandsIn(appended).slice(-2)).toEqual([ALLOWED, ["CommandDispatched"]])
          expect((yield* typesOf()).filter((type) => type === "ActuatorCommanded")).toHaveLength(2)
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("waits for an append of its task that is pending, and goes in one commit, too", () =>
    Effect.gen(function* () {
      const { run, appended, executed, goOn, isHeld } = yield* holding
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          const saying = yield* Effect.fork(task.say("one moment"))
          yield* isHeld
          appended.length = 0
          const acting = yield* Effect.fork(task.act("program/note"))
          yield* Effect.repeatN(Effect.yieldNow(), 100)
          expect(commandsIn(appended)).toEqual([])
          yield* goOn
          yield* Fiber.join(saying)
          expect((yield* Fiber.join(acting)).status).toBe("succeeded")
          expect(commandsIn(appended)).toEqual([AT_ONCE])
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("is not dispatched where its actuator was deactivated while it waited", () =>
    Effect.gen(function* () {
      const { run, executed, goOn, isHeld } = yield* holding
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          const saying = yield* Effect.fork(task.say("one moment"))
          yield* isHeld
          const acting = yield* Effect.fork(task.act("program/note"))
          yield* Effect.repeatN(Effect.yieldNow(), 100)
          yield* (yield* Registry).deactivate("program/note")
          yield* goOn
          yield* Fiber.join(saying)
          expect(yield* Fiber.join(acting)).toMatchObject({ status: "denied" })
        }),
      )
      expect(executed).toHaveLength(1)
    }),
  )

  it.scopedLive("is not dispatched where an append that it waited for has met the pause of its task", () =>
    Effect.gen(function* () {
      const { run, executed, goOn, isHeld } = yield* holding
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          const saying = yield* Effect.fork(task.say("one moment"))
          yield* isHeld
          const acting = yield* Effect.fork(task.act("program/note"))
          yield* Effect.repeatN(Effect.yieldNow(), 100)
          yield* (yield* EventLog).append({
            stream: "task/t",
            taskId: "t",
            actor: "human:ada",
            events: [{ type: "TaskPaused", payload: { by: "ada" } }],
          })
          yield* goOn
          yield* Fiber.join(saying)
          yield* typesOf().pipe(
            Effect.repeat({
              until: (types) => types.lastIndexOf("CommandAllowed") > types.indexOf("TaskPaused"),
              schedule: Schedule.spaced("5 millis"),
            }),
          )
          yield* (yield* TaskControl).continue("t", { by: "ada" })
          expect((yield* Fiber.join(acting)).status).toBe("succeeded")
          const types = yield* typesOf()
          expect(types.slice(types.indexOf("TaskPaused"))).toEqual([
            ...["TaskPaused", "MessageSent", ...ALLOWED, "TaskContinued", "CommandDispatched", "CommandSucceeded"],
          ])
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("goes on step by step where an append that it waited for has failed", () =>
    Effect.gen(function* () {
      const lost = new LogUnavailable({ log: "log.db", reason: "it is busy" })
      const { run, appended, executed, goOn, isHeld } = yield* holdingBack(() => lost)
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          const saying = yield* Effect.fork(Effect.either(task.say("one moment")))
          yield* isHeld
          appended.length = 0
          const acting = yield* Effect.fork(task.act("program/note"))
          yield* goOn
          expect(yield* Fiber.join(saying)).toMatchObject({ _tag: "Left" })
          expect((yield* Fiber.join(acting)).status).toBe("succeeded")
          expect(commandsIn(appended).slice(-2)).toEqual([ALLOWED, ["CommandDispatched"]])
          expect((yield* typesOf()).filter((type) => type === "CommandDispatched")).toHaveLength(2)
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("goes on where the one that recorded before it was interrupted", () =>
    Effect.gen(function* () {
      const { run, executed, isHeld } = yield* holding
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          const saying = yield* Effect.fork(task.say("one moment"))
          yield* isHeld
          const acting = yield* Effect.fork(task.act("program/note"))
          yield* Fiber.interrupt(saying)
          expect((yield* Fiber.join(acting)).status).toBe("succeeded")
        }),
      )
      expect(executed).toHaveLength(2)
    }),
  )

  it.scopedLive("is one of several of one answer, each of which goes in one commit", () =>
    Effect.gen(function* () {
      const { run, appended, executed } = yield* through()
      yield* run(
        Effect.gen(function* () {
          const task = yield* openTask
          appended.length = 0
          const notes = Array.from({ length: 8 }, (_, index) => task.act("program/note", { of: `${index}` }))
          const outcomes = yield* Effect.all(notes, { concurrency: "unbounded" })
          expect(outcomes.map(({ status }) => status)).toEqual(notes.map(() => "succeeded"))
          expect(commandsIn(appended)).toEqual(notes.map(() => AT_ONCE))
        }),
      )
      expect(executed).toHaveLength(9)
    }),
  )

  it.scopedLive("is denied and not carried out where its dispatch may not have reached the disk", () =>
    Effect.gen(function* () {
      const lost = new LogUnavailable({ log: "log.db", reason: "it could not be flushed" })
      let calls = 0
      const { run, executed } = yield* through((append, request) =>
        isAtOnce(request) && ++calls === 1 ? Effect.zipRight(append(request), lost) : append(request),
      )
      yield* run(
        Effect.gen(function* () {
          const task = yield* (yield* Kernel).tasks.open({ goal: "look", id: "t", agent: "a@1" })
          // The first command starts what serves the task, step by step or at once.
          const outcomes = [
            yield* Effect.either(task.act("program/note")),
            yield* Effect.either(task.act("program/note")),
          ]
          const failed = outcomes.find(({ _tag }) => _tag === "Left")
          expect(failed).toMatchObject({ left: { _tag: "LogUnavailable" } })
          const types = yield* typesOf()
          expect(types.filter((type) => type === "CommandDispatched")).toHaveLength(2)
          expect(types.filter((type) => type === "CommandDenied")).toHaveLength(1)
          expect(types.filter((type) => type === "CommandSucceeded")).toHaveLength(1)
        }),
      )
      expect(executed).toHaveLength(1)
    }),
  )
})

/** A kernel to whose log another program appends an event of the task right before the first dispatch, which waits for its turn. */
const disturbedBy = (event: CoreNewEvent) =>
  dispatching((append, request) =>
    Effect.zipRight(append({ stream: "task/t", taskId: "t", actor: "human:ada", events: [event] }), append(request)),
  )

const opened = Effect.flatMap(Kernel, ({ tasks }) => tasks.open({ goal: "look", id: "t", agent: "a@1" }))

describe("a command that does not pass", () => {
  it.scopedLive("is requested and denied in one commit", () =>
    Effect.gen(function* () {
      const { run, appended } = yield* through()
      yield* run(
        Effect.gen(function* () {
          const task = yield* opened
          expect((yield* task.act("program/nothing")).status).toBe("denied")
          expect(commandsIn(appended)).toEqual([["ActuatorCommanded", "CommandDenied"]])
        }),
      )
    }),
  )
})

/** A kernel whose first dispatch, which waits for its turn, goes to the log as this does. */
const dispatching = (
  how: (append: EventLog.Service["append"], request: AppendRequest) => ReturnType<EventLog.Service["append"]>,
) => {
  let isDone = false
  return through((append, request) => {
    if (isDone || request.events.length > 1 || request.events[0]?.type !== "CommandDispatched") return append(request)
    isDone = true
    return how(append, request)
  })
}

describe("a command that another program ends right before its dispatch", () => {
  it.scopedLive.each([
    ["CommandDenied", { rule: "ada", reason: "not today" }, { status: "denied", reason: "not today" }],
    ["CommandOutcomeUnknown", { reason: "nobody knows" }, { status: "unknown" }],
    ["CommandSucceeded", { result: "done elsewhere", latencyMs: 1 }, { status: "unknown" }],
  ] as const)("is not dispatched, and takes that end as its outcome: %s", ([type, payload, outcome]) =>
    Effect.gen(function* () {
      const { run, executed } = yield* dispatching((append, request) => {
        const { commandId } = (request.events[0]?.payload ?? {}) as { readonly commandId?: string }
        const events = [{ type, payload: { commandId, ...payload } }]
        const others = { stream: "task/t", taskId: "t", actor: "human:ada", events } as AppendRequest
        return Effect.zipRight(append(others), append(request))
      })
      yield* run(
        Effect.gen(function* () {
          const task = yield* opened
          expect(yield* task.act("program/look")).toMatchObject(outcome)
          const ends = (yield* typesOf()).filter((found) => CommandState.ENDS.some((end) => end === found))
          expect(ends).toEqual([type])
        }),
      )
      expect(executed).toEqual([])
    }),
  )
})

describe("a command whose dispatch, in its turn, may not have reached the disk", () => {
  it.scopedLive("is denied, and not carried out", () =>
    Effect.gen(function* () {
      const lost = new LogUnavailable({ log: "log.db", reason: "it could not be flushed" })
      const { run, executed } = yield* dispatching((append, request) => Effect.zipRight(append(request), lost))
      yield* run(
        Effect.gen(function* () {
          const task = yield* opened
          expect(yield* Effect.flip(task.act("program/look"))).toMatchObject({ _tag: "LogUnavailable" })
          const types = yield* typesOf()
          expect(types.slice(types.indexOf("CommandDispatched"))).toEqual(["CommandDispatched", "CommandDenied"])
        }),
      )
      expect(executed).toEqual([])
    }),
  )
})

describe("a command that had its turn", () => {
  it.scopedLive.each<[string, CoreNewEvent]>([
    ["closed", { type: "TaskClosed", payload: { outcome: "abandoned", reason: "enough" } }],
    ["cancelled", { type: "TaskCancelled", payload: { by: "ada" } }],
  ])("is not dispatched where its task was %s at that moment", ([, event]) =>
    Effect.gen(function* () {
      const { run, executed } = yield* disturbedBy(event)
      yield* run(
        Effect.gen(function* () {
          const task = yield* opened
          yield* Effect.exit(task.act("program/look"))
          expect(yield* typesOf()).not.toContain("CommandDispatched")
        }),
      )
      expect(executed).toEqual([])
    }),
  )

  it.scopedLive("is dispatched once its task goes on, where it was paused at that moment", () =>
    Effect.gen(function* () {
      const { run, executed } = yield* disturbedBy({ type: "TaskPaused", payload: { by: "ada" } })
      yield* run(
        Effect.gen(function* () {
          const task = yield* opened
          const acting = yield* Effect.fork(task.act("program/look"))
          yield* typesOf().pipe(
            Effect.repeat({
              until: (types) => types.includes("TaskPaused"),
              schedule: Schedule.spaced("20 millis"),
            }),
          )
          yield* (yield* TaskControl).continue("t", { by: "ada" })
          expect((yield* Fiber.join(acting)).status).toBe("succeeded")
          const types = yield* typesOf()
          expect(types.slice(types.indexOf("TaskPaused"))).toEqual([
            ...["TaskPaused", "TaskContinued", "CommandDispatched", "CommandSucceeded"],
          ])
        }),
      )
      expect(executed).toHaveLength(1)
    }),
  )
})
