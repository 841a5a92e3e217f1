/** The handle of any plugin's environment, worlds included. HAL and PiaSE are adapters over it. */

import type { Effect, Stream } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Gotten } from "../../kernel/acting/WorldRewards.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ResetOptions, Spaces, Status, WorldClone, WorldInfo } from "./World.ts"
import type { WorldError } from "./WorldError.ts"

/** A sensor under its own name: `room`, not `text-room/room`. */
export interface SensorDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its readings, if declared. */
  readonly reading?: JsonObject
}

/** An actuator under its own name: `go`, not `text-room/go`. */
export interface ActuatorDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments, if declared. */
  readonly args?: JsonObject
}

/** The description of an environment. */
export interface EnvironmentInfo extends WorldInfo {
  /** Null if the environment is not a world. */
  readonly spaces: Spaces | null
  readonly sensors: ReadonlyArray<SensorDescription>
  readonly actuators: ReadonlyArray<ActuatorDescription>
}

/** A perception of an agent. */
export interface Perceived {
  /** Epoch milliseconds. */
  readonly at: number
  /** The readings, by the sensor's own name. A sensor that failed is missing. */
  readonly readings: { readonly [sensor: string]: Json }
  /** The previous readings, to compare with; null at the first perception. */
  readonly before: { readonly [sensor: string]: Json } | null
}

/** A message to an agent. */
export interface Said {
  readonly sender: string
  readonly content: Json
  /** Epoch milliseconds. */
  readonly at: number
}

/** The end of a command. */
export interface Ended {
  readonly commandId: string
  readonly actuator: string
  /** Epoch milliseconds. */
  readonly at: number
  /**
   * `unknown`: the command was dispatched, but its outcome was not recorded. Only `succeeded` and `failed` mean that it
   * was carried out.
   */
  readonly status: "succeeded" | "failed" | "denied" | "expired" | "unknown"
  /** The command's result; null unless it succeeded and its result could be recorded. */
  readonly result: Json
  /** Why it did not succeed: a code of the environment, or the gate's rule. */
  readonly code: string | null
  /** Why it did not succeed, or why its result could not be recorded, in words. */
  readonly reason: string | null
}

/** A command of an agent. */
export interface Commanded {
  readonly actuator: string
  readonly args: JsonObject
  /** The agent's choice in its own form. Recorded as a decision, which becomes the command's cause. Default: none. */
  readonly choice?: JsonObject
}

/**
 * An environment, one task after another: a reset closes the current task and opens a new one. A call that begins
 * during a reset or close waits for it; a call in progress at that time fails with `EpisodeReplaced`.
 */
export interface Environment {
  /** The plugin's name. */
  readonly name: string
  readonly info: EnvironmentInfo
  /** The agents that take part in the task, or in the next task before the first reset. */
  readonly agents: () => ReadonlyArray<string>
  /** The id of the current task. */
  readonly taskId: Effect.Effect<string, WorldError>
  /** Closes the current task and begins again in a new one. */
  readonly reset: (options?: ResetOptions) => Effect.Effect<void, WorldError>
  /** Sets the default options of later resets. */
  readonly configure: (options: JsonObject) => Effect.Effect<void>
  /**
   * Lets time pass in a world that moves by itself. Returns what each agent received. Fails with
   * `EnvironmentRefused` in any other environment.
   */
  readonly tick: (milliseconds: number) => Effect.Effect<Gotten, WorldError>
  /** Reads every sensor. */
  readonly perceive: (agent: string) => Effect.Effect<Perceived, WorldError>
  /** The agent's last perception, or null if an agent has acted since. */
  readonly perceived: (agent: string) => Perceived | null
  /** Takes the messages to the agent that were not delivered yet. */
  readonly heard: (agent: string) => Effect.Effect<ReadonlyArray<Said>, WorldError>
  /**
   * Carries out a command. If the caller is interrupted, the command continues; `lastEnded` then tells how it ended.
   */
  readonly act: (agent: string, command: Commanded) => Effect.Effect<Ended, WorldError>
  /**
   * Steps several agents in one round of a world. If the caller is interrupted, the round continues. Returns the ends
   * in the order of the actions.
   */
  readonly together: (actions: {
    readonly [agent: string]: Json
  }) => Effect.Effect<ReadonlyArray<readonly [agent: string, ended: Ended]>, WorldError>
  /** The end of the agent's last command; null before the first. */
  readonly lastEnded: (agent: string) => Ended | null
  /** The whole state as one document. */
  readonly state: Effect.Effect<JsonObject, WorldError>
  /** The agent's status in its episode. */
  readonly status: (agent: string) => Effect.Effect<Status, WorldError>
  /** The agent's entry in a world's document, such as its status and return; null in other environments. */
  readonly own: (agent: string) => Effect.Effect<JsonObject | null, WorldError>
  /**
   * Later events of the current task, of the given types, that concern the agent: those that name it, the ends of its
   * commands, and those that name no agent. The stream ends with the task.
   */
  readonly events: (
    agent: string,
    types: ReadonlyArray<string>,
  ) => Effect.Effect<Stream.Stream<Event, WorldError>, WorldError>
  /** A clone of the task's world in its state of now. Fails with `CloneRefused` in an environment without steps. */
  readonly clone: Effect.Effect<WorldClone, WorldError>
  /** A clone of the task's world in an earlier state. */
  readonly restored: (state: JsonObject) => Effect.Effect<WorldClone, WorldError>
  /** Ends the task, if there is one. */
  readonly close: Effect.Effect<void, WorldError>
}
