import { Either, Schema } from "effect"
import type { Event } from "../events/Event.ts"
import { Json } from "../events/Json.ts"
import { evolveBy } from "../events/Vocabulary.ts"
import type { PatchOperation } from "../events/vocabulary/Sensing.ts"
import { TaskOutcome } from "../events/vocabulary/Tasks.ts"
import * as JsonPatch from "./JsonPatch.ts"
import * as Keyed from "./Keyed.ts"
import { type Projection, step } from "./Projection.ts"

/** How far a command has come. It leaves the state when its outcome or its denial is known. */
export const CommandStatus = Schema.Literal("commanded", "allowed", "confirming", "dispatched").annotations({
  identifier: "CommandStatus",
})

/** A command without an outcome. */
export const PendingCommand = Schema.Struct({
  actuator: Schema.String.annotations({ description: "`plugin/component`" }),
  args: Json,
  status: CommandStatus,
}).annotations({ identifier: "PendingCommand" })

export type PendingCommand = typeof PendingCommand.Type

/** Why a plugin's document is not to be relied on. */
export const OutOfStep = Schema.Struct({
  position: Schema.Int.annotations({ description: "The event whose patch did not fit" }),
  path: Schema.String.annotations({ description: "JSON Pointer of the operation that did not fit" }),
  reason: Schema.String,
}).annotations({ identifier: "OutOfStep" })

const scope = {
  readings: Schema.Record({ key: Schema.String, value: Json }).annotations({
    description: "The latest reading of every sensor, by `plugin/sensor`",
  }),
  environment: Schema.Record({ key: Schema.String, value: Json }).annotations({
    description: "The environment's document of every plugin, by its name",
  }),
  pending: Schema.Record({ key: Schema.String, value: PendingCommand }).annotations({
    description: "Commands without an outcome, by their id",
  }),
  outOfStep: Schema.optionalWith(Schema.Record({ key: Schema.String, value: OutOfStep }), { exact: true }).annotations({
    description: "Plugins whose document stopped following its events, by name; absent while all is well",
  }),
}

/** What is known of the world in one scope: a task's, or the one that all tasks share. */
export const Scope = Schema.Struct(scope).annotations({ identifier: "Scope" })

export type Scope = typeof Scope.Type

/** What is known of the world in a task. */
export const TaskScope = Schema.Struct({
  ...scope,
  goal: Schema.NullOr(Schema.String).annotations({
    description: "null where events came in before the task was opened",
  }),
  open: Schema.Boolean,
  outcome: Schema.optionalWith(TaskOutcome, { exact: true }),
}).annotations({ identifier: "TaskScope" })

export type TaskScope = typeof TaskScope.Type

/** The world as the log knows it: plain JSON, every leaf of which one event wrote last. */
export const EnvironmentState = Schema.Struct({
  shared: Scope,
  tasks: Schema.Record({ key: Schema.String, value: TaskScope }),
}).annotations({ identifier: "EnvironmentState" })

export type EnvironmentState = typeof EnvironmentState.Type

const nothing: Scope = { readings: {}, environment: {}, pending: {} }
const initial: EnvironmentState = { shared: nothing, tasks: {} }

/** The task's scope; empty where no event of the task has been seen. */
export const taskScope = (state: EnvironmentState, taskId: string): TaskScope =>
  Keyed.get(state.tasks, taskId) ?? unopened

const unopened: TaskScope = { ...nothing, goal: null, open: false }

const evolve = evolveBy<EnvironmentState>({
  SensorRead: (state, { sensor, reading }, event) =>
    inScope(state, event, (scope) => {
      // A sensor that reads the same again writes nothing: blame stays with the event that brought the value.
      if (JsonPatch.equal(Keyed.get(scope.readings, sensor), reading)) return {}
      return { readings: Keyed.set(scope.readings, sensor, reading) }
    }),
  EnvironmentReset: (state, { plugin, state: document }, event) =>
    inScope(state, event, (scope) => ({
      environment: Keyed.set(scope.environment, plugin, document),
      ...backInStep(scope, plugin),
    })),
  EnvironmentChanged: (state, { plugin, patch }, event) =>
    inScope(state, event, (scope) => changeDocument(scope, plugin, patch, event)),
  ActuatorCommanded: (state, { commandId, actuator, args }, event) =>
    inScope(state, event, ({ pending }) => ({
      pending: Keyed.set(pending, commandId, { actuator, args, status: "commanded" }),
    })),
  CommandAllowed: (state, { commandId }, event) => withStatus(state, event, commandId, "allowed"),
  ConfirmationRequested: (state, { commandId }, event) => withStatus(state, event, commandId, "confirming"),
  CommandDispatched: (state, { commandId }, event) => withStatus(state, event, commandId, "dispatched"),
  CommandDenied: (state, { commandId }, event) => ended(state, event, commandId),
  CommandSucceeded: (state, { commandId }, event) => ended(state, event, commandId),
  CommandFailed: (state, { commandId }, event) => ended(state, event, commandId),
  CommandOutcomeUnknown: (state, { commandId }, event) => ended(state, event, commandId),
  TaskOpened: (state, { goal }, event) => inTask(state, event, () => ({ goal, open: true })),
  // The first outcome stands: a kernel that lost its lease may close what another has closed.
  TaskClosed: (state, { outcome }, event) =>
    inTask(state, event, (scope) => (scope.outcome === undefined ? { open: false, outcome } : {})),
})

