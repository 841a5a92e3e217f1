/** Records a plugin process's violations of the protocol, and kills the process if it cannot or should not continue. */
import type { Child } from "../sandbox/Child.ts"
import type { EventRecorder } from "./EventRecorder.ts"

/** Maximum number of non-fatal violations; a process with more is killed. A sound runner makes none. */
const MAX_VIOLATIONS = 100

/** Violations of the protocol. */
export type Code =
  /** An answer to a call that had timed out or been cancelled. A sound runner does this if both coincide. */
  | "LateAnswer"
  /** A second answer to a call. */
  | "SecondAnswer"
  /** An answer to a call that was never made. */
  | "UnaskedAnswer"
  /** A request or progress report for a call that was never made. */
  | "UnaskedCall"
  /** A pushed reading of a sensor that the manifest does not declare. */
  | "UndeclaredSensor"
  /** More waiting readings than allowed. Fatal. */
  | "UnawaitedReadings"
  /** More waiting requests for events than allowed. Fatal. */
  | "UnawaitedPages"
  /** `ready` or `failed` after the handshake. */
  | "RepeatedHandshake"
  /** A frame that is not JSON or does not match the schema. Fatal. */
  | "BrokenFrame"
  /** A line longer than a frame may be. Fatal. */
  | "FrameTooLong"

/** Records a violation (`PluginMisbehaved`), and kills the process after a fatal one. */
export type Misbehaved = (code: Code, reason: string) => void

/** The violations of one process. */
export interface Watch {
  readonly misbehaved: Misbehaved
  /** False after a fatal violation: the host then ignores the process's frames. */
  readonly isTrusted: () => boolean
}

const FATAL: ReadonlySet<Code> = new Set<Code>(["BrokenFrame", "FrameTooLong", "UnawaitedReadings", "UnawaitedPages"])

/** The process, and the recorder of its violations. */
export interface WatchInput {
  readonly plugin: string
  readonly instance: string
  readonly child: Child
  readonly recorder: EventRecorder
}

/** Counts and records violations. */
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
    // Bounded by the host's own cancellations, so they do not count.
    if (code === "LateAnswer") return
    violations++
    if (violations > MAX_VIOLATIONS) end(`it misbehaved more than ${MAX_VIOLATIONS} times, the last time: ${reason}`)
  }
  return { misbehaved, isTrusted: () => trusted }
}
