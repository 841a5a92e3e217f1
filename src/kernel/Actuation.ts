import { Data, Effect } from "effect"
import { uuidv7 } from "uuidv7"
import { digest } from "../events/Digest.ts"
import type { Event } from "../events/Event.ts"
import type { AppendError, CoreNewEvent, LogError } from "../events/EventLog.ts"
import type { Failure } from "../events/EventType.ts"
import { findNonJson, type Json, type JsonObject } from "../events/Json.ts"
import type { LeaseLost } from "../events/Lease.ts"
import { type Actuator, actuatorsOf } from "../plugins/Manifest.ts"
import * as JsonPatch from "../projections/JsonPatch.ts"
import * as Keyed from "../projections/Keyed.ts"
import { type ActiveComponent, activeActuators, type PluginRegistry } from "../projections/PluginRegistry.ts"
import * as Gate from "./Gate.ts"
import type { Instance } from "./Instances.ts"
import { elapsedSince, failureOf, onPluginFailure } from "./Perception.ts"
import { manifestOf } from "./Registry.ts"
import type { TaskContext } from "./TaskContext.ts"

/** How a command ended. Only `succeeded` and `failed` were executed. */
export type CommandOutcome = {
  readonly commandId: string
  /** `plugin/actuator` */
  readonly actuator: string
  readonly args: JsonObject
  /** The event that ended it. */
  readonly event: Event
} & (
  | { readonly status: "succeeded"; readonly result: Json }
  | { readonly status: "failed"; readonly error: Failure }
  | { readonly status: "denied"; readonly rule: string; readonly reason: string }
  | { readonly status: "expired"; readonly reason: string }
)

/** Fix the call: arguments have to be a JSON object, or the log could not keep them. */
export class InvalidCommand extends Data.TaggedError("InvalidCommand")<{
  readonly actuator: string
  readonly path: string
  readonly found: string
}> {
  override get message() {
    return `Command ${this.actuator}: expected arguments that are a JSON object, found ${this.found} at ${this.path || "/"}. Nothing was recorded or executed.`
  }
}

export type ActError = InvalidCommand | LeaseLost | AppendError | LogError

/**
 * Takes a command through the gate and, if it passes, to its actuator. Everything it does is recorded before the next
 * thing is done; in particular `CommandDispatched` is on the disk before anything leaves the kernel. It fails closed:
 * without a rule, an answer, an active actuator or the lease, the command is not executed.
 *
 * @param causationId the decision that the command came from, or the event that else made it happen
 */
export const act = (
  task: TaskContext,
  actuator: string,
  args: JsonObject,
  causationId: string,
): Effect.Effect<CommandOutcome, ActError> =>
  Effect.gen(function* () {
    const bad = isObject(args) ? findNonJson(args) : { path: "", found: Array.isArray(args) ? "a list" : String(args) }
    if (bad !== undefined) return yield* new InvalidCommand({ actuator, ...bad })

    const registry = yield* task.kernel.registry.state
    const active = activeActuators(registry).filter(({ plugin }) => task.takesPart(plugin))
    const target = active.find(({ name }) => name === actuator)
    const command: Command = { task, actuator, args, commandId: uuidv7(), argsDigest: digest(args) }
    const commanded = yield* task.record({
      type: "ActuatorCommanded",
      causationId,
      payload: {
        commandId: command.commandId,
        actuator,
        args,
        argsDigest: command.argsDigest,
        priority: target?.priority ?? 0,
      },
    })
    if (target === undefined) {
      const names = active.map(({ name }) => name).join(", ") || "none"
      return yield* deny(
        command,
        commanded.id,
        "active-actuators",
        `no active actuator has this name; active: ${names}`,
      )
    }
    const addressed = addressIn(registry, target)
    const passed = yield* passGate(command, addressed.declared, commanded.id)
    if (passed.kind === "ended") return passed.outcome
    return yield* dispatch(command, addressed, passed.allowedBy)
  })

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

interface Command {
  readonly task: TaskContext
  readonly actuator: string
  readonly args: JsonObject
  readonly commandId: string
  readonly argsDigest: string
}

/** Where a command goes. */
interface Address {
  readonly registry: PluginRegistry
  readonly plugin: string
  /** The actuator's name within the plugin, and what the manifest says of it. */
  readonly component: string
  readonly declared: Actuator | undefined
}

const addressIn = (registry: PluginRegistry, { plugin, component }: ActiveComponent): Address => {
  const found = Keyed.get(registry, plugin)
  const actuators = found === undefined ? [] : actuatorsOf(manifestOf(found))
  return { registry, plugin, component, declared: actuators.find(({ name }) => name === component) }
}

type Passed =
  | { readonly kind: "passed"; readonly allowedBy: string }
  | { readonly kind: "ended"; readonly outcome: CommandOutcome }

