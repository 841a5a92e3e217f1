import * as path from "node:path"
import { it } from "@effect/vitest"
import { Deferred, Effect, Either, FiberId } from "effect"
import { describe, expect } from "vitest"
import type * as Agent from "../../../src/agents/Agent.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import { TaskControl } from "../../../src/kernel/control/TaskControl.ts"
import * as Confirmations from "../../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import * as Sensor from "../../../src/kernel/program/Sensor.ts"
import * as Tool from "../../../src/kernel/program/Tool.ts"
import { Registry } from "../../../src/kernel/registry/Registry.ts"
import { eventsOf, typesOf } from "../../agents/given.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { about, seen } from "../given.ts"
import { type TestKernelOptions, testKernel } from "../testKernel.ts"
import { agentOf, answering, commandsIn, counting, gate } from "./given.ts"

const TASK = "left-open"

/** Runs a task until an event, and ends its kernel then, which leaves the task open. */
const leftAt = (
  looksFor: (event: Event) => boolean,
  agent: Agent.Agent,
  options: Omit<TestKernelOptions, "directory">,
  { goal = "go", until = Effect.void }: { readonly goal?: string; readonly until?: Effect.Effect<void> } = {},
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* Effect.gen(function* () {
      const { run } = yield* (yield* testKernel({ ...options, directory, onOpenTasks: "resume" })).start
      const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.run(agent, { id: TASK, goal })))
      yield* Effect.forkDaemon(Effect.exit(working))
      yield* run(seen(looksFor))
      yield* until
    }).pipe(Effect.scoped)
    return directory
  })

/** Runs an effect in a new kernel on the same log. */
const inNext = <A, E>(
  directory: string,
  options: Omit<TestKernelOptions, "directory">,
  effect: (
    kernel: Kernel.Service,
  ) => Effect.Effect<A, E, Kernel | Registry | Confirmations.Confirmations | TaskControl | Log>,
) =>
  Effect.gen(function* () {
    const { run } = yield* (yield* testKernel({ onOpenTasks: "resume", ...options, directory })).start
    return yield* run(Effect.flatMap(Kernel, effect))
  }).pipe(Effect.scoped)

type Log = Effect.Effect.Context<ReturnType<typeof eventsOf>>

const resumed = (agent: Agent.Agent) => (kernel: Kernel.Service) =>
  Effect.gen(function* () {
    const audit = yield* kernel.tasks.resume(TASK, agent)
    const replayed = yield* kernel.replay(TASK, agent)
    return { audit, replayed, events: yield* eventsOf(TASK) }
  })

/** An agent that decides: it notes, looks, and is done with how its last command ended. */
const deciding = (name = "walker", first = "program/note"): Agent.Agent => ({
  name,
  version: "1",
  decide: ({ step, lastOutcome, random }) =>
    step < 2
      ? { act: step === 0 ? first : "program/look", args: { drawn: Math.floor(random() * 1000) } }
      : { done: "achieved", reason: String(lastOutcome?.status) },
})

describe("a kernel that ends with open tasks to be resumed", () => {
  it.scopedLive("leaves them as they are, and the next one goes on with them", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      const { audit, replayed, events } = yield* inNext(directory, { tools }, resumed(deciding()))
      expect(audit).toMatchObject({ outcome: "achieved", reason: "succeeded" })
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect(executed.map((one) => one.split(" ")[0])).toEqual(["note", "look"])
      expect(typesOf(events).filter((type) => type === "TaskClosed")).toHaveLength(1)
      expect(events.find((event) => is(event, "TaskResumed"))?.payload).toMatchObject({
        agent: "walker@1",
        inDoubt: [],
      })
    }),
  )

  it.scopedLive("closes them as abandoned in the next one, where that is not said", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      const found = yield* inNext(directory, { tools, onOpenTasks: "abandon" }, (kernel) =>
        Effect.all([kernel.audit(TASK), kernel.tasks.unfinished]),
      )
      expect(found).toMatchObject([{ outcome: "abandoned", reason: "its kernel ended" }, []])
    }),
  )

  it.scopedLive("is followed by one that resumes the tasks of the agents that it is given, and of no others", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      const others = yield* inNext(directory, { tools, agents: [deciding("other")] }, ({ tasks }) => tasks.unfinished)
      expect(others).toMatchObject([{ taskId: TASK, agent: "walker@1", outcome: null }])
      const closed = yield* inNext(directory, { tools, agents: [deciding()] }, () => seen(about("TaskClosed")))
      expect(closed.payload).toEqual({ outcome: "achieved", reason: "succeeded" })
    }),
  )

  it.scopedLive("suspends them again and again, whatever was done in between", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const { model, requests } = answering()
      const directory = yield* leftAt(about("ModelCalled"), agentOf(model), { tools })
      for (const type of ["GuideApplied", "ModelResponded", "DecisionMade", "CommandDispatched"]) {
        yield* inNext(directory, { tools }, ({ tasks }) =>
          Effect.gen(function* () {
            yield* Effect.forkDaemon(Effect.exit(tasks.resume(TASK, agentOf(model))))
            yield* seen(about(type))
            yield* tasks.suspend
          }),
        )
      }
      const { audit, replayed, events } = yield* inNext(directory, { tools }, resumed(agentOf(model)))
      expect(audit.outcome).toBe("achieved")
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect(commandsIn(events).map(({ ends }) => ends.length)).toEqual([1, 1, 1, 1])
      expect(typesOf(events).filter((type) => type === "ModelResponded")).toHaveLength(3)
      // The one that was just dispatched may have been stopped before it was executed.
      expect([3, 4]).toContain(new Set(executed).size)
      expect(requests.length).toBeGreaterThanOrEqual(3)
    }),
  )
})

