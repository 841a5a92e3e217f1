/** Whether somebody works on a task, and what goes on in it in one word. */
import type { TaskRow } from "./Task.ts"

type State = Pick<TaskRow, "outcome" | "activity">

/** Whether new events may come: its process lives, or nobody can tell. */
export const isAtWork = ({ outcome, activity }: State): boolean =>
  outcome === null && activity !== "stopped" && activity !== "unfinished"

/** The outcome of a closed task, and what goes on in an open one. */
export const stateOf = ({ outcome, activity }: State): string => outcome ?? WORDS[activity ?? "unknown"]

const WORDS: { readonly [activity in NonNullable<TaskRow["activity"]>]: string } = {
  running: "running",
  waiting: "waiting",
  paused: "paused",
  stopped: "stopped",
  unfinished: "unfinished",
  unknown: "open",
}

/** Whether a task ended badly. */
export const isBad = ({ outcome, activity }: State): boolean =>
  outcome === null ? activity === "stopped" : outcome !== "achieved" && outcome !== "finished"
