/**
 * Records violations of the protocol by a plugin process, and kills the process if it cannot or should not continue.
 */
import type { Child } from "../sandbox/Child.ts"
import type { EventRecorder } from "./EventRecorder.ts"

/**
 * Number of non-fatal violations that are tolerated. A sound runner sends none, so a process with more of them is
 * killed.
 */
const MAX_VIOLATIONS = 100

/** The kinds of protocol violations. */
export type Code =
  /**
   * It answered a call that had timed out or been cancelled. A sound runner does so if both happen at the same time.
   */
  | "LateAnswer"
  /** It answered a call twice. */
  | "SecondAnswer"
  /** It answered a call that was never made. */
  | "UnaskedAnswer"
  /** It made a request or reported progress for a call that was never made. */
  | "UnaskedCall"
  /** It pushed a reading of a sensor that its manifest does not declare. */
  | "UndeclaredSensor"
  /** It pushed more readings than may wait. It is killed. */
  | "UnawaitedReadings"
  /** It requested more chunks of a task's events than may wait. It is killed. */
  | "UnawaitedPages"
  /** It sent `ready` or `failed` again after the handshake. */
  | "RepeatedHandshake"
  /** It sent a frame that is not JSON or does not match the schema. It is killed. */
  | "BrokenFrame"
  /** It wrote more bytes than a frame may have without ending the line. It is killed. */
  | "FrameTooLong"

/** Records a violation (`PluginMisbehaved`). If the violation is fatal, kills the process. */
export type Misbehaved = (code: Code, reason: string) => void

/** The violation counter of one process. */
export interface Watch {
  readonly misbehaved: Misbehaved
  /** Whether frames of the process are still handled. After a fatal violation they are ignored. */
  readonly isTrusted: () => boolean
}

const FATAL: ReadonlySet<Code> = new Set<Code>(["BrokenFrame", "FrameTooLong", "UnawaitedReadings", "UnawaitedPages"])

/** The process that is watched, and the recorder of its violations. */
export interface WatchInput {
  readonly plugin: string
  readonly instance: string
  readonly child: Child
  readonly recorder: EventRecorder
}

/** Counts and records the violations of one process. */
export const watch = ({ plugin, instance, child, recorder }: WatchInput): Watch => {
  let violations = 0
  let trusted = true
  const end = (reason: string) => {
    trusted = false
    child.kill(reason)
  }
  const misbehaved: Misbehaved = (code, reason) => {
    if (!trusted) return
    recorder.write({ type: "PluginMisbehaved", payload: { plugin, instance, pid: child.pid, code, reason } })
    if (FATAL.has(code)) return end(reason)
    // The host's own cancellations bound the number of late answers, so the plugin cannot accumulate them.
    if (code === "LateAnswer") return
    violations++
    if (violations > MAX_VIOLATIONS) end(`it misbehaved more than ${MAX_VIOLATIONS} times, the last time: ${reason}`)
  }
  return { misbehaved, isTrusted: () => trusted }
}
