/** An open task as agents and programs use it: perceive, act, say, consult, decide and close. */

import type { Effect } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { TaskOutcome } from "../../events/vocabulary/Tasks.ts"
import type { CoreName, PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type * as Options from "../../values/Options.ts"
import type { ActError, CommandOutcome } from "../acting/CommandExecution.ts"
import type { AgentCommand } from "../acting/round/Round.ts"
import type { Gotten } from "../acting/WorldRewards.ts"
import type * as TaskLifecycle from "../context/TaskLifecycle.ts"
import type { PerceiveError, PerceiveOptions } from "../sensing/Perception.ts"
import type { Reading } from "../sensing/SensorReading.ts"
import type * as Capabilities from "./Capabilities.ts"
import type { EnvironmentRefused } from "./Environments.ts"
import type * as Inputs from "./Inputs.ts"
import type * as ModelCalls from "./ModelCalls.ts"
import type { ActOptions, SayOptions } from "./OpenOptions.ts"

export { OpenOptions, openFields } from "./OpenOptions.ts"

/** An open task. */
export interface Task {
  readonly id: string
  readonly goal: string
  readonly seed: number
  /**
   * How long an agent had worked on the task in earlier processes, in milliseconds, as far as they recorded it
   * (`AskOptions.workedMs`). 0 in a task that was not resumed, in a fork, and while an agent is led over what is recorded.
   */
  readonly worked: (agentId?: string) => number
  /** Reads every active sensor, by priority. With a deadline, only sensors whose turn comes before it. */
  readonly perceive: (
    options?: PerceiveOptions,
  ) => Effect.Effect<ReadonlyArray<Reading>, TaskLifecycle.TaskClosed | PerceiveError>
  /**
   * The sensors and actuators that the task has now, as the manifests of its plugins describe them, and what a scenario
   * gives the agent: in a task with several, the one that is named.
   */
  readonly capabilities: (agentId?: string) => Effect.Effect<Capabilities.Capabilities, LogError>
  /** The document of a plugin's environment, as it is now; undefined if it has none. */
  readonly document: (plugin: string) => Effect.Effect<Json | undefined>
  /** Takes a command through the gate to its actuator. Returns how it ended. */
  readonly act: (
    actuator: string,
    args?: JsonObject,
    options?: ActOptions,
  ) => Effect.Effect<CommandOutcome, Options.InvalidOptions | TaskLifecycle.TaskClosed | ActError>
  /**
   * Takes the steps of several agents in one world through the gate, and those that pass to the world together, as one
   * round. Returns how each ended, in the order of the commands. All commands must name the same actuator, which must be
   * a world's `step`.
   */
  readonly together: (
    commands: ReadonlyArray<AgentCommand>,
  ) => Effect.Effect<ReadonlyArray<CommandOutcome>, Options.InvalidOptions | TaskLifecycle.TaskClosed | ActError>
  /** Records a message of the agent. */
  readonly say: (
    content: string,
    options?: SayOptions,
  ) => Effect.Effect<Event, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Asks a language model by running `answering`, and records the request and the response. A replay returns the
   * recorded response without a call. Requests that an agent makes outside of `consult` are not recorded, so a replay
   * makes them again.
   */
  readonly consult: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: Effect.Effect<ModelCalls.ModelCallResponse, E>,
    options?: Pick<ModelCalls.AskOptions, "agentId">,
  ) => Effect.Effect<Json, E | ModelCalls.ModelCallFailed | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Asks a language model as `consult` does, and returns the whole response, with the tokens that it used. An answer
   * that fails with `ModelCallFailed`, and one that is cancelled, is recorded too, with what had come of it.
   */
  readonly ask: <E>(
    question: ModelCalls.ModelCallRequest,
    answering: ModelCalls.Answering<E>,
    options?: ModelCalls.AskOptions,
  ) => Effect.Effect<
    ModelCalls.ModelCallResponse,
    E | ModelCalls.ModelCallFailed | TaskLifecycle.TaskClosed | AppendError
  >
  /**
   * Takes what was said to the agent and was not delivered yet (`InputReceived` in the task's stream, from any process),
   * oldest first, and records that it is delivered. A replay answers with the inputs that were delivered at this point.
   */
  readonly inputs: (
    options?: Inputs.InputOptions,
  ) => Effect.Effect<ReadonlyArray<Inputs.Input>, Options.InvalidOptions | TaskLifecycle.TaskClosed | AppendError>
  /**
   * Waits until one of several agents is late, and records that it is. A replay waits until the recorded one was.
   * `afterMs` is how long it has, in milliseconds; `Infinity` if there is no limit. `closing` is called when the time is
   * over. If it returns false, the agent was in time, and nothing is recorded.
   */
  readonly late: (
    agentId: string,
    afterMs: number,
    closing: () => boolean,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /**
   * Completes when one of several agents may make its next request. That is at once, but in a replay: there it is when the
   * agent has the turn, in which the recorded one made that request. Whoever gives agents the turn asks it.
   */
  readonly inTime: (agentId: string) => Effect.Effect<void>
  /**
   * Lets the time of a world that moves by itself pass, and records what came of it. Returns what agents got meanwhile. A
   * replay answers with what is recorded.
   */
  readonly tick: (
    world: string,
    milliseconds: number,
  ) => Effect.Effect<Gotten, TaskLifecycle.TaskClosed | EnvironmentRefused | LeaseLost | AppendError | LogError>
  /**
   * Records that who takes part changes. An agent that joins or leaves midway is told to the worlds, which may refuse it.
   * A replay records nothing.
   */
  readonly member: (
    event: MemberEvent,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | EnvironmentRefused | LeaseLost | AppendError | LogError>
  /** Records something about the agent itself, under its name. A replay records nothing. */
  readonly record: (agent: string, event: AgentEvent) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /**
   * The task's events after a position, oldest first, as far as they are recorded. A replay answers with those that were
   * recorded before what is asked next.
   */
  readonly events: (after: number) => Effect.Effect<ReadonlyArray<Event>, LogError>
  /** Records, in one commit, what a scenario does in the task, under the name `scenario`. A replay records nothing. */
  readonly conduct: (
    event: ScenarioEvent,
    ...consequences: ReadonlyArray<ScenarioEvent>
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | AppendError>
  /** Records a decision. Returns its event, which is the cause of what follows from it. */
  readonly decided: (decision: Decision) => Effect.Effect<Event, TaskLifecycle.TaskClosed | AppendError>
  /**
   * Records a decision as `decided` does, but with the task's next event, before it and in the same commit: for an agent
   * that goes on at once, and whose decision means nothing without what follows. Returns the id of its event.
   */
  readonly deciding: (decision: Decision) => Effect.Effect<string, TaskLifecycle.TaskClosed | AppendError>
  /** Closes the task: stops the plugin processes that serve it alone, and scores it by its plugins' measures. */
  readonly close: (
    outcome: TaskOutcome,
    reason?: string,
  ) => Effect.Effect<void, TaskLifecycle.TaskClosed | LeaseLost | AppendError | LogError>
}

/** An event of one of these types, as it is appended. */
type EventOf<Types extends CoreName> = {
  readonly [Type in Types]: {
    readonly type: Type
    readonly payload: PayloadOf<Type>
  }
}[Types]

/** An event about an agent itself, or what one agent heard of another. */
export type AgentEvent = EventOf<
  "GuideApplied" | "MemoryCompacted" | "BudgetExceeded" | "AgentStateChanged" | "InputReceived"
>

/** An event about who takes part in a task with several agents. */
export type MemberEvent = EventOf<"AgentJoined" | "AgentLeft" | "AgentSuspended" | "AgentContinued">

/** What a scenario does in a task. */
export type ScenarioEvent = EventOf<
  "ScenarioStarted" | "TriggerFired" | "MilestoneReached" | "ScenarioEnded" | "InputReceived" | "AgentLeft"
>

/** An agent's choice, and the events that it is based on. */
export interface Decision {
  readonly agent: string
  readonly choice: JsonObject
  /** The events that it was based on. The newest is its cause. */
  readonly basedOn: ReadonlyArray<Event>
  readonly rationale?: string
  /** The agent's name in a task with several. */
  readonly agentId?: string
}
