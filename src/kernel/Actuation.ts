import { Cause, Data, Effect, Exit } from "effect"
import { uuidv7 } from "uuidv7"
import { digest } from "../events/Digest.ts"
import type { Event } from "../events/Event.ts"
import type { AppendError, CoreNewEvent, LogError } from "../events/EventLog.ts"
import type { Failure } from "../events/EventType.ts"
import { findNonJson, type Json, type JsonObject, plainText } from "../events/Json.ts"
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
 * without a rule, an answer, an active actuator or the lease, the command is not executed. And it always ends: whatever
 * interrupts it or goes wrong, the log says how it ended, as long as the log can be written at all.
 *
 * @param causationId the decision that the command came from, or the event that else made it happen
 */
export const act = (
  task: TaskContext,
  actuator: string,
  args: JsonObject,
  causationId: string,
): Effect.Effect<CommandOutcome, ActError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const command = yield* commandOf(task, actuator, args)
      const { commandId, argsDigest } = command
      const address = yield* find(command)
      const commanded = yield* task.record({
        type: "ActuatorCommanded",
        causationId,
        payload: { commandId, actuator, args: command.args, argsDigest, priority: address?.priority ?? 0 },
      })
      const progress: Progress = { last: commanded.id, dispatched: false, ended: false }
      const steps =
        address === undefined ? denyUnknown(command, progress) : decideAndDispatch(command, address, progress, restore)
      return yield* Effect.onExit(steps, (exit) =>
        Exit.isFailure(exit) && !progress.ended ? endAnyway(command, progress, exit.cause) : Effect.void,
      )
    }),
  )

/** A command as it was requested: its arguments are a copy, so that what is shown, recorded and executed is the same. */
interface Command {
  readonly task: TaskContext
  readonly actuator: string
  readonly args: JsonObject
  readonly commandId: string
  readonly argsDigest: string
}

/** How far a command has come: what it ends with, should something interrupt it here. */
interface Progress {
  /** The event that the next one follows from. */
  last: string
  dispatched: boolean
  ended: boolean
}

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

const commandOf = (task: TaskContext, actuator: string, args: JsonObject): Effect.Effect<Command, InvalidCommand> => {
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args)
  const bad = isObject ? findNonJson(args) : { path: "", found: Array.isArray(args) ? "a list" : String(args) }
  if (bad !== undefined) return new InvalidCommand({ actuator, ...bad })
  const copy = structuredClone(args)
  return Effect.succeed({ task, actuator, args: copy, commandId: uuidv7(), argsDigest: digest(copy) })
}

/** Where a command goes, as the registry stands at one moment. */
interface Address {
  readonly registry: PluginRegistry
  readonly plugin: string
  readonly digest: string
  readonly priority: number
  /** The actuator's name within the plugin, and what the manifest says of it. */
  readonly component: string
  readonly declared: Actuator | undefined
}

/** The active actuator that a command names, as the registry stands now. */
const find = ({ task, actuator }: Command): Effect.Effect<Address | undefined, LogError> =>
  Effect.map(task.kernel.registry.state, (registry) => {
    const target = activeIn(task, registry).find(({ name }) => name === actuator)
    const found = target === undefined ? undefined : Keyed.get(registry, target.plugin)
    if (target === undefined || found === undefined) return undefined
    const { plugin, component, priority } = target
    const declared = actuatorsOf(manifestOf(found)).find(({ name }) => name === component)
    return { registry, plugin, digest: found.digest, priority, component, declared }
  })

const activeIn = (task: TaskContext, registry: PluginRegistry): ReadonlyArray<ActiveComponent> =>
  activeActuators(registry).filter(({ plugin }) => task.takesPart(plugin))

const denyUnknown = (command: Command, progress: Progress) =>
  Effect.flatMap(command.task.kernel.registry.state, (registry) => {
    const names = activeIn(command.task, registry).map(({ name }) => name)
    const reason = `no active actuator has this name; active: ${names.join(", ") || "none"}`
    return deny(command, progress, "active-actuators", reason)
  })

