/** Functions that judge a task by a measure. */

import type { Json, JsonObject } from "./Json.ts"
import type { PluginContext } from "./PluginContext.ts"

/** The context of a measure's function. It offers no host requests: the task's events are the function's only data. */
export type JudgeContext = Pick<
  PluginContext,
  "variables" | "metadata" | "log" | "signal" | "random" | "now" | "progress"
>

/** An event of a judged task. */
export interface TaskEvent {
  /** Its position in the log; verdicts cite it. */
  readonly position: number
  readonly id: string
  /** For example `SensorRead`, `ActuatorCommanded`, `EnvironmentChanged` or `TaskClosed`. */
  readonly type: string
  readonly actor: string
  /** The id of the event that caused this one. */
  readonly causationId: string | null
  /** Epoch milliseconds. */
  readonly occurredAt: number
  readonly recordedAt: number
  readonly payload: JsonObject
}

/** A reward or punishment of a measure. */
export interface JudgedReward {
  readonly name: string
  readonly when: string
  readonly weight: number
  /** Default: `task`. */
  readonly per?: "task" | "occurrence" | "step"
}

/** A completed task, for a measure's function. It is a copy: mutating it changes nothing. */
export interface JudgedTask {
  readonly id: string
  readonly goal: string
  /** `name@version` */
  readonly agent: string
  /** `achieved`, `failed`, `abandoned` or `truncated`; null while the task is open. */
  readonly outcome: string | null
  /** The state at the task's end: readings by `plugin/sensor`, environment documents by plugin. */
  readonly state: { readonly readings: JsonObject; readonly environment: JsonObject; readonly [key: string]: Json }
  /** The measure to judge by, from the rubric. */
  readonly measure: {
    readonly name: string
    readonly description: string
    readonly rewards: ReadonlyArray<JudgedReward>
    readonly punishments: ReadonlyArray<JudgedReward>
  }
  /**
   * The task's events in order, up to its end, without those of earlier scorings. Iterating reads them in chunks, so
   * memory does not grow with the task, and each iteration starts at the first event.
   */
  readonly events: AsyncIterable<TaskEvent>
}

/** A verdict on one reward or punishment. One without a verdict did not occur. */
export interface Verdict {
  /** The reward's or punishment's name. */
  readonly name: string
  /** Required if a reward and a punishment of the measure share the name. */
  readonly kind?: "reward" | "punishment"
  /**
   * How often it occurred, an integer. Default: 1. Verdicts on the same reward add up; a reward with `per: "task"`
   * counts at most once.
   */
  readonly occurrences?: number
  /** The evidence: positions of the task's events. At least one, unless `occurrences` is 0. */
  readonly because: ReadonlyArray<number>
  /** The reason, in words. Shredding personal data does not remove it, so it must not contain any. */
  readonly rationale?: string
}

/**
 * Judges a task by a measure, after the task has ended, in a sandbox without permissions. It may run again for the same
 * task, so it must keep no state between calls: the same events must give the same verdicts.
 *
 * ```ts
 * const exploration: Judge = async (context, { events }) => {
 *   const rooms = new Map<string, number>()
 *   for await (const { type, payload, position } of events) {
 *     if (type === "SensorRead" && payload.sensor === "maze/room") rooms.set(String(payload.reading), position)
 *   }
 *   return rooms.size < 5 ? [] : [{ name: "went far", because: [...rooms.values()] }]
 * }
 * ```
 */
export type Judge = (
  context: JudgeContext,
  task: JudgedTask,
) => ReadonlyArray<Verdict> | Promise<ReadonlyArray<Verdict>>