/** The gate: rules first and, where they say so, a person. */
const passGate = (
  command: Command,
  declared: Actuator | undefined,
  commandedBy: string,
): Effect.Effect<Passed, AppendError> =>
  Effect.gen(function* () {
    const { task, actuator, args, commandId, argsDigest } = command
    const { gate } = task.kernel
    const ruling = Gate.decide(gate, { actuator, risk: declared?.risk })
    const ended = (outcome: CommandOutcome): Passed => ({ kind: "ended", outcome })
    if (ruling.decision === "deny") return ended(yield* deny(command, commandedBy, ruling.rule, ruling.reason))
    if (ruling.decision === "allow") {
      const allowed = yield* task.record(allowedBy(command, commandedBy, ruling.rule))
      return { kind: "passed", allowedBy: allowed.id }
    }

    const settled = yield* task.kernel.confirmations
      .ask({
        taskId: task.id,
        commandId,
        argsDigest,
        shown: { actuator, args, risk: declared?.risk ?? "undeclared", description: declared?.description ?? "" },
        withinMs: gate.confirmWithinMs ?? Gate.CONFIRM_WITHIN_MS,
        causationId: commandedBy,
      })
      .pipe(Effect.onInterrupt(() => Effect.ignore(deny(command, commandedBy, ruling.rule, "it was interrupted"))))
    switch (settled.kind) {
      case "approved": {
        const allowed = yield* task.record(allowedBy(command, settled.event.id, ruling.rule))
        return { kind: "passed", allowedBy: allowed.id }
      }
      case "rejected":
        return ended(yield* deny(command, settled.event.id, ruling.rule, settled.reason))
      case "expired": {
        const reason = "nobody decided in time"
        const { event } = yield* deny(command, settled.event.id, ruling.rule, reason)
        return ended({ status: "expired", commandId, actuator, args, event, reason })
      }
    }
  })

const allowedBy = ({ commandId }: Command, causationId: string, rule: string): CoreNewEvent => ({
  type: "CommandAllowed",
  causationId,
  payload: { commandId, rule },
})

const deny = ({ task, commandId, actuator, args }: Command, causationId: string, rule: string, reason: string) =>
  Effect.map(
    task.record({ type: "CommandDenied", causationId, payload: { commandId, rule, reason } }),
    (event): CommandOutcome => ({ status: "denied", commandId, actuator, args, event, rule, reason }),
  )

/** Sends an allowed command to its plugin, in its turn, and records how it ended and what it changed in the world. */
const dispatch = (
  command: Command,
  { registry, plugin, component, declared }: Address,
  allowedBy: string,
): Effect.Effect<CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { task, commandId, args } = command
  let dispatched = false

  // From the dispatch on, only the call itself can be interrupted, and that too is an outcome.
  const send = ({ process }: Instance) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (!task.isOpen()) return yield* deny(command, allowedBy, "open-tasks", "its task was closed")
        yield* task.kernel.lease.check
        const { id: causationId } = yield* task.record({
          type: "CommandDispatched",
          causationId: allowedBy,
          payload: { commandId },
        })
        dispatched = true
        const startedAt = performance.now()
        const options = declared?.timeout === undefined ? {} : { timeoutMs: declared.timeout }
        return yield* restore(process.act(component, args, { taskId: task.id, causationId, ...options })).pipe(
          Effect.matchEffect({
            onSuccess: ({ result, state }) =>
              succeed(command, plugin, { causationId, result, state, latencyMs: elapsedSince(startedAt) }),
            onFailure: (failure) =>
              fail(command, plugin, {
                causationId,
                error: failureOf(failure),
                state: "state" in failure ? failure.state : undefined,
                latencyMs: elapsedSince(startedAt),
              }),
          }),
          Effect.onInterrupt(() => Effect.ignore(fail(command, plugin, { causationId, error: INTERRUPTED }))),
        )
      }),
    )

  return Effect.flatMap(task.instance(plugin, registry), (instance) => instance.inTurn(send(instance))).pipe(
    onPluginFailure((failure) => fail(command, plugin, { causationId: allowedBy, error: failureOf(failure) })),
    Effect.onInterrupt(() =>
      dispatched ? Effect.void : Effect.ignore(deny(command, allowedBy, "interrupted", "the caller stopped waiting")),
    ),
  )
}

const INTERRUPTED: Failure = {
  code: "Interrupted",
  message: "the caller stopped waiting; whether it took effect is not known",
}

interface Ending {
  readonly causationId: string
  /** The plugin's environment afterwards. */
  readonly state?: Json | undefined
  readonly latencyMs?: number
}

const succeed = (command: Command, plugin: string, ending: Ending & { readonly result: Json; latencyMs: number }) => {
  const { commandId, actuator, args } = command
  const { causationId, result, latencyMs, state } = ending
  return Effect.map(
    finish(command.task, plugin, state, {
      type: "CommandSucceeded",
      causationId,
      payload: { commandId, result, latencyMs },
    }),
    (event): CommandOutcome => ({ status: "succeeded", commandId, actuator, args, event, result }),
  )
}

const fail = (command: Command, plugin: string, ending: Ending & { readonly error: Failure }) => {
  const { commandId, actuator, args } = command
  const { causationId, error, latencyMs, state } = ending
  return Effect.map(
    finish(command.task, plugin, state, {
      type: "CommandFailed",
      causationId,
      payload: { commandId, error, ...(latencyMs === undefined ? {} : { latencyMs }) },
    }),
    (event): CommandOutcome => ({ status: "failed", commandId, actuator, args, event, error }),
  )
}

/** Records a command's outcome and, in the same commit, what it changed in the plugin's environment. */
const finish = (task: TaskContext, plugin: string, state: Json | undefined, outcome: CoreNewEvent) => {
  const before = task.documents.get(plugin)
  const patch = state === undefined || before === undefined ? [] : JsonPatch.between(before, state)
  if (patch.length === 0 || state === undefined) return task.record(outcome)
  return task
    .record(outcome, { type: "EnvironmentChanged", payload: { plugin, patch } })
    .pipe(Effect.tap(() => Effect.sync(() => task.documents.set(plugin, state))))
}
