/** How a session begins, by its first records and by what is known of its origin. */

import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, textOf } from "../runs/Untrusted.ts"

/** What is known of a session. */
export interface SessionOrigin {
  readonly id: string
  /** The agent that it is of, where another session started that. */
  readonly subagent: string | undefined
  /** The id of its first message, which copies of it begin with too. */
  readonly first: string | undefined
  /** The task of the session that it was copied from. */
  readonly parent: string | undefined
}

/** The beginning of a session's run. */
export const startOf = (origin: SessionOrigin, goal: string, early: ReadonlyArray<unknown>): RunStart => {
  const { id, subagent, first, parent } = origin
  // The first records of a session may be of types that have none of these.
  const said = (name: string) => early.map((value) => textOf(value, name)).find((text) => text !== undefined)
  const about = Object.fromEntries(
    ["cwd", "gitBranch", "version"].flatMap((name) => {
      const text = said(name)
      return text === undefined ? [] : [[name, text]]
    }),
  )
  const times = early.map((value) => timeOf(field(value, "timestamp")))
  const isOwn = subagent === undefined && first !== undefined
  return {
    id: subagent === undefined ? id : `${id}.agent-${subagent}`,
    goal: goal === "" ? `session ${id}` : goal,
    agent: `claude-code@${said("version") ?? "unknown"}`,
    at: times.find((time) => time !== null) ?? null,
    about: { session: id, ...about, ...parentOf(origin) },
    ...defined({ begins: isOwn ? { with: first, isCopied: parent !== undefined } : undefined }),
  }
}

/** Where a session comes from: the one that started its agent, or from which it was copied. */
const parentOf = ({ id, subagent, parent }: SessionOrigin): JsonObject =>
  subagent === undefined ? defined({ parent }) : { parent: `claude-code-${id}`, subagent }
