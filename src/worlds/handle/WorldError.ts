/** The errors of a world. Errors of the kernel pass through unchanged. */

import { Data } from "effect"
import type { AppendError, LogError } from "../../events/log/EventLog.ts"
import type { LeaseLost } from "../../events/log/Lease.ts"
import type { ActError } from "../../kernel/acting/CommandExecution.ts"
import type { ChildRefused } from "../../kernel/context/ChildRefused.ts"
import type { TaskClosed } from "../../kernel/context/TaskLifecycle.ts"
import type { SearchWorldError } from "../../kernel/rollout/SearchWorld.ts"
import type { PerceiveError } from "../../kernel/sensing/Perception.ts"
import type { OpenError } from "../../kernel/tasks/TaskOpening.ts"
import type { CallError } from "../../plugins/PluginError.ts"
import type { InvalidOptions } from "../../values/Options.ts"

export { CloneRefused } from "../../kernel/rollout/SearchWorld.ts"

/** The world refused the action, and its state is unchanged. Choose another action, or reset. */
export class ActionRefused extends Data.TaggedError("ActionRefused")<{
  readonly world: string
  readonly agent: string
  /** `ActionOutsideSpace`, `EpisodeOver`, `NoSuchAgent`, `Denied`, or a code of the world. */
  readonly code: string
  readonly reason: string
}> {
  override get message() {
    return `${this.world} refused the action of ${this.agent} (${this.code}): ${this.reason}`
  }
}

/** There is no episode. Reset the world. */
export class NoEpisode extends Data.TaggedError("NoEpisode")<{ readonly world: string }> {
  override get message() {
    return `${this.world} has no episode. Call reset first.`
  }
}

/**
 * The world was reset or closed during the call. Act on the new episode. The events of the old task tell whether an
 * action was still carried out.
 */
export class EpisodeReplaced extends Data.TaggedError("EpisodeReplaced")<{ readonly world: string }> {
  override get message() {
    return `${this.world} was reset or closed during this call: expected one episode throughout. Observe the new episode, and act on it.`
  }
}

/** No agent of this name takes part. Name another one, or reset with it. */
export class NoSuchAgent extends Data.TaggedError("NoSuchAgent")<{
  readonly world: string
  readonly agent: string
  readonly agents: ReadonlyArray<string>
}> {
  override get message() {
    return `${this.world}: expected one of the agents ${this.agents.join(", ")}, found ${JSON.stringify(this.agent)}.`
  }
}

/** A sensor gave no reading. The event `SensorFailed` in the log says why. */
export class NothingShown extends Data.TaggedError("NothingShown")<{
  readonly world: string
  readonly agent: string
  readonly sensor: string
}> {
  override get message() {
    return `${this.world} has no observation for ${this.agent}: expected a reading of ${this.sensor}, found none. The event SensorFailed has the reason.`
  }
}

/** The plugin's answer is not a valid answer of a world. Fix the plugin. */
export class UnexpectedAnswer extends Data.TaggedError("UnexpectedAnswer")<{
  readonly world: string
  readonly expected: string
  readonly found: string
}> {
  override get message() {
    return `${this.world}: expected ${this.expected}, found ${this.found}.`
  }
}

/** The clone is gone. Clone the world again. */
export class CloneEnded extends Data.TaggedError("CloneEnded")<{ readonly world: string; readonly reason: string }> {
  override get message() {
    return `This clone of ${this.world} has ended: ${this.reason}. Clone the world again.`
  }
}

/** The errors of the kernel and its log. */
export type KernelError = OpenError | PerceiveError | ActError | TaskClosed | LeaseLost | AppendError | LogError

/** Any error of a clone. */
export type CloneError =
  | SearchWorldError
  | CloneEnded
  | ActionRefused
  | NoSuchAgent
  | UnexpectedAnswer
  | InvalidOptions
  | CallError
  | TaskClosed
  | ChildRefused
  | AppendError
  | LogError

/** Any error of a world. */
export type WorldError =
  | CloneError
  | ActionRefused
  | NoEpisode
  | EpisodeReplaced
  | NoSuchAgent
  | NothingShown
  | UnexpectedAnswer
  | KernelError
