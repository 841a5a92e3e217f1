/** An open task as agents and programs use it: perceive, act, say, consult, decide and close. */

import type { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskBudget, TaskOutcome, UseBelow } from "../../events/vocabulary/Tasks.ts"
import type { CoreName, PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type * as Options from "../../values/Options.ts"
import type { ActError, CommandOutcome } from "../acting/CommandExecution.ts"
import type { AgentCommand } from "../acting/round/Round.ts"
import type { Gotten } from "../acting/WorldRewards.ts"
import type * as TaskLifecycle from "../context/TaskLifecycle.ts"
import type { BelowOptions } from "../context/TasksBelow.ts"
import type { PerceiveError, PerceiveOptions } from "../sensing/Perception.ts"
import type { ReadingsAhead } from "../sensing/PerceptionAhead.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import type * as Capabilities from "./Capabilities.ts"
import type { LostCall } from "./calls/ModelCall.ts"
import type { EnvironmentRefused } from "./Environments.ts"
import type * as Inputs from "./Inputs.ts"
import type * as ModelCalls from "./ModelCalls.ts"
import type { ActOptions, SayOptions } from "./OpenOptions.ts"
import type * as Generation from "./providers/Generation.ts"

export { OpenOptions, openFields } from "./OpenOptions.ts"

/** An open task. */
export interface Task {
  readonly id: string
  readonly goal: string
  readonly seed: number
  /** Limits of the task and its children together, as its opening recorded them; undefined without limits. */
  readonly budget?: TaskBudget | undefined
  /**
   * An agent's working time in earlier processes, in milliseconds, as far as recorded (`AskOptions.workedMs`). 0 in a
   * fork, in a task that was not resumed, and during a replay.
   */
  readonly worked: (agentId?: string) => number
  /**
   * An agent's requests to models that the end of earlier kernels cut off, oldest first: it asks again, but has to pay for
   * them. A replay returns those from before this point.
   */
  readonly lost: (agentId?: string) => ReadonlyArray<LostCall>
  /** Reads every active sensor, by priority. With a deadline, only sensors whose turn comes before it. */
  readonly perceive: (
    options?: PerceiveOptions,
  ) => Effect.Effect<ReadonlyArray<Reading>, TaskLifecycle.TaskClosed | PerceiveError>
  /**
   * Reads every active sensor for agents that perceive next in a round, and records the readings in one commit, in the
   * agents' order. Returns them by agent; an agent without an entry perceives by itself. Undefined if the task cannot.
   * If the agents may be late, only a replay answers, of a task whose agents had no limit.
   */
  readonly perceiveAhead?:
    | ((
        agentIds: ReadonlyArray<string>,
        mayBeLate: boolean,
      ) => Effect.Effect<ReadingsAhead, TaskLifecycle.TaskClosed | LeaseLost | AppendError | LogError>)
    | undefined
  /** The task's current sensors and actuators, and the agent's setup in a scenario (`agentId`: of one of several). */
  readonly capabilities: (agentId?: string) => Effect.Effect<Capabilities.Capabilities, LogError>
  /** The current document of a plugin's environment; undefined if it has none. */
  readonly document: (plugin: string) => Effect.Effect<Json | undefined>
  /** Takes a command through the gate to its actuator. Returns its outcome. */
  readonly act: (
    actuator: string,
    args?: JsonObject,
    options?: ActOptions,
  ) => Effect.Effect<CommandOutcome, Options.InvalidOptions | TaskLifecycle.TaskClosed | ActError>
  /**
   * Takes the steps of several agents in one world through the gate, and dispatches those that pass as one round.
   * Returns the outcomes in order. All commands name the same actuator, a world's `step`.
   */
  readonly together: (
    commands: ReadonlyArray<AgentCommand>,
  ) => Effect.Effect<ReadonlyArray<CommandOutcome>, Options.InvalidOptions | TaskLifecycle.TaskClosed | ActError>
  /**
   * The use of the tasks that a program started below this one (`parent`), with what they reserve; undefined without
   * any. Records it when it has changed. A replay returns what was recorded by this point.
   */
  readonly below: (
    options?: BelowOptions,
  ) => Effect.Effect<UseBelow | undefined, TaskLifecycle.TaskClosed | AppendError | LogError>
  /** Records a message of the agent. */
  readonly say: (
    content: string,
    options?: SayOptions,
  ) => Effect.Effect<Event, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /** Records a message like `say`, in the commit of the task's next event: for an agent that continues at once. */
  readonly saying: (
    content: string,
    options?: SayOptions,
  ) => Effect.Effect<void, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Asks a language model by running `answering`, and records request and response. A replay returns the recorded
   * response. A replay repeats model calls outside of `consult`, because the log does not have them.
   */
  readonly consult: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: Effect.Effect<ModelCalls.ModelCallResponse, E>,
    options?: Pick<ModelCalls.AskOptions, "agentId">,
  ) => Effect.Effect<Json, E | ModelCalls.ModelCallFailed | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Like `consult`, but returns the whole response with its tokens. A failure or cancellation is recorded too, with the
   * partial answer.
   */
  readonly ask: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: ModelCalls.Answering<E>,
    options?: ModelCalls.AskOptions<E>,
  ) => Effect.Effect<
    ModelCalls.ModelCallResponse,
    E | ModelCalls.ModelCallFailed | TaskLifecycle.TaskClosed | AppendError
  >
  /**
   * Lets a plugin's provider generate an answer. Call it in the `answering` of `ask`, which records the request and the
   * answer: a replay does not call it.
   */
  readonly generate: (
    request: Generation.ProviderRequest,
    options?: Generation.ProviderOptions,
  ) => Effect.Effect<Generation.Generated, ModelCalls.ModelCallFailed | LogError>
  /**
   * Takes the undelivered inputs (`InputReceived` in the task's stream, from any process), oldest first, and records
   * their delivery. A replay returns the inputs delivered at this point.
   */
  readonly inputs: (
    options?: Inputs.InputOptions,
  ) => Effect.Effect<ReadonlyArray<Inputs.Input>, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Waits until one of several agents is late, and records it; a replay waits for the recorded lateness. `afterMs` is
   * its time in milliseconds, `Infinity` for no limit. Then `closing` runs; false means that the agent was in time.
   */
  readonly late: (
    agentId: string,
    afterMs: number,
    closing: () => boolean,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /** Completes when one of several agents may make its next request: at once, or in a replay at its recorded turn. */
  readonly inTime: (agentId: string) => Effect.Effect<void>
  /**
   * Lets a world's time pass, and records the consequences. Returns the agents' observations and rewards; in a replay,
   * the recorded ones.
   */
  readonly tick: (
    world: string,
    milliseconds: number,
  ) => Effect.Effect<Gotten, TaskLifecycle.TaskClosed | EnvironmentRefused | LeaseLost | AppendError | LogError>
  /**
   * Records a change of the members. Worlds receive a join or leave midway, and may refuse it. A replay records
   * nothing.
   */
  readonly member: (
    event: MemberEvent,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | EnvironmentRefused | LeaseLost | AppendError | LogError>
  /** Records an event about the agent, under its name. A replay records nothing. */
  readonly record: (agent: string, event: AgentEvent) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /** The events after a position, oldest first. A replay returns those recorded before the request that is due. */
  readonly events: (after: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** Records a scenario's events in one commit, under the name `scenario`. A replay records nothing. */
  readonly conduct: (
    event: ScenarioEvent,
    ...consequences: ReadonlyArray<ScenarioEvent>
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /**
   * Records the steps that a search tried in clones of a world, under the name `search`. Returns the event's id. A replay
   * records nothing.
   */
  readonly searched: (event: SearchEvent) => Effect.Effect<string, TaskLifecycle.TaskClosed | AppendError>
  /** Records a decision. Returns its event, which causes the following ones. */
  readonly decided: (decision: Decision) => Effect.Effect<Event, TaskLifecycle.TaskClosed | AppendError>
  /**
   * Records a decision in the commit of the task's next event, before it: for an agent that continues at once. Returns
   * the event's id and choice; in a replay, the recorded ones.
   */
  readonly deciding: (decision: Decision) => Effect.Effect<Decided, TaskLifecycle.TaskClosed | AppendError>
  /** Closes the task: stops its own plugin processes, and scores it by its plugins' measures. */
  readonly close: (
    outcome: TaskOutcome,
    reason?: string,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | LeaseLost | AppendError | LogError>
}

/** An event of one of these types, ready to append. */
type EventOf<Types extends CoreName> = {
  readonly [Type in Types]: {
    readonly type: Type
    readonly payload: PayloadOf<Type>
  }
}[Types]

/** An event about an agent itself, or a message that one agent received from another. */
export type AgentEvent = EventOf<
  "GuideApplied" | "MemoryCompacted" | "BudgetExceeded" | "AgentStateChanged" | "InputReceived" | "TaskHandedOff"
>

/** An event about the members of a task with several agents. */
export type MemberEvent = EventOf<"AgentJoined" | "AgentLeft" | "AgentSuspended" | "AgentContinued">

/** An event of a scenario. */
export type ScenarioEvent = EventOf<
  "ScenarioStarted" | "TriggerFired" | "MilestoneReached" | "ScenarioEnded" | "InputReceived" | "AgentLeft"
>

/** An event of a search. `causationId` defaults to the task's opening. */
export type SearchEvent = EventOf<"SearchStarted" | "StepsSearched"> & { readonly causationId?: string }

/** A recorded decision. */
export interface Decided extends Pick<Decision, "choice"> {
  readonly id: string
}

/** An agent's choice, and the events that it is based on. */
export interface Decision {
  readonly agent: string
  readonly choice: JsonObject
  /** The newest is its cause. */
  readonly basedOn: ReadonlyArray<Event>
  readonly rationale?: string
  /** The model's reasoning before its answer, as far as the provider shows it. */
  readonly reasoning?: string
  /** The agent's name in a task with several. */
  readonly agentId?: string
}
