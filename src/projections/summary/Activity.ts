/** The activity of an open task, and the state of any task, in words: the same in lists, pages, reports and Studio. */

/**
 * The activity of an open task:
 * - `running`: its kernel or its recorder lives;
 * - `waiting`: it runs, and a person has to answer a question;
 * - `paused`: it runs, and was asked to pause;
 * - `stopped`: its kernel or its recorder ended unexpectedly;
 * - `unfinished`: it was imported or recorded so far, and may continue;
 * - `unknown`: this process cannot see whether the task's process lives.
 */
export type Activity = "running" | "waiting" | "paused" | "stopped" | "unfinished" | "unknown"

/** The facts that decide a task's state. */
export interface Standing {
  /** Such as `achieved`; null while it is open. */
  readonly outcome: string | null
  /** Null if it is closed, or if nobody looked. */
  readonly activity: Activity | null
}

const WORDS: { readonly [activity in Activity]: string } = {
  running: "running",
  waiting: "waiting",
  paused: "paused",
  stopped: "stopped",
  unfinished: "unfinished",
  unknown: "open",
}

const SENTENCES: { readonly [activity in Activity]: string } = {
  running: "running",
  waiting: "waiting for a person",
  paused: "paused",
  stopped: "stopped unexpectedly: its process ended without closing the task",
  unfinished: "unfinished: imported or recorded so far, and may still continue",
  unknown: "open: Hindcast cannot tell whether its process is still running",
}

/** The outcome of a closed task, or the activity of an open one, in one word. */
export const stateOf = ({ outcome, activity }: Standing): string => outcome ?? WORDS[activity ?? "unknown"]

/** The same in a few words. */
export const stateInWords = ({ outcome, activity }: Standing): string => outcome ?? SENTENCES[activity ?? "unknown"]

/** Whether new events may come: its process lives, or nobody can tell. */
export const isAtWork = ({ outcome, activity }: Standing): boolean =>
  outcome === null && activity !== "stopped" && activity !== "unfinished"

/** Whether a task ended badly. */
export const isBad = ({ outcome, activity }: Standing): boolean =>
  outcome === null ? activity === "stopped" : outcome !== "achieved" && outcome !== "finished"

/** The states of open tasks, as `stateOf` names them. */
export const OPEN_STATES = ["running", "waiting", "paused", "stopped", "unfinished"] as const
