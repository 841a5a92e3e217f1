import type { Child } from "../sandbox/Child.ts"
import type { EventRecorder } from "./EventRecorder.ts"

/** Frames that no runner would send; beyond, somebody else writes them, and the process is killed. */
const TOLERATED = 100

/** What a process did that no sound one does. */
export type Code =
  /** It answered a call that had timed out or was cancelled. Sound ones do when both happen at once. */
  | "LateAnswer"
  /** It answered a call again. */
  | "SecondAnswer"
  /** It answered a call that nobody made. */
  | "UnaskedAnswer"
  /** It asked for something, or told its progress, on behalf of a call that nobody made. */
  | "UnaskedCall"
  /** It pushed a reading of a sensor that its manifest does not declare. */
  | "UndeclaredSensor"
  /** It pushed more readings than may wait; it is killed. */
  | "UnawaitedReadings"
  /** It asked for more pages of a task's events than may wait; it is killed. */
  | "UnawaitedPages"
  /** It said again that it is ready, or that it did not load. */
  | "RepeatedHandshake"
  /** It sent a frame that is no JSON or not of its shape; it is killed. */
  | "BrokenFrame"
  /** It wrote more than a frame may hold without ending the line; it is killed. */
  | "FrameTooLong"

/** Records a misbehaviour (`PluginMisbehaved`) and, where it cannot go on, kills the process for it. */
export type Misbehaved = (code: Code, reason: string) => void

/** Watches over one process. */
export interface Watch {
  readonly misbehaved: Misbehaved
  /** Whether its frames still count: those that came together with what it is killed for do not. */
  readonly isTrusted: () => boolean
}

const FATAL: ReadonlySet<Code> = new Set<Code>(["BrokenFrame", "FrameTooLong", "UnawaitedReadings", "UnawaitedPages"])

/** For whom misbehaviour is recorded. */
export interface Watched {
  readonly plugin: string
  readonly instance: string
  readonly child: Child
  readonly journal: EventRecorder
}

export const watch = ({ plugin, instance, child, journal }: Watched): Watch => {
  let tolerated = 0
  let trusted = true
  const end = (reason: string) => {
    trusted = false
    child.kill(reason)
  }
  const misbehaved: Misbehaved = (code, reason) => {
    if (!trusted) return
    journal.write({ type: "PluginMisbehaved", payload: { plugin, instance, pid: child.pid, code, reason } })
    if (FATAL.has(code)) return end(reason)
    // These are not more than the host cancels calls: they do not pile up by the plugin's doing.
    if (code === "LateAnswer") return
    tolerated++
    if (tolerated > TOLERATED) end(`it misbehaved more than ${TOLERATED} times, the last time: ${reason}`)
  }
  return { misbehaved, isTrusted: () => trusted }
}