/**
 * The environment, folded.
 *
 * A patch that does not fit its document is never half applied and never guessed at: the document stays as it was, and
 * `outOfStep` names the plugin, the event and the reason. Later patches were made for a document that is not this one,
 * so none is applied until the next `EnvironmentReset`, which ends it.
 */
export const projection: Projection<EnvironmentState> = {
  name: "EnvironmentState",
  version: 2,
  state: EnvironmentState,
  initial,
  evolve,
  evolveAll: (state, events) => foldVisiting(state, events, () => {}),
}

/**
 * The state after these events; at each that changes something, `visit` is shown what it changed. It sees the state
 * before and after cut down to what an event can change, the shared scope and its own task's: an event then costs the same
 * however many tasks there are. At every path, the two differ exactly where the whole states do.
 */
export const foldVisiting = (
  state: EnvironmentState,
  events: Iterable<Event>,
  visit: (before: EnvironmentState, after: EnvironmentState, event: Event) => void,
): EnvironmentState => {
  const changed = new Map<string, TaskScope>()
  let shared = state.shared
  for (const event of events) {
    const id = event.taskId
    const task = id === null ? undefined : (changed.get(id) ?? Keyed.get(state.tasks, id))
    const before = { shared, tasks: id === null || task === undefined ? {} : { [id]: task } }
    const after = step(projection, before, event)
    if (after === before) continue
    shared = after.shared
    if (id !== null) changed.set(id, taskScope(after, id))
    visit(before, after, event)
  }
  if (shared === state.shared && changed.size === 0) return state
  return { shared, tasks: Keyed.setAll(state.tasks, changed) }
}

/** Changes the scope of the event: its task's, or the shared one where it belongs to none. */
const inScope = (state: EnvironmentState, event: Event, change: (scope: Scope) => Partial<Scope>): EnvironmentState => {
  if (event.taskId !== null) return inTask(state, event, change)
  const shared = merge(state.shared, change(state.shared))
  return shared === state.shared ? state : { ...state, shared }
}

const inTask = (
  state: EnvironmentState,
  event: Event,
  change: (scope: TaskScope) => Partial<TaskScope>,
): EnvironmentState => {
  if (event.taskId === null) return state
  const before = taskScope(state, event.taskId)
  const after = merge(before, change(before))
  return after === before ? state : { ...state, tasks: Keyed.set(state.tasks, event.taskId, after) }
}

/** The scope with these changes; the very same scope where they change nothing. */
const merge = <Of extends Scope>(scope: Of, changes: Partial<Of>): Of => {
  for (const key in changes) if (changes[key] !== scope[key]) return withoutEmpty({ ...scope, ...changes })
  return scope
}

/** `outOfStep` is there only while it names something. */
const withoutEmpty = <Of extends Scope>(scope: Of): Of => {
  if (scope.outOfStep === undefined || Object.keys(scope.outOfStep).length > 0) return scope
  const { outOfStep: _empty, ...others } = scope
  // What was taken out is optional in every scope.
  return others as Of
}

const withStatus = (state: EnvironmentState, event: Event, commandId: string, status: PendingCommand["status"]) =>
  inScope(state, event, ({ pending }) => ({
    pending: Keyed.change(pending, commandId, (command) => ({ ...command, status })),
  }))

const ended = (state: EnvironmentState, event: Event, commandId: string) =>
  inScope(state, event, ({ pending }) => ({ pending: Keyed.remove(pending, commandId) }))

const changeDocument = (
  scope: Scope,
  plugin: string,
  patch: ReadonlyArray<PatchOperation>,
  event: Event,
): Partial<Scope> => {
  const outOfStep = scope.outOfStep ?? {}
  if (Keyed.get(outOfStep, plugin) !== undefined) return {}
  const patched = JsonPatch.apply(Keyed.get(scope.environment, plugin), patch)
  if (Either.isLeft(patched)) {
    const { path, reason } = patched.left
    return { outOfStep: Keyed.set(outOfStep, plugin, { position: event.position, path, reason }) }
  }
  const document = patched.right
  return {
    environment:
      document === undefined ? Keyed.remove(scope.environment, plugin) : Keyed.set(scope.environment, plugin, document),
  }
}

const backInStep = (scope: Scope, plugin: string): Partial<Scope> =>
  scope.outOfStep === undefined ? {} : { outOfStep: Keyed.remove(scope.outOfStep, plugin) }
