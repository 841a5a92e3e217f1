/** Builds the start of a session's run from its first records and its origin. */

import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import type { RunStart } from "../runs/RunEvent.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, textOf } from "../runs/Untrusted.ts"

export interface SessionOrigin {
  readonly id: string
  /** Set for a sub-agent's session. */
  readonly subagent: string | undefined
  /** Id of its first message, shared by copies. */
  readonly first: string | undefined
  /** Task of the session it was copied from. */
  readonly parent: string | undefined
}

export const startOf = (origin: SessionOrigin, goal: string, early: ReadonlyArray<unknown>): RunStart => {
  const { id, subagent, first, parent } = origin
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

const parentOf = ({ id, subagent, parent }: SessionOrigin): JsonObject =>
  subagent === undefined ? defined({ parent }) : { parent: `claude-code-${id}`, subagent }