describe("a question to a person", () => {
  const left = (tools: ReturnType<typeof counting>["tools"], within = 60_000) =>
    leftAt(about("ConfirmationRequested"), agentOf(answering().model), {
      tools,
      gate: { ...gate, confirmWithinMs: within },
    })

  const decide = (directory: string, approved: boolean) =>
    Effect.gen(function* () {
      const { layerLog } = yield* testKernel({ directory })
      yield* Effect.gen(function* () {
        const people = yield* Confirmations.Confirmations
        const [id] = Object.keys(yield* people.pending)
        yield* people.decide(String(id), { approved, by: "ada", channel: "cli" })
      }).pipe(Effect.provide(layerLog))
    })

  for (const approved of [true, false]) {
    it.scopedLive(
      `stands after its kernel, and counts if it was ${approved ? "approved" : "rejected"} while none ran`,
      () =>
        Effect.gen(function* () {
          const { tools, executed } = counting()
          const directory = yield* left(tools)
          yield* decide(directory, approved)
          const { audit, replayed, events } = yield* inNext(
            directory,
            { tools, gate },
            resumed(agentOf(answering().model)),
          )
          expect(audit.outcome).toBe("achieved")
          expect(replayed.verdict).toBe("identical")
          expect(executed.filter((one) => one.startsWith("publish"))).toHaveLength(approved ? 1 : 0)
          expect(typesOf(events).filter((type) => type.startsWith("Confirmation"))).toEqual([
            "ConfirmationRequested",
            "ConfirmationDecided",
          ])
        }),
    )
  }

  it.scopedLive("expires when it was said to, though no kernel ran then", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const directory = yield* left(tools, 1)
      const { audit, replayed, events } = yield* inNext(directory, { tools, gate }, resumed(agentOf(answering().model)))
      expect(audit).toMatchObject({ outcome: "achieved", confirming: { requested: 1, expired: 1 } })
      expect(replayed.verdict).toBe("identical")
      expect(executed.filter((one) => one.startsWith("publish"))).toEqual([])
      expect(typesOf(events)).toContain("ConfirmationExpired")
    }),
  )

  it.scopedLive("approves nothing that the gate of now denies", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const directory = yield* left(tools)
      yield* decide(directory, true)
      const denying = {
        default: "allow",
        rules: [{ name: "no", actuator: "program/publish", decision: "deny" }],
      } as const
      const { events } = yield* inNext(directory, { tools, gate: denying }, resumed(agentOf(answering().model)))
      expect(executed.filter((one) => one.startsWith("publish"))).toEqual([])
      expect(events.find((event) => is(event, "CommandDenied"))?.payload).toMatchObject({ rule: "no" })
    }),
  )

  it.scopedLive("is withdrawn where the next kernel abandons the task", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* left(tools)
      const events = yield* inNext(directory, { tools, gate, onOpenTasks: "abandon" }, () => eventsOf(TASK))
      expect(typesOf(events).slice(-8)).toEqual(
        expect.arrayContaining(["ConfirmationWithdrawn", "CommandDenied", "TaskClosed"]),
      )
    }),
  )
})

