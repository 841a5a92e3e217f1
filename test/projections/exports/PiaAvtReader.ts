/**
 * What PiaAVT demands of a log, as a check of our own: its loader (`core/logging_system.py`), its logging specification (§3.1, §4)
 * and the two scripts that follow goals and tasks (`Goal_Dynamics_Analysis`, `task_performance_analysis`).
 */

/** A line as PiaAVT reads it. */
export type Line = Readonly<Record<string, unknown>> & { readonly event_data: Readonly<Record<string, unknown>> }

const TEXTS = ["simulation_run_id", "experiment_id", "agent_id", "source_component_id", "log_level", "event_type"]
const LEVELS = ["TRACE", "DEBUG", "INFO", "STATE", "WARN", "ERROR", "CRITICAL"]

/** Python's `%Y-%m-%dT%H:%M:%S.%fZ`, whose years begin at 1. */
const TIME = /^(?!0000)\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{1,6}Z$/

/** Why its loader does not take this line; undefined if it does. Python takes separators for white space. */
export const refusal = (line: string): string | undefined => {
  if (!/^[\x20-\x7e]*$/.test(line)) return "characters beyond ASCII"
  const entry: Line = JSON.parse(line)
  const { timestamp, event_data } = entry
  if (typeof timestamp !== "string" || !TIME.test(timestamp)) return `timestamp: ${String(timestamp)}`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: as Python's str.strip()
  const blank = (of: unknown) => typeof of !== "string" || of.replace(/[\s\x1c-\x1f\x85]/g, "") === ""
  const text = TEXTS.find((name) => blank(entry[name]))
  if (text !== undefined) return `${text}: ${JSON.stringify(entry[text])}`
  if (!LEVELS.includes(String(entry.log_level))) return `log_level: ${String(entry.log_level)}`
  return typeof event_data === "object" && event_data !== null && !Array.isArray(event_data) ? undefined : "event_data"
}

/** A goal, as `Goal_Dynamics_Analysis` and `task_performance_analysis` come to see it. */
export interface Goal {
  readonly description?: unknown
  readonly created?: number
  readonly activated?: number
  readonly ended?: number
  /** By `GOAL_STATE_CHANGED`. */
  readonly outcome?: unknown
  /** By `GOAL_STATUS_CHANGED`; only of goals that were created as a task. */
  readonly status?: unknown
  /** By what was executed with this goal among its parameters. */
  readonly actions: number
}

const ENDS = ["ACHIEVED", "FAILED", "ABANDONED", "INVALIDATED"]

/** The goals that the scripts find in lines whose timestamps are numbers. */
export const goalsOf = (lines: ReadonlyArray<Line>): ReadonlyMap<string, Goal> => {
  const goals = new Map<string, Goal>()
  for (const { timestamp, event_type, event_data: data } of lines) {
    const id = data.goal_id
    if (typeof id !== "string" || typeof timestamp !== "number") continue
    const goal = goals.get(id) ?? { actions: 0 }
    goals.set(id, goal)
    const change = (by: Partial<Goal>) => goals.set(id, { ...goal, ...by })
    if (event_type === "GOAL_CREATED" && String(data.type).includes("TASK")) {
      change({ description: data.description, created: timestamp })
    }
    if (event_type === "GOAL_ACTIVATED") change({ activated: goal.activated ?? timestamp })
    if (event_type === "GOAL_STATE_CHANGED" && ENDS.includes(String(data.new_state))) {
      change({ outcome: data.new_state, ended: timestamp })
    }
    if (event_type === "GOAL_STATUS_CHANGED" && ENDS.includes(String(data.new_state)))
      change({ status: data.new_state })
    if (event_type === "AGENT_ACTION_EXECUTED_IN_ENV") {
      const { parameters } = data.action_details as { parameters: Readonly<Record<string, unknown>> }
      if (parameters.goal_id === id) change({ actions: goal.actions + 1 })
    }
  }
  return goals
}
