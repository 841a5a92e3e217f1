/** What exports of traces have in common: the attributes that spans are made of. */

import type { Runs } from "../runs/Runs.ts"
import type { Unread } from "./ContentParts.ts"

/** The attributes that have a value. */
export const given = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null))

/** Counts the content of messages that has no known form. */
export const unreadIn =
  (runs: Runs): Unread =>
  (kind) =>
    runs.leaveOut(`content of the type ${kind}`, "messages are read as text, reasoning, calls and results")
