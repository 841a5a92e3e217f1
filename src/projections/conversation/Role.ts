/**
 * The role of an event in a conversation, in one character by its type. Roles are known without payloads, so that a
 * reader can lay out a long conversation before it reads it.
 */

const ROLES: ReadonlyMap<string, string> = new Map([
  ["TaskOpened", "o"],
  ["GuideApplied", "g"],
  ["InputReceived", "i"],
  ["MessageSent", "s"],
  ["ModelCalled", "q"],
  ["ModelResponded", "a"],
  ["ModelFailed", "f"],
  ["ActuatorCommanded", "c"],
  ["CommandSucceeded", "e"],
  ["CommandFailed", "e"],
  ["CommandDenied", "e"],
  ["CommandOutcomeUnknown", "e"],
  ["TaskClosed", "x"],
  ...["MemoryCompacted", "BudgetExceeded", "TimelineForked", "TaskPaused", "TaskContinued", "TaskCancelled"].map(
    (type) => [type, "n"] as const,
  ),
  ...["TaskResumed", "TaskHandedOff", "AgentJoined", "AgentLeft", "AgentSuspended", "AgentContinued", "AgentLate"].map(
    (type) => [type, "n"] as const,
  ),
])

/** An event that is no part of a conversation by itself. */
export const NO_ROLE = "."

/**
 * `o`pening, `g`uide, `i`nput, an agent's me`s`sage, re`q`uest to a model, its `a`nswer or `f`ailure, `c`ommand and its
 * `e`nd, `n`ote, the close (`x`), and `.` for all others.
 */
export const roleOf = (type: string): string => ROLES.get(type) ?? NO_ROLE

/** Whether an event with this role begins an item. An answer without a known request does so, too. */
export const begins = (role: string): boolean => BEGINNINGS.includes(role)

const BEGINNINGS = "ogisqcnx"