const decideAndDispatch = (
  command: Command,
  address: Address,
  progress: Progress,
  restore: Restore,
): Effect.Effect<CommandOutcome, LeaseLost | AppendError | LogError> =>
  Effect.gen(function* () {
    const { task, commandId } = command
    const ruling = Gate.decide(task.kernel.gate, { actuator: command.actuator, risk: address.declared?.risk })
    if (ruling.decision === "deny") return yield* deny(command, progress, ruling.rule, ruling.reason)
    if (ruling.decision === "confirm") {
      const settled = yield* restore(ask(command, address, progress.last))
      progress.last = settled.event.id
      if (settled.kind === "rejected") return yield* deny(command, progress, ruling.rule, settled.reason)
      if (settled.kind === "expired") return yield* expire(command, progress, ruling.rule)
    }
    const allowed = yield* task.record({
      type: "CommandAllowed",
      causationId: progress.last,
      payload: { commandId, rule: ruling.rule },
    })
    progress.last = allowed.id
    return yield* dispatch(command, address, progress, restore)
  })

const ask = ({ task, actuator, args, commandId, argsDigest }: Command, { declared }: Address, causationId: string) =>
  task.kernel.confirmations.ask({
    taskId: task.id,
    commandId,
    argsDigest,
    shown: { actuator, args, risk: declared?.risk ?? "undeclared", description: declared?.description ?? "" },
    withinMs: task.kernel.gate.confirmWithinMs ?? Gate.CONFIRM_WITHIN_MS,
    causationId,
  })

/** Sends an allowed command to its plugin, in its turn. From the dispatch on, only the call itself can be interrupted. */
const dispatch = (
  command: Command,
  address: Address,
  progress: Progress,
  restore: Restore,
): Effect.Effect<CommandOutcome, LeaseLost | AppendError | LogError> => {
  const { task, commandId } = command

  const send = ({ process }: Instance) =>
    Effect.gen(function* () {
      // It may have waited long, for a person or for its turn: what was ruled on must still be what is there.
      const now = yield* find(command)
      if (now?.digest !== address.digest) {
        return yield* deny(command, progress, "active-actuators", "its actuator was deactivated or updated meanwhile")
      }
      yield* task.kernel.lease.check
      const dispatched = yield* task.record({
        type: "CommandDispatched",
        causationId: progress.last,
        payload: { commandId },
      })
      progress.last = dispatched.id
      progress.dispatched = true
      return yield* call(command, address, process, progress, restore)
    })

  return Effect.flatMap(restore(task.instance(address.plugin, address.registry)), (instance) =>
    instance.inTurn(send(instance), restore),
  ).pipe(onPluginFailure((failure) => end(command, address.plugin, progress, { failed: failureOf(failure) })))
}

/** Calls the plugin and records how it ended and what it changed in the world. */
const call = (
  command: Command,
  { plugin, component, declared }: Address,
  process: Instance["process"],
  progress: Progress,
  restore: Restore,
): Effect.Effect<CommandOutcome, AppendError> => {
  const startedAt = performance.now()
  const options = {
    taskId: command.task.id,
    causationId: progress.last,
    ...(declared?.timeout === undefined ? {} : { timeoutMs: declared.timeout }),
  }
  return Effect.matchEffect(restore(process.act(component, command.args, options)), {
    onSuccess: ({ result, state }) =>
      end(command, plugin, progress, { succeeded: result, state, latencyMs: elapsedSince(startedAt) }),
    onFailure: (failure) =>
      end(command, plugin, progress, {
        failed: failureOf(failure),
        state: "state" in failure ? failure.state : undefined,
        latencyMs: elapsedSince(startedAt),
      }),
  })
}

/** How a command ended that was executed, or that failed on the way. */
type Ending = (
  | { readonly succeeded: Json; readonly latencyMs: number }
  | { readonly failed: Failure; readonly latencyMs?: number }
) & {
  /** The plugin's environment afterwards. */
  readonly state?: Json | undefined
}

