/**
 * An environment as agents with sensors and actuators use it: any plugin that has one, a world among them. HAL and PiaSE
 * are adapters over it.
 */

import type { Effect, Stream } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import type { Gotten } from "../../kernel/acting/WorldRewards.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { ResetOptions, Spaces, Status, WorldInfo } from "./World.ts"
import type { WorldError } from "./WorldError.ts"

/** A sensor of an environment, by its own name: `room`, not `text-room/room`. */
export interface SensorDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its readings, if it declares one. */
  readonly reading?: JsonObject
}

/** An actuator of an environment, by its own name: `go`, not `text-room/go`. */
export interface ActuatorDescription {
  readonly name: string
  readonly description: string
  /** JSON Schema of its arguments, if it declares one. */
  readonly args?: JsonObject
}

/** What an environment says of itself. */
export interface EnvironmentInfo extends WorldInfo {
  /** Its spaces; null if it is not a world. */
  readonly spaces: Spaces | null
  readonly sensors: ReadonlyArray<SensorDescription>
  readonly actuators: ReadonlyArray<ActuatorDescription>
}

/** What an agent perceived at a time. */
export interface Perceived {
  /** Epoch milliseconds. */
  readonly at: number
  /** The readings, by the sensor's own name. A sensor that gave none is missing. */
  readonly readings: { readonly [sensor: string]: Json }
  /** The readings before, if there were any: what has changed since then is news. */
  readonly before: { readonly [sensor: string]: Json } | null
}

/** Something that was said to an agent. */
export interface Said {
  readonly sender: string
  readonly content: Json
  /** Epoch milliseconds. */
  readonly at: number
}

/** How a command ended. */
export interface Ended {
  readonly commandId: string
  readonly actuator: string
  /** Epoch milliseconds. */
  readonly at: number
  /** `unknown`: it was dispatched, and its outcome was not recorded. Only `succeeded` and `failed` were certainly carried out. */
  readonly status: "succeeded" | "failed" | "denied" | "expired" | "unknown"
  /** What it answered; null unless it succeeded, and where that could not be recorded. */
  readonly result: Json
  /** Why it did not succeed, for programs: a code of the environment, or the gate's rule. */
  readonly code: string | null
  /** Why it did not succeed, or why what it answered could not be recorded, in words. */
  readonly reason: string | null
}

/** A command, and what the log keeps of it beside its arguments. */
export interface Commanded {
  readonly actuator: string
  readonly args: JsonObject
  /** The agent's choice as it wrote it. It is recorded as a decision, which is the command's cause. Default: none. */
  readonly choice?: JsonObject
}

/**
 * An environment, one task after another: a reset closes the task before it and opens a new one. What begins while it is
 * being reset or closed waits for that; what is under way when it begins fails with `EpisodeReplaced`.
 */
export interface Environment {
  /** The plugin's name. */
  readonly name: string
  readonly info: EnvironmentInfo
  /** Who takes part in the task; before the first reset, who would. */
  readonly agents: () => ReadonlyArray<string>
  /** The id of the current task. */
  readonly taskId: Effect.Effect<string, WorldError>
  /** Begins again, in a new task; the task before it is closed. */
  readonly reset: (options?: ResetOptions) => Effect.Effect<void, WorldError>
  /** Sets the options of later resets that have none of their own. */
  readonly configure: (options: JsonObject) => Effect.Effect<void>
  /**
   * Lets time pass in a world that moves by itself, and answers with what agents got meanwhile, by agent. Fails with `EnvironmentRefused` in any
   * other environment.
   */
  readonly tick: (milliseconds: number) => Effect.Effect<Gotten, WorldError>
  /** Reads every sensor. */
  readonly perceive: (agent: string) => Effect.Effect<Perceived, WorldError>
  /** What the agent perceived last, if nobody has acted since; else null, and it has to perceive again. */
  readonly perceived: (agent: string) => Perceived | null
  /** Takes what was said to the agent and not delivered yet. */
  readonly heard: (agent: string) => Effect.Effect<ReadonlyArray<Said>, WorldError>
  /** Carries out a command. It goes on if its caller is interrupted; `lastEnded` then tells how it ended. */
  readonly act: (agent: string, command: Commanded) => Effect.Effect<Ended, WorldError>
  /** Takes the steps of several agents as one round of a world. It goes on if its caller is interrupted. Answers in their order. */
  readonly together: (actions: {
    readonly [agent: string]: Json
  }) => Effect.Effect<ReadonlyArray<readonly [agent: string, ended: Ended]>, WorldError>
  /** How the agent's last command ended; null before the first. */
  readonly lastEnded: (agent: string) => Ended | null
  /** The whole state as one document. */
  readonly state: Effect.Effect<JsonObject, WorldError>
  /** Whether an agent's episode goes on, and how it ended. */
  readonly status: (agent: string) => Effect.Effect<Status, WorldError>
  /** What a world's document says of the agent, such as its status and its return; null in other environments. */
  readonly own: (agent: string) => Effect.Effect<JsonObject | null, WorldError>
  /**
   * The events of the current task from now on, of these types, as far as they are about the agent: those that name it, the
   * ends of its commands, and those that are about nobody in particular. The stream ends with the task.
   */
  readonly events: (
    agent: string,
    types: ReadonlyArray<string>,
  ) => Effect.Effect<Stream.Stream<Event, WorldError>, WorldError>
  /** Ends the task. Closing an environment that has none does nothing. */
  readonly close: Effect.Effect<void, WorldError>
}
