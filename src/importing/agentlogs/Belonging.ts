/** Decides what a log record belongs to: a coding agent's session, or an evaluation of a trace. Pure. */

import { sha256 } from "../../values/Digest.ts"
import { EVALUATION_EVENT } from "../otlp/Evaluations.ts"
import type { LogRecord } from "../otlp/LogRecord.ts"
import { conversationIn } from "../otlp/Otlp.ts"
import { textOf } from "../runs/Untrusted.ts"
import type { AgentLog } from "./AgentLog.ts"
import * as AgentLogs from "./AgentLogs.ts"

export type Belonging =
  | { readonly kind: "session"; readonly agent: AgentLog; readonly session: string }
  /** At least one of them is known. */
  | { readonly kind: "evaluation"; readonly trace: string | undefined; readonly conversation: string | undefined }
  /** It should tell more than it does. */
  | { readonly kind: "invalid"; readonly why: string }
  | { readonly kind: "unknown"; readonly why: string }

export const belongingOf = (record: LogRecord): Belonging => {
  const agent = AgentLogs.agentOf(record)
  if (agent !== undefined) {
    const session = textOf(record.attributes, agent.session)
    return session === undefined
      ? { kind: "invalid", why: `a log record of ${agent.title} without ${agent.session}` }
      : { kind: "session", agent, session: usableId(session) }
  }
  if (record.name !== EVALUATION_EVENT)
    return { kind: "unknown", why: "log records of no coding agent and no evaluation" }
  const conversation = conversationIn(record.attributes)
  if (record.traceId === undefined && conversation === undefined)
    return { kind: "invalid", why: "an evaluation without a trace or conversation: what it judges is not known" }
  const named = conversation === undefined ? undefined : usableId(conversation)
  return { kind: "evaluation", trace: record.traceId, conversation: named }
}

/** A hostile id, which could fill the memory or end at a NUL in SQLite, becomes its digest. */
export const usableId = (id: string): string =>
  id.length <= MAX_ID && id.isWellFormed() && !id.includes("\0") ? id : sha256(JSON.stringify(id))

const MAX_ID = 1_000