describe("a command that was dispatched when its kernel ended", () => {
  /** A tool that does not answer the first time. */
  const hanging = (idempotent: boolean) => {
    const calls: Array<string> = []
    const called = Deferred.unsafeMake<void>(FiberId.none)
    const tool = Tool.make({
      description: "It hangs once",
      risk: "none",
      idempotent,
      run: (_: unknown, { commandId }: { readonly commandId: string }) => {
        calls.push(commandId)
        Deferred.unsafeDone(called, Effect.void)
        return calls.length === 1 ? new Promise<never>(() => {}) : "done"
      },
    })
    return { calls, tools: { note: tool, look: tool }, until: Deferred.await(called) }
  }

  it.scopedLive("is dispatched again under its id where its actuator is idempotent", () =>
    Effect.gen(function* () {
      const { calls, tools, until } = hanging(true)
      const directory = yield* leftAt(about("CommandDispatched"), deciding(), { tools }, { until })
      const { audit, replayed, events } = yield* inNext(directory, { tools }, resumed(deciding()))
      expect(audit).toMatchObject({ outcome: "achieved", acting: { commanded: 2, succeeded: 2, unknown: 0 } })
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect(calls[0]).toBe(calls[1])
      expect(commandsIn(events)).toMatchObject([{ dispatches: 2, ends: ["CommandSucceeded"] }, { dispatches: 1 }])
    }),
  )

  it.scopedLive("has an unknown outcome otherwise, which its agent is told, also in a replay", () =>
    Effect.gen(function* () {
      const { calls, tools, until } = hanging(false)
      const told: Array<string | undefined> = []
      const agent: Agent.Agent = {
        ...deciding(),
        decide: ({ step, lastOutcome }) => {
          told.push(lastOutcome?.status)
          return step === 0 ? { act: "program/note" } : { done: "achieved" }
        },
      } as Agent.Agent
      const directory = yield* leftAt(about("CommandDispatched"), agent, { tools }, { until })
      told.length = 0
      const { audit, replayed, events } = yield* inNext(directory, { tools }, resumed(agent))
      expect(audit).toMatchObject({ outcome: "achieved", acting: { commanded: 1, unknown: 1 } })
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      expect(told).toEqual([undefined, "unknown", undefined, "unknown"])
      expect(calls).toHaveLength(1)
      const doubt = events.find((event) => is(event, "TaskResumed"))?.payload
      expect(doubt).toMatchObject({ inDoubt: [calls[0]] })
    }),
  )
})

describe("the world of a resumed task", () => {
  it.scopedLive("is brought back and verified, and its agent goes on in it", () =>
    Effect.gen(function* () {
      const agent: Agent.Agent = {
        name: "mover",
        version: "1",
        decide: ({ step }) =>
          step < 4
            ? { act: "text-room/go", args: { direction: step % 2 === 0 ? "north" : "south" } }
            : { done: "achieved" },
      }
      const plugins = [inRepository("plugins", "text-room")]
      const directory = yield* leftAt(
        (event) => is(event, "DecisionMade") && event.payload.choice.args !== undefined && event.position > 30,
        agent,
        { plugins },
      )
      const { audit, replayed, events } = yield* inNext(directory, { plugins }, resumed(agent))
      expect(audit.outcome).toBe("achieved")
      expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      const restored = events.find((event) => is(event, "EnvironmentRestored"))
      expect(restored?.payload).toMatchObject({ plugin: "text-room", by: "snapshot", checked: { document: true } })
      expect(commandsIn(events).map(({ ends }) => ends)).toHaveLength(4)
    }),
  )

  it.scopedLive("that cannot be brought back is refused: the task stays open, until it is accepted as it is", () =>
    Effect.gen(function* () {
      const world = {
        ...({
          name: "world",
          environment: true,
          instance: "task",
          sensors: [],
          actuators: [{ name: "turn" }],
        } as const),
        entry: `let turns = 0
          export default {
            environment: { reset: () => { turns = 0 }, state: () => ({ turns }) },
            actuators: { turn: () => ++turns },
          }`,
      }
      const agent: Agent.Agent = {
        name: "turner",
        version: "1",
        decide: ({ step }) => (step < 2 ? { act: "world/turn" } : { done: "achieved" }),
      }
      const directory = yield* leftAt(about("EnvironmentChanged"), agent, { plugins: [world] })
      const plugins = [path.join(directory, "sources", "world")]
      const found = yield* inNext(directory, { plugins }, ({ tasks }) =>
        Effect.gen(function* () {
          const refused = yield* Effect.either(tasks.resume(TASK, agent))
          const unfinished = yield* tasks.unfinished
          return { refused, unfinished, audit: yield* tasks.resume(TASK, agent, { acceptUnrewound: true }) }
        }),
      )
      expect(Either.getLeft(found.refused)).toMatchObject({ value: { _tag: "WorldNotRestored", plugin: "world" } })
      expect(found.unfinished).toMatchObject([{ taskId: TASK }])
      expect(found.audit.outcome).toBe("achieved")
    }),
  )
})

