/** Shared by trace exports: span attributes and their remarks. */

import type { MappedRuns } from "../runs/Runs.ts"
import type { Unread } from "./ContentParts.ts"

/** Drops attributes without a value. */
export const given = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))

/** Counts message content of unknown types. */
export const unreadIn =
  (runs: MappedRuns): Unread =>
  (kind) =>
    runs.leaveOut(`content of the type ${kind}`, "messages are read as text, reasoning, calls and results")
