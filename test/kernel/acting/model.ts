/** A task whose kernels die and go on at any point, for the model of a command: its log is in memory, everything else is the real kernel. */
import { Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import * as fc from "fast-check"
import { expect } from "vitest"
import { EventLog, LogUnavailable } from "../../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../../src/events/memory/MemoryEventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as CommandState from "../../../src/kernel/acting/CommandState.ts"
import * as Critics from "../../../src/kernel/critics/Critics.ts"
import * as Confirmations from "../../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../../src/kernel/gate/Gate.ts"
import * as Kernel from "../../../src/kernel/Kernel.ts"
import * as Program from "../../../src/kernel/program/Program.ts"
import * as Registry from "../../../src/kernel/registry/Registry.ts"
import * as Scoring from "../../../src/kernel/scoring/Scoring.ts"
import * as PluginHost from "../../../src/plugins/process/PluginHost.ts"
import * as Projector from "../../../src/projections/projector/Projector.ts"
import { eventsOf, text, turn } from "../../agents/given.ts"
import { agentOf, counting } from "../resume/given.ts"

const TASK = "modelled"
const AGENT_TOOLS = ["look", "note", "publish"] as const
type ToolName = (typeof AGENT_TOOLS)[number]

/** What the gates of the kernels that come one after the other say. */
const GATES: ReadonlyArray<GateConfig> = [
  { default: "allow", rules: [{ name: "ask", actuator: "program/publish", decision: "confirm" }] },
  { default: "allow", rules: [{ name: "ask-more", actuator: "program/*", decision: "confirm" }] },
  { default: "allow", rules: [{ name: "never", actuator: "program/note", decision: "deny" }] },
  { default: "allow" },
]

/** The task with its log, its agent and whoever works on it. */
type Machine = Effect.Effect.Success<typeof machine>

const machine = Effect.gen(function* () {
  const memory = yield* Layer.build(MemoryEventLog.layer())
  const log = Context.get(memory, EventLog)
  const { executed, tools } = counting()
  const program = Program.make({ tools, sensors: {}, services: Context.empty() })
  const script: Array<ReadonlyArray<ToolName>> = []
  let [isIdle, isDead, isClosed] = [false, true, false]
  let failure: unknown
  /** After how many further appends the kernel dies, and whether the last of them reaches the log. */
  let fault: { left: number; readonly isStored: boolean } | undefined
  let scope: Scope.CloseableScope | undefined
  /** Counts what happens: appends, and the waits of the agent. */
  let happened = 0
  const waiting = new Set<() => void>()
  const tell = () => {
    happened += 1
    for (const one of [...waiting]) one()
  }
  /** Waits until something has happened since. */
  const changedSince = (seen: number) =>
    Effect.async<void>((resume) => {
      if (happened !== seen) return resume(Effect.void)
      const one = () => {
        waiting.delete(one)
        resume(Effect.void)
      }
      waiting.add(one)
      return Effect.sync(() => waiting.delete(one))
    })

  const model = {
    provider: "test",
    model: "one",
    turn: ({ messages }: { readonly messages: ReadonlyArray<{ readonly role: string }> }) =>
      Effect.gen(function* () {
        const answers = messages.filter(({ role }) => role === "assistant").length
        while (answers >= script.length) {
          isIdle = true
          tell()
          yield* changedSince(happened)
        }
        isIdle = false
        const calls = script[answers] ?? []
        return turn(
          calls.length === 0
            ? [text("That is all.")]
            : calls.map((name, index) => ({
                type: "call",
                callId: `${answers}.${index}`,
                tool: `program__${name}`,
                args: {},
              })),
        )
      }),
  }

  const died = new LogUnavailable({ log: "memory", reason: "the process of this kernel has ended" })
  const dying: EventLog.Service = {
    ...log,
    append: (request) =>
      Effect.suspend(() => {
        if (request.actor.startsWith("human:")) return log.append(request)
        if (isDead) return died
        if (fault !== undefined) fault.left -= 1
        if (fault === undefined || fault.left > 0) return log.append(request)
        const { isStored } = fault
        ;[isDead, fault] = [true, undefined]
        return isStored ? Effect.zipRight(log.append(request), died) : died
      }).pipe(Effect.ensuring(Effect.sync(() => tell()))),
  }

  /** Another kernel goes on with the task, or opens it. It may die on the way. */
  const restart = (gate: GateConfig) =>
    Effect.gen(function* () {
      if (scope !== undefined) yield* Scope.close(scope, Exit.void)
      const own = yield* Scope.make()
      ;[scope, isDead, isIdle, failure] = [own, false, false, undefined]
      const places = { workspace: ".", directory: "no-plugins" }
      const services = Layer.provide(
        Layer.effectDiscard(
          Effect.flatMap(Registry.Registry, (registry) =>
            program === undefined ? Effect.void : registry.declare(program),
          ),
        ).pipe(
          Layer.provideMerge(
            Layer.provide(
              Kernel.layer({ ...places, gate, seed: 7, onOpenTasks: "resume" }),
              Layer.succeed(Program.Program, program),
            ),
          ),
          Layer.provideMerge(
            Layer.mergeAll(Confirmations.layer, Layer.provideMerge(Scoring.layerWithCritics, Critics.layer(places))),
          ),
          Layer.provideMerge(Registry.layer(places)),
          Layer.provideMerge(Projector.layer),
          Layer.provideMerge(Layer.succeedContext(Context.add(memory, EventLog, dying))),
        ),
        PluginHost.layerOf({}),
      )
      const living = Effect.gen(function* () {
        const kernel = Context.get(yield* Layer.buildWithScope(services, own), Kernel.Kernel)
        const agent = agentOf(model)
        const open = yield* kernel.tasks.unfinished
        yield* open.length > 0
          ? kernel.tasks.resume(TASK, agent)
          : kernel.tasks.run(agent, { id: TASK, goal: "go on", maxSteps: 1000 })
        isClosed = true
      })
      yield* living.pipe(
        Effect.catchAllCause((cause) =>
          Effect.sync(() => {
            if (!isDead) failure = cause
          }),
        ),
        Effect.ensuring(
          Effect.sync(() => {
            isDead = true
            tell()
          }),
        ),
        Effect.forkIn(own),
      )
      yield* settled
    })

  const events = Effect.provideService(eventsOf(TASK), EventLog, log)

  /** The questions that wait for a person. */
  const questions = Effect.map(events, (events) => {
    const ended = new Set(
      events.flatMap(({ type, payload }) =>
        type.startsWith("Confirmation") && type !== "ConfirmationRequested" ? [payload.confirmationId] : [],
      ),
    )
    return events.filter((event) => is(event, "ConfirmationRequested") && !ended.has(event.payload.confirmationId))
  })

  /** Waits until the kernel waits: for its agent, for a person; or until it is dead. */
  const settled: Effect.Effect<void> = Effect.gen(function* () {
    for (;;) {
      const seen = happened
      if (isDead || isIdle) break
      const states = [...CommandState.fold(yield* events).values()].filter(({ at }) => at !== "ended")
      const asked = new Set((yield* questions).map(({ payload }) => payload.commandId))
      const requested = (yield* events).filter((event) => is(event, "ActuatorCommanded")).length
      const isAsking = states.length > 0 && asked.size === states.length && requested === script.flat().length
      if (isAsking) break
      yield* changedSince(seen)
    }
    expect(failure).toBeUndefined()
  }).pipe(Effect.orDie)

  return {
    executed,
    events,
    restart,
    log,
    isClosed: () => isClosed,
    isDead: () => isDead,
    isIdle: () => isIdle && !isDead,
    /** What the agent does next; nothing: it ends. */
    command: (tools: ReadonlyArray<ToolName>) =>
      Effect.suspend(() => {
        script.push(tools)
        isIdle = false
        tell()
        return settled
      }),
    /** A person answers the oldest question, if there is one. */
    answer: (approved: boolean) =>
      Effect.gen(function* () {
        const [question] = yield* questions
        if (question === undefined) return
        const people = Context.get(
          yield* Layer.build(
            Layer.provide(Confirmations.layer, Layer.provideMerge(Projector.layer, Layer.succeedContext(memory))),
          ),
          Confirmations.Confirmations,
        )
        yield* people.decide(String(question.payload.confirmationId), { approved, by: "ada", channel: "program" })
        tell()
        yield* settled
      }).pipe(Effect.scoped),
    /** The kernel, or the next one, is to die. */
    dieAfter: (left: number, isStored: boolean) => {
      fault = { left, isStored }
    },
    survive: () => {
      fault = undefined
    },
    close: Effect.suspend(() => (scope === undefined ? Effect.void : Scope.close(scope, Exit.void))),
  }
})

/** The events that the table has after each state of a command. */
export const NEXT: { readonly [at in CommandState.CommandState["at"]]?: ReadonlyArray<string> } = {
  new: ["ActuatorCommanded"],
  requested: ["ConfirmationRequested", "CommandAllowed", "CommandDenied"],
  asked: ["CommandAllowed", "CommandDenied", "ConfirmationRequested"],
  allowed: ["CommandDispatched", "CommandDenied", "ConfirmationRequested", "CommandAllowed"],
  dispatched: ["CommandDispatched", "CommandSucceeded", "CommandFailed", "CommandOutcomeUnknown"],
}

/** Holds the commands of a log to the table of the machine, and to what was carried out. */
export const holds = (events: ReadonlyArray<Event>, executed: ReadonlyArray<string>): void => {
  const states = new Map<string, CommandState.CommandState>()
  const dispatches = new Map<string, number>()
  const names = new Map<string, string>()
  const calls: Array<string> = []
  for (const event of events) {
    const { commandId } = event.payload
    if (typeof commandId !== "string") continue
    const where = `${event.type} of ${commandId} at @${event.position}`
    const before = states.get(commandId) ?? CommandState.unrecorded("")
    expect(NEXT[before.at], where).toContain(event.type)
    if (is(event, "ActuatorCommanded")) {
      names.set(commandId, event.payload.actuator)
      calls.push(event.payload.callId ?? "")
    }
    if (event.type === "CommandDispatched") {
      dispatches.set(commandId, (dispatches.get(commandId) ?? 0) + 1)
      const isRepeatable = names.get(commandId) === "program/look"
      expect(before.at === "allowed" || (before.at === "dispatched" && isRepeatable), where).toBe(true)
    }
    states.set(commandId, CommandState.evolve(before, event))
  }
  // Requests stand in the order of the agent's calls, each once.
  expect(calls).toEqual([...new Set(calls)].sort((a, b) => Number(a) - Number(b)))
  for (const commandId of names.keys()) {
    const times = executed.filter((one) => one.endsWith(commandId)).length
    expect(times, `executions of ${commandId}`).toBeLessThanOrEqual(dispatches.get(commandId) ?? 0)
  }
}

/** What dying kernels say of it is of no interest. */
export const QUIET = Logger.remove(Logger.defaultLogger)

/** A step of the model. Where there is nothing to do, it does nothing. */
const stepOf = (name: string, does: (machine: Machine) => Effect.Effect<void, unknown>) =>
  ({
    check: () => true,
    run: (_: unknown, machine: Machine) =>
      Effect.gen(function* () {
        if (machine.isClosed()) return
        yield* does(machine)
        holds(yield* machine.events, machine.executed)
      }).pipe(Effect.provide(QUIET), Effect.runPromise),
    toString: () => name,
  }) satisfies fc.AsyncCommand<object, Machine>

const steps = [
  fc
    .array(fc.constantFrom(...AGENT_TOOLS), { minLength: 1, maxLength: 3 })
    .map((tools) => stepOf(`command ${tools}`, (machine) => (machine.isIdle() ? machine.command(tools) : Effect.void))),
  fc.boolean().map((approved) => stepOf(`answer ${approved}`, (machine) => machine.answer(approved))),
  fc
    .tuple(fc.integer({ min: 1, max: 12 }), fc.boolean())
    .map(([left, isStored]) =>
      stepOf(`die after ${left} appends, the last ${isStored ? "stored" : "lost"}`, (machine) =>
        Effect.sync(() => machine.dieAfter(left, isStored)),
      ),
    ),
  fc.nat(GATES.length - 1).map((gate) => stepOf(`restart ${gate}`, (machine) => machine.restart(GATES[gate] ?? {}))),
]

/** Brings the task to its end, whatever became of it before. */
const finished = (machine: Machine) =>
  Effect.gen(function* () {
    machine.survive()
    for (let count = 0; !machine.isClosed() && count < 60; count += 1) {
      if (machine.isDead()) yield* machine.restart(GATES[0] ?? {})
      else if (machine.isIdle()) yield* machine.command([])
      else yield* machine.answer(true)
    }
    const events = yield* machine.events
    holds(events, machine.executed)
    const states = [...CommandState.fold(events).values()]
    expect(states.map(({ at }) => at)).toEqual(states.map(() => "ended"))
    expect(machine.isClosed()).toBe(true)
    expect((yield* machine.log.verify)._tag).toBe("Intact")
  })

/** Lets kernels die and go on as the model says, so many times. */
export const modelled = (numRuns: number, size: number) =>
  fc.assert(
    fc.asyncProperty(fc.commands(steps, { maxCommands: size, size: "max" }), (commands) =>
      Effect.gen(function* () {
        const real = yield* machine
        yield* Effect.addFinalizer(() => real.close)
        yield* real.restart(GATES[0] ?? {})
        yield* Effect.promise(() => fc.asyncModelRun(() => ({ model: {}, real }), commands))
        yield* finished(real)
      }).pipe(Effect.scoped, Effect.provide(QUIET), Effect.runPromise),
    ),
    { numRuns },
  )