describe("resuming is refused, and the task stays as it is, for", () => {
  const refusedWith = (
    directory: string,
    options: Omit<TestKernelOptions, "directory">,
    agent: Agent.Agent,
    first: Effect.Effect<unknown, unknown, Registry> = Effect.void,
    taskId = TASK,
  ) =>
    inNext(directory, options, ({ tasks }) =>
      Effect.gen(function* () {
        yield* Effect.orDie(first)
        const before = (yield* eventsOf(TASK)).length
        const refused = yield* Effect.flip(tasks.resume(taskId, agent))
        expect((yield* eventsOf(TASK)).length).toBe(before)
        return { tag: refused._tag, message: refused.message }
      }),
    )

  it.scopedLive("a task that is not there, or is closed", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("TaskClosed"), deciding(), { tools })
      expect(yield* refusedWith(directory, { tools }, deciding())).toMatchObject({
        tag: "NotResumable",
        message: expect.stringContaining("found one that was closed as achieved"),
      })
      expect(yield* refusedWith(directory, { tools }, deciding(), Effect.void, "nowhere")).toMatchObject({
        tag: "TaskNotFound",
      })
    }),
  )

  it.scopedLive("another agent, or what is none", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      expect(yield* refusedWith(directory, { tools }, deciding("runner"))).toEqual({
        tag: "NotResumable",
        message: `Task ${TASK} cannot be resumed: expected its agent, walker@1, found runner@1; another agent can continue it in a fork. Nothing was recorded.`,
      })
      expect(yield* refusedWith(directory, { tools }, { name: "walker" } as never)).toMatchObject({
        tag: "InvalidOptions",
      })
    }),
  )

  it.scopedLive("a plugin that was removed or is not active, and a tool that is declared otherwise", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      const changed = {
        ...tools,
        note: Tool.make({ description: "It notes otherwise", risk: "none", run: () => null }),
      }
      expect(yield* refusedWith(directory, { tools: changed }, deciding())).toMatchObject({
        tag: "NotResumable",
        message: expect.stringContaining("program/note is declared differently"),
      })
      const deactivate = Effect.flatMap(Registry, (registry) => registry.deactivate("program"))
      expect(yield* refusedWith(directory, { tools }, deciding(), deactivate)).toMatchObject({
        message: expect.stringContaining("its plugin program is not active"),
      })
      const remove = Effect.flatMap(Registry, (registry) => registry.remove("program"))
      expect(yield* refusedWith(directory, { tools }, deciding(), remove)).toMatchObject({
        message: expect.stringContaining("its plugin program was removed"),
      })
    }),
  )

  it.scopedLive("an agent that decides otherwise than is recorded: nothing of it is executed", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const advancing = (first: string): Agent.Agent => ({
        name: "walker",
        version: "1",
        advance: (task) => Effect.as(Effect.zipRight(task.act(first), task.act("program/look")), false),
      })
      const directory = yield* leftAt(about("CommandSucceeded"), advancing("program/note"), { tools })
      const before = executed.length
      const found = yield* inNext(directory, { tools }, ({ tasks }) =>
        Effect.all([Effect.flip(tasks.resume(TASK, advancing("program/publish"))), tasks.unfinished]),
      )
      expect(found).toMatchObject([{ _tag: "ResumeDiverged" }, [{ taskId: TASK }]])
      expect(executed).toHaveLength(before)
      const { audit } = yield* inNext(directory, { tools }, resumed(advancing("program/note")))
      expect(audit.outcome).toBe("achieved")
    }),
  )

  it.scopedLive("a task that is being resumed: of two that resume it at once, one does", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      const found = yield* inNext(directory, { tools }, ({ tasks }) =>
        Effect.gen(function* () {
          const both = yield* Effect.all(
            [Effect.either(tasks.resume(TASK, deciding())), Effect.either(tasks.resume(TASK, deciding()))],
            { concurrency: "unbounded" },
          )
          return { both, types: typesOf(yield* eventsOf(TASK)) }
        }),
      )
      const tags = found.both.map((one) => (Either.isLeft(one) ? one.left._tag : one.right.outcome))
      expect(tags.sort()).toEqual(["NotResumable", "achieved"])
      expect(found.types.filter((type) => type === "TaskResumed" || type === "TaskClosed")).toHaveLength(2)
      expect(executed.map((one) => one.split(" ")[0])).toEqual(["note", "look"])
    }),
  )

  it.scopedLive("a task that this kernel works on", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), deciding(), { tools })
      const found = yield* inNext(directory, { tools }, ({ tasks }) =>
        Effect.gen(function* () {
          const task = yield* tasks.open({ goal: "stay", agent: "walker@1" })
          const agentless = yield* tasks.open({ goal: "stay" })
          expect(yield* Effect.flip(tasks.resume(agentless.id, deciding()))).toMatchObject({ _tag: "NotResumable" })
          return yield* Effect.flip(tasks.resume(task.id, deciding()))
        }),
      )
      expect(found).toMatchObject({ _tag: "NotResumable", reason: "this kernel is already working on it" })
    }),
  )

  it.scopedLive("agents in the options of a kernel that abandons open tasks", () =>
    Effect.gen(function* () {
      const started = testKernel({ agents: [deciding()] }).pipe(Effect.flatMap(({ start }) => start))
      expect(yield* Effect.flip(started)).toMatchObject({
        _tag: "InvalidOptions",
        message: expect.stringContaining('expected "resume", for the agents that resume tasks, found nothing'),
      })
    }),
  )
})