/**
 * Records a command's outcome and, in the same commit, what it changed in the plugin's environment. An outcome that the
 * log cannot keep is recorded as a failure that says so: a dispatch always ends.
 */
const end = (
  command: Command,
  plugin: string,
  progress: Progress,
  ending: Ending,
): Effect.Effect<CommandOutcome, AppendError> =>
  command.task
    .inOrder(
      Effect.gen(function* () {
        const { task, commandId, actuator, args } = command
        const patch = patchOf(task, plugin, ending.state)
        const changed: ReadonlyArray<CoreNewEvent> =
          patch.length === 0 ? [] : [{ type: "EnvironmentChanged", payload: { plugin, patch } }]
        const event = yield* task.record(outcomeEvent(commandId, progress.last, ending), ...changed)
        progress.ended = true
        if (ending.state !== undefined) task.documents.set(plugin, ending.state)
        return "succeeded" in ending
          ? ({ status: "succeeded", commandId, actuator, args, event, result: ending.succeeded } as const)
          : ({ status: "failed", commandId, actuator, args, event, error: ending.failed } as const)
      }),
    )
    .pipe(
      Effect.catchTag("InvalidEvent", ({ message }) =>
        end(command, plugin, progress, { failed: { code: "OutcomeNotRecordable", message: plainText(message) } }),
      ),
    )

const outcomeEvent = (commandId: string, causationId: string, ending: Ending): CoreNewEvent =>
  "succeeded" in ending
    ? {
        type: "CommandSucceeded",
        causationId,
        payload: { commandId, result: ending.succeeded, latencyMs: ending.latencyMs },
      }
    : {
        type: "CommandFailed",
        causationId,
        payload: {
          commandId,
          error: ending.failed,
          ...(ending.latencyMs === undefined ? {} : { latencyMs: ending.latencyMs }),
        },
      }

const patchOf = (task: TaskContext, plugin: string, state: Json | undefined) => {
  const before = task.documents.get(plugin)
  return state === undefined || before === undefined ? [] : JsonPatch.between(before, state)
}

const deny = (command: Command, progress: Progress, rule: string, reason: string) =>
  Effect.map(denied(command, progress, rule, reason), (event): CommandOutcome => {
    const { commandId, actuator, args } = command
    return { status: "denied", commandId, actuator, args, event, rule, reason }
  })

const expire = (command: Command, progress: Progress, rule: string) => {
  const reason = "nobody decided in time"
  return Effect.map(denied(command, progress, rule, reason), (event): CommandOutcome => {
    const { commandId, actuator, args } = command
    return { status: "expired", commandId, actuator, args, event, reason }
  })
}

const denied = ({ task, commandId }: Command, progress: Progress, rule: string, reason: string) =>
  Effect.tap(
    task.record({
      type: "CommandDenied",
      causationId: progress.last,
      payload: { commandId, rule, reason: plainText(reason) },
    }),
    () =>
      Effect.sync(() => {
        progress.ended = true
      }),
  )

/** Says how a command ended that was interrupted, or on whose way something went wrong that is no outcome. */
const endAnyway = (command: Command, progress: Progress, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const why = Cause.isInterruptedOnly(cause) ? "the caller stopped waiting" : Cause.pretty(cause).split("\n")[0]
  const code = Cause.isInterruptedOnly(cause) ? "Interrupted" : "KernelFailed"
  const message = plainText(`${why}; whether it took effect is not known`)
  const recorded: Effect.Effect<unknown, AppendError> = progress.dispatched
    ? command.task.record(outcomeEvent(command.commandId, progress.last, { failed: { code, message } }))
    : denied(command, progress, "interrupted", `${why}; it was not executed`)
  return recorded.pipe(
    Effect.asVoid,
    Effect.catchAllCause((cause) => Effect.logError(`the end of ${command.actuator} was not recorded`, cause)),
  )
}
