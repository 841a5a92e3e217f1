/**
 * Folds the log into the environment's state: readings, environment documents, pending commands and agents, per task
 * and shared.
 */

import { Schema } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { evolveBy, type Handlers, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import * as SafeRecord from "../../values/SafeRecord.ts"
import type { ChunkedRecord } from "../fold/ChunkedRecord.ts"
import { evolveFrom, type Projection, type StateBuilder } from "../fold/Projection.ts"
import { RecordBuilder } from "../fold/RecordBuilder.ts"
import * as AgentScopes from "./environment/AgentScopes.ts"
import { ScopeBuilder, TaskScopeBuilder } from "./environment/ScopeBuilder.ts"
import { Scope, TaskScope } from "./environment/Scopes.ts"
import * as WorldReturn from "./WorldReturn.ts"

export { AgentScope, AgentStatus } from "./environment/AgentScopes.ts"
export { CommandStatus, OutOfStep, PendingCommand, Scope, TaskScope } from "./environment/Scopes.ts"

/** The environment as the log records it: plain JSON. One event last wrote each leaf. */
export const EnvironmentState = Schema.Struct({
  shared: Scope,
  tasks: Schema.Record({ key: Schema.String, value: TaskScope }),
}).annotations({ identifier: "EnvironmentState" })

export type EnvironmentState = typeof EnvironmentState.Type

const emptyScope: Scope = { readings: {}, environment: {}, pending: {} }
const initial: EnvironmentState = { shared: emptyScope, tasks: {} }

/** The scope of a task; empty if no event of the task has been folded. */
export const taskScope = (state: EnvironmentState, taskId: string): TaskScope =>
  SafeRecord.get(state.tasks, taskId) ?? emptyTaskScope

const emptyTaskScope: TaskScope = { ...emptyScope, goal: null, open: false }

const handlers: Handlers<ScopeBuilder> = {
  SensorRead: (scope, { sensor, reading, agentId }) =>
    agentId === undefined || !(scope instanceof TaskScopeBuilder)
      ? scope.read(sensor, reading)
      : scope.agent(agentId, AgentScopes.read(sensor, reading)),
  EnvironmentReset: (scope, { plugin, state, agents = [] }) => {
    if (scope instanceof TaskScopeBuilder) scope.agents((known) => AgentScopes.begun(known, agents))
    return scope.reset(plugin, state)
  },
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
  AgentJoined: (scope, { agentId, agent }) => ofAgent(scope, agentId, AgentScopes.joined(agent)),
  AgentSuspended: (scope, payload) => ofAgent(scope, payload.agentId, AgentScopes.suspended(payload)),
  AgentContinued: (scope, { agentId }) => ofAgent(scope, agentId, AgentScopes.active),
  AgentLeft: (scope, payload) => ofAgent(scope, payload.agentId, AgentScopes.left(payload)),
  AgentStateChanged: (scope, { agentId = AgentScopes.ONLY_AGENT, state }) =>
    ofAgent(scope, agentId, AgentScopes.inState(state)),
  RewardGiven: (scope, payload, { taskId }) => rewarded(scope, payload, taskId, payload.amount),
  PunishmentGiven: (scope, payload, { taskId }) => rewarded(scope, payload, taskId, 0 - payload.amount),
  TaskOpened: (scope, { goal }) => (scope instanceof TaskScopeBuilder ? scope.open(goal) : scope),
  TaskClosed: (scope, { outcome }) => (scope instanceof TaskScopeBuilder ? scope.close(outcome) : scope),
}

/** The types of events that can change the environment. */
export const TYPES: ReadonlyArray<string> = Object.keys(handlers)

/** Applies an event to its task's scope, or to the shared one if it has no task. */
const changeScope = evolveBy(handlers)

/** Updates an agent of a task. The shared scope has no agents. */
const ofAgent = (
  scope: ScopeBuilder,
  agentId: string,
  change: (agent: AgentScopes.AgentScope) => AgentScopes.AgentScope,
): ScopeBuilder => (scope instanceof TaskScopeBuilder ? scope.agent(agentId, change) : scope)

/** Adds a world's reward to the return of one of several agents. Other scores are not part of the state. */
const rewarded = (
  scope: ScopeBuilder,
  { scoreSetId, agentId }: PayloadOf<"RewardGiven">,
  taskId: string | null,
  reward: number,
): ScopeBuilder =>
  agentId === undefined || taskId === null || scoreSetId !== WorldReturn.scoreSetOf(taskId)
    ? scope
    : ofAgent(scope, agentId, AgentScopes.given(reward))

/** Maximum number of task scopes under construction. At the limit, all are written back. */
const MAX_SCOPES = 1_000

/** The mutable fold: builders for the tasks that events are changing, and the record of all tasks. */
class EnvironmentBuilder implements StateBuilder<EnvironmentState> {
  readonly #shared: ScopeBuilder
  readonly #tasks: RecordBuilder<TaskScope>
  readonly #scopes = new Map<string, TaskScopeBuilder>()
  #state: EnvironmentState

  constructor(from: EnvironmentState, own: boolean) {
    this.#state = from
    this.#shared = new ScopeBuilder(from.shared)
    this.#tasks = new RecordBuilder(from.tasks, own)
  }

  apply(event: Event): void {
    if (event.taskId === null) changeScope(this.#shared, event)
    else this.#applyToTask(event.taskId, event)
  }

  state(): EnvironmentState {
    this.#flushScopes()
    const shared = this.#shared.build()
    const tasks = this.#tasks.record()
    if (shared !== this.#state.shared || tasks !== this.#state.tasks) this.#state = { shared, tasks }
    return this.#state
  }

  chunked(): { readonly shared: Scope; readonly tasks: EnvironmentState["tasks"] | ChunkedRecord } {
    this.#flushScopes()
    return { shared: this.#shared.build(), tasks: this.#tasks.chunked() }
  }

  /** The scopes that an event can change: the shared one, and its task's if it exists. */
  affectedScopes({ taskId }: Event): EnvironmentState {
    const scope = taskId === null ? undefined : (this.#scopes.get(taskId)?.build() ?? this.#tasks.get(taskId))
    return { shared: this.#shared.build(), tasks: taskId === null || scope === undefined ? {} : { [taskId]: scope } }
  }

  #applyToTask(taskId: string, event: Event): void {
    const known = this.#scopes.get(taskId)
    if (known !== undefined) {
      changeScope(known, event)
      return
    }
    if (this.#scopes.size >= MAX_SCOPES) this.#flushScopes()
    const before = this.#tasks.get(taskId)
    const scope = new TaskScopeBuilder(before ?? emptyTaskScope)
    changeScope(scope, event)
    const after = scope.build()
    // Add a new task at once: tasks keep the order in which events first changed them.
    if (before === undefined && after !== emptyTaskScope) this.#tasks.set(taskId, after)
    if (before !== undefined || after !== emptyTaskScope) this.#scopes.set(taskId, scope)
  }

  #flushScopes(): void {
    for (const [taskId, scope] of this.#scopes) this.#tasks.set(taskId, scope.build())
    this.#scopes.clear()
  }
}

const builder = (from: EnvironmentState, own: boolean): StateBuilder<EnvironmentState> =>
  new EnvironmentBuilder(from, own)

/**
 * The fold of the environment.
 *
 * A patch that does not fit its document is not applied, and `outOfStep` names the plugin, the event and the reason.
 * Later patches build on a document that this one is not, so none is applied until the plugin's next
 * `EnvironmentReset`.
 */
export const projection: Projection<EnvironmentState> = {
  name: "EnvironmentState",
  version: 4,
  state: EnvironmentState,
  initial,
  evolve: evolveFrom(builder),
  builder,
  condensed: (state, taskId) => taskScope(state, taskId).outOfStep === undefined,
}

/**
 * The same fold, which calls `visit` at each event that changes the state. `visit` receives the states before and
 * after, limited to the scopes that the event can change (the shared one and its task's), so the cost of an event does
 * not depend on the number of tasks. The two differ at exactly the paths at which the whole states differ.
 */
export const visiting = (
  from: EnvironmentState,
  visit: (before: EnvironmentState, after: EnvironmentState, event: Event) => void,
): StateBuilder<EnvironmentState> => {
  const environment = new EnvironmentBuilder(from, false)
  return {
    apply: (event) => {
      const before = environment.affectedScopes(event)
      environment.apply(event)
      const after = environment.affectedScopes(event)
      if (after.shared !== before.shared || taskOf(after, event) !== taskOf(before, event)) visit(before, after, event)
    },
    state: () => environment.state(),
  }
}

/** The same fold for a single task, from its own events. */
export const ofTask = (): StateBuilder<TaskScope> => {
  const scope = new TaskScopeBuilder(emptyTaskScope)
  return { apply: (event) => void changeScope(scope, event), state: () => scope.build() }
}

const taskOf = ({ tasks }: EnvironmentState, { taskId }: Event) =>
  taskId === null ? undefined : SafeRecord.get(tasks, taskId)