describe("an agent that is led over what is recorded", () => {
  it.scopedLive("stays paused, however often its task was paused and continued before", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const looking: Agent.Agent = {
        ...deciding(),
        decide: ({ step }) => (step < 3 ? { act: "program/look", args: { step } } : { done: "achieved" }),
      } as Agent.Agent
      const directory = yield* leftAt(about("CommandSucceeded"), looking, { tools })
      const { layerLog } = yield* testKernel({ directory })
      // More events than a conflict carries.
      yield* Effect.gen(function* () {
        const control = yield* TaskControl
        yield* control.pause(TASK, { by: "ada" })
        yield* control.continue(TASK, { by: "ada" })
        const log = yield* EventLog
        const notes = Array.from(
          { length: 1_200 },
          () => ({ type: "NoteAdded", payload: { about: "x", text: "y" } }) as const,
        )
        yield* log.append({ stream: `task/${TASK}`, taskId: TASK, actor: "human:ada", events: notes })
        yield* control.pause(TASK, { by: "ada" })
      }).pipe(Effect.provide(layerLog))
      const before = executed.length
      yield* inNext(directory, { tools }, ({ tasks }) =>
        Effect.gen(function* () {
          yield* Effect.forkDaemon(Effect.exit(tasks.resume(TASK, looking)))
          yield* seen(about("TaskResumed"))
          // Another task has the time to be run from its opening to its score.
          yield* tasks.run({ ...deciding(), name: "other" }, { id: "other", goal: "go" })
          const own = executed.length - 2
          expect(own).toBe(before)
          yield* (yield* TaskControl).continue(TASK, { by: "ada" })
          yield* seen((event) => is(event, "TaskClosed") && event.taskId === TASK)
        }),
      )
      expect(executed).toHaveLength(5)
    }),
  )

  it.scopedLive("does not carry out again a call that it makes with other arguments: that is a divergence", () =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const paying = (args: object): Agent.Agent => ({
        name: "payer",
        version: "1",
        advance: (task) =>
          Effect.gen(function* () {
            yield* task.act("program/note", args as never, { callId: "c1" })
            yield* task.act("program/look", {}, { callId: "c2" })
            return false
          }),
      })
      const directory = yield* leftAt(about("CommandSucceeded"), paying({ eur: 5 }), { tools })
      const refused = yield* inNext(directory, { tools }, ({ tasks }) =>
        Effect.flip(tasks.resume(TASK, paying({ eur: 5, note: "again" }))),
      )
      expect(refused).toMatchObject({ _tag: "ResumeDiverged", divergence: { kind: "another-command" } })
      expect(executed.filter((one) => one.startsWith("note"))).toHaveLength(1)
    }),
  )

  it.scopedLive("that ends early or fails on the way leaves the task open", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const advancing = (first: (task: Agent.AgentTask) => Effect.Effect<boolean, unknown>): Agent.Agent => ({
        name: "walker",
        version: "1",
        advance: first,
      })
      const working = advancing((task) =>
        Effect.as(Effect.zipRight(task.act("program/note"), task.act("program/look")), false),
      )
      const directory = yield* leftAt(about("CommandSucceeded"), working, { tools })
      const closing = advancing((task) => Effect.as(task.close("truncated", "no budget"), false))
      const failing = advancing(() => Effect.fail(new Error("no key is set")))
      const found = yield* inNext(directory, { tools }, ({ tasks }) =>
        Effect.all([
          Effect.flip(tasks.resume(TASK, closing)),
          Effect.flip(tasks.resume(TASK, failing)),
          tasks.unfinished,
          tasks.resume(TASK, working),
        ]),
      )
      expect(found).toMatchObject([
        { _tag: "ResumeDiverged", divergence: { kind: "done-earlier" } },
        { _tag: "AgentFailed", reason: "no key is set" },
        [{ taskId: TASK }],
        { outcome: "achieved" },
      ])
    }),
  )

  it.scopedLive("goes on within the steps that it was run with", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const long: Agent.Agent = {
        name: "walker",
        version: "1",
        decide: ({ step }) => (step < 150 ? { say: `step ${step}` } : { act: "program/look" }),
      }
      const directory = yield* Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        yield* Effect.gen(function* () {
          const { run } = yield* (yield* testKernel({ tools, directory, onOpenTasks: "resume" })).start
          const working = run(
            Effect.flatMap(Kernel, ({ tasks }) => tasks.run(long, { id: TASK, goal: "go", maxSteps: 160 })),
          )
          yield* Effect.forkDaemon(Effect.exit(working))
          yield* run(seen(about("MessageSent"), 120))
        }).pipe(Effect.scoped)
        return directory
      })
      const { audit, replayed } = yield* inNext(directory, { tools }, resumed(long))
      expect(audit).toMatchObject({ outcome: "truncated", reason: "it was not done within 160 steps", steps: 10 })
      expect(replayed).toMatchObject({ verdict: "identical" })
    }),
  )

  it.scopedLive("is resumed twice in the midst of one decision, with and without sensors", () =>
    Effect.gen(function* () {
      for (const sensors of [{}, { clock: Sensor.make({ description: "It ticks", read: () => 1 }) }]) {
        const { tools } = counting()
        let asked = 0
        const consulting: Agent.Agent = {
          name: "walker",
          version: "1",
          decide: async ({ consult, step }) => {
            if (step === 0) return { act: "program/look" }
            asked++
            // The second question of a decision is not answered until the third time.
            await consult({ provider: "p", model: "m", request: { first: true } }, async () => ANSWER)
            await consult({ provider: "p", model: "m", request: { first: false } }, () =>
              asked < 3 ? new Promise<never>(() => {}) : Promise.resolve(ANSWER),
            )
            return { done: "achieved" }
          },
        }
        const directory = yield* leftAt(about("ModelCalled"), consulting, { tools, sensors })
        yield* inNext(directory, { tools, sensors }, ({ tasks }) =>
          Effect.gen(function* () {
            yield* Effect.forkDaemon(Effect.exit(tasks.resume(TASK, consulting)))
            yield* seen(about("ModelResponded"), 1)
          }),
        )
        asked = 2
        const { audit, replayed } = yield* inNext(directory, { tools, sensors }, resumed(consulting))
        expect(audit.outcome).toBe("achieved")
        expect(replayed).toMatchObject({ verdict: "identical", complete: true })
      }
    }),
  )
})

const ANSWER = { response: "yes", usage: { inputTokens: 1, outputTokens: 1 } }

describe("an agent that goes on with another model", () => {
  it.scopedLive("gets the recorded answers of its place, and what it asked otherwise is noted", () =>
    Effect.gen(function* () {
      const { tools } = counting()
      const directory = yield* leftAt(about("CommandSucceeded"), agentOf(answering().model), { tools })
      const { model, requests } = answering()
      const { audit, events } = yield* inNext(directory, { tools }, resumed(agentOf({ ...model, model: "two" })))
      expect(audit.outcome).toBe("achieved")
      expect(requests).toHaveLength(2)
      const note = events.find((event) => is(event, "NoteAdded"))
      expect(note?.payload).toMatchObject({ about: "resume", text: expect.stringContaining("another model") })
    }),
  )
})
