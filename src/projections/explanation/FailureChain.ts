/** Why a task failed, as plain data: one sentence, and a chain of events. */

/**
 * The subject of a link: the task's end, the lost points, the failure, the decision behind it, an event that may be the
 * cause, the agent's readings, the missing readings, and later changes.
 */
export const ROLES = ["end", "cost", "failure", "decision", "suspect", "read", "unread", "changed"] as const

/** The subject of a link. */
export type Role = (typeof ROLES)[number]

/** One event of an explanation. */
export interface Link {
  readonly position: number
  readonly role: Role
  /** The event in words, on one line; texts of agents and tools within it are shortened, and safe to print. */
  readonly says: string
  /** Whether the log says so, or a rule concluded it. */
  readonly basis: "recorded" | "inferred"
  /** The rule, which `LinkRules` explains; only if it is inferred. */
  readonly rule?: string
}

/** Headings of the roles, before a link's words. */
export const NAMES: { readonly [role in Role]: string } = {
  end: "ended",
  cost: "cost points",
  failure: "failed here",
  decision: "decided here",
  suspect: "look at",
  read: "had read",
  unread: "had not read",
  changed: "changed since",
}

/**
 * The state of a task: `failed` (also by a limit, or abandoned), `stopped` unexpectedly, `open`, `finished` without a
 * judgement, or `achieved`.
 */
export type Standing = "failed" | "stopped" | "open" | "finished" | "achieved"

/** The short explanation of a task in a list. */
export interface Brief {
  readonly taskId: string
  readonly timeline: string
  readonly standing: Standing
  readonly sentence: string
  /** Where to look first: the failure, else the likeliest suspect, else the end of a failed task; null without any. */
  readonly moment: number | null
}

/** The whole explanation of how a task ended. */
export interface WhyFailed extends Brief {
  /** By role, from the end back to the readings and their gaps. */
  readonly chain: ReadonlyArray<Link>
  /** The rules of the inferred links, each with its sentence. */
  readonly rules: { readonly [rule: string]: string }
  /** Parts that this explanation could not examine. */
  readonly notes: ReadonlyArray<string>
}
