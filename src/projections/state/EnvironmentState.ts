import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { evolveBy } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ChunkedRecord } from "../fold/ChunkedRecord.ts"
import { evolveFrom, type Projection, type StateBuilder } from "../fold/Projection.ts"
import { RecordBuilder } from "../fold/RecordBuilder.ts"
import { ScopeBuilder, TaskScopeBuilder } from "./environment/ScopeBuilder.ts"
import { Scope, TaskScope } from "./environment/Scopes.ts"

export { CommandStatus, OutOfStep, PendingCommand, Scope, TaskScope } from "./environment/Scopes.ts"

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
  SafeRecord.get(state.tasks, taskId) ?? unopened

const unopened: TaskScope = { ...nothing, goal: null, open: false }

/** What an event does to its scope: its task's, or the shared one where it belongs to none. */
const changeScope = evolveBy<ScopeBuilder>({
  SensorRead: (scope, { sensor, reading }) => scope.read(sensor, reading),
  EnvironmentReset: (scope, { plugin, state }) => scope.reset(plugin, state),
  EnvironmentChanged: (scope, { plugin, patch }, { position }) => scope.patch(plugin, patch, position),
  ActuatorCommanded: (scope, { commandId, actuator, args }) => scope.command(commandId, actuator, args),
  CommandAllowed: (scope, { commandId }) => scope.proceed(commandId, "allowed"),
  ConfirmationRequested: (scope, { commandId }) =>
    commandId === undefined ? scope : scope.proceed(commandId, "confirming"),
  CommandDispatched: (scope, { commandId }) => scope.proceed(commandId, "dispatched"),
  CommandDenied: (scope, { commandId }) => scope.end(commandId),
  CommandSucceeded: (scope, { commandId }) => scope.end(commandId),
  CommandFailed: (scope, { commandId }) => scope.end(commandId),
  CommandOutcomeUnknown: (scope, { commandId }) => scope.end(commandId),
  TaskOpened: (scope, { goal }) => (scope instanceof TaskScopeBuilder ? scope.open(goal) : scope),
  TaskClosed: (scope, { outcome }) => (scope instanceof TaskScopeBuilder ? scope.close(outcome) : scope),
})

/** Scopes of tasks that are changed at the same time; with more, all are put in their places first. */
const MAX_SCOPES = 1_000

/** The state while events change it: the scopes of a few tasks, which events change, and all tasks' as they were before. */
class EnvironmentDraft implements StateBuilder<EnvironmentState> {
  readonly #shared: ScopeBuilder
  readonly #tasks: RecordBuilder<TaskScope>
  readonly #scopes = new Map<string, TaskScopeBuilder>()
  #state: EnvironmentState

  constructor(from: EnvironmentState, own: boolean) {
    this.#state = from
    this.#shared = new ScopeBuilder(from.shared)
    this.#tasks = new RecordBuilder(from.tasks, own)
  }

  take(event: Event): void {
    if (event.taskId === null) changeScope(this.#shared, event)
    else this.#takeInTask(event.taskId, event)
  }

  state(): EnvironmentState {
    this.#settle()
    const shared = this.#shared.seal()
    const tasks = this.#tasks.record()
    if (shared !== this.#state.shared || tasks !== this.#state.tasks) this.#state = { shared, tasks }
    return this.#state
  }

  paged(): { readonly shared: Scope; readonly tasks: EnvironmentState["tasks"] | ChunkedRecord } {
    this.#settle()
    return { shared: this.#shared.seal(), tasks: this.#tasks.paged() }
  }

  /** The part of the state that an event can change: the shared scope, and its task's where there is such a task. */
  around({ taskId }: Event): EnvironmentState {
    const scope = taskId === null ? undefined : (this.#scopes.get(taskId)?.seal() ?? this.#tasks.get(taskId))
    return { shared: this.#shared.seal(), tasks: taskId === null || scope === undefined ? {} : { [taskId]: scope } }
  }

  #takeInTask(taskId: string, event: Event): void {
    const known = this.#scopes.get(taskId)
    if (known !== undefined) {
      changeScope(known, event)
      return
    }
    if (this.#scopes.size >= MAX_SCOPES) this.#settle()
    const before = this.#tasks.get(taskId)
    const scope = new TaskScopeBuilder(before ?? unopened)
    changeScope(scope, event)
    const after = scope.seal()
    // A task that is new takes its place at once: tasks are in the order in which events first changed them.
    if (before === undefined && after !== unopened) this.#tasks.set(taskId, after)
    if (before !== undefined || after !== unopened) this.#scopes.set(taskId, scope)
  }

  /** Puts the scopes that were changed where they belong. */
  #settle(): void {
    for (const [taskId, scope] of this.#scopes) this.#tasks.set(taskId, scope.seal())
    this.#scopes.clear()
  }
}

const draft = (from: EnvironmentState, own: boolean): StateBuilder<EnvironmentState> => new EnvironmentDraft(from, own)

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
  evolve: evolveFrom(draft),
  draft,
}

/**
 * The same fold from a state on, with a witness: at each event that changes something, `visit` is shown what it changed.
 * It sees the state before and after cut down to what an event can change, the shared scope and its own task's: an event
 * then costs the same however many tasks there are. At every path, the two differ exactly where the whole states do.
 */
export const visiting = (
  from: EnvironmentState,
  visit: (before: EnvironmentState, after: EnvironmentState, event: Event) => void,
): StateBuilder<EnvironmentState> => {
  const draft = new EnvironmentDraft(from, false)
  return {
    take: (event) => {
      const before = draft.around(event)
      draft.take(event)
      const after = draft.around(event)
      if (after.shared !== before.shared || taskOf(after, event) !== taskOf(before, event)) visit(before, after, event)
    },
    state: () => draft.state(),
  }
}

/** The same fold for one task alone: its scope, from its own events. */
export const ofTask = (): StateBuilder<TaskScope> => {
  const scope = new TaskScopeBuilder(unopened)
  return { take: (event) => void changeScope(scope, event), state: () => scope.seal() }
}

const taskOf = ({ tasks }: EnvironmentState, { taskId }: Event) =>
  taskId === null ? undefined : SafeRecord.get(tasks, taskId)
