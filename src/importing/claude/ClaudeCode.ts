/**
 * Claude Code's sessions: JSON Lines in `~/.claude/projects/<directory>/<session>.jsonl`, with sub-agents in files next
 * to them. The format is undocumented; this follows what versions 1.0 to 2.1 write.
 */

import { defined } from "../../values/defined.ts"
import { APPROVALS, DEFINITIONS, INSTRUCTIONS, REQUESTS, SETTINGS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, listOf, parsed, textOf } from "../runs/Untrusted.ts"
import type { FileBeginning, FileHead, Mapper, Source, SourceFile, SourceRecord } from "../Source.ts"
import { Session } from "./Session.ts"

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const isOwn = (line: unknown): boolean =>
  (textOf(line, "sessionId") !== undefined &&
    textOf(line, "type") !== undefined &&
    field(line, "payload") === undefined) ||
  (textOf(line, "type") === "summary" && textOf(line, "leafUuid") !== undefined)

export const claudeCode: Source = {
  name: "claude-code",
  title: "session of Claude Code",
  form: "lines",
  capture: { pairing: "call-id", lacks: [INSTRUCTIONS, DEFINITIONS, SETTINGS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: ({ lines }: FileHead) => lines.some(isOwn),
  beginning: (head) => beginningOf(head),
  open: (file, runs) => mapper(file, runs),
}

/** The session or sub-agent in a file name. */
const namedBy = (name: string): { readonly session?: string; readonly agent?: string } => {
  const named = name.replace(/\.jsonl$/i, "")
  const agent = /^agent-(.+)$/.exec(named)?.[1]
  if (agent !== undefined) return { agent }
  return UUID.test(named) ? { session: named } : {}
}

const agentIn = (value: unknown): string | undefined =>
  field(value, "isSidechain") === true ? textOf(value, "agentId") : undefined

/** The sub-agent that wrote a record of a file of sub-agents. Records of its requests do not say `isSidechain`. */
const ownerIn = (value: unknown): string | undefined =>
  field(value, "isSidechain") === false ? undefined : textOf(value, "agentId")

/** Session, start, first message and agent of a file. */
const beginningOf = ({ name, text, lines }: FileHead): FileBeginning | undefined => {
  const records = [...lines, ...text.split("\n").slice(lines.length).map(parsed)]
  const named = namedBy(name)
  const own = records.filter((value) => {
    const id = textOf(value, "sessionId")
    return id !== undefined && (named.session === undefined || id === named.session)
  })
  const session = named.session ?? textOf(own[0], "sessionId")
  if (session === undefined) return undefined
  const agent = named.agent ?? own.map(agentIn).find((id) => id !== undefined)
  const message = own.find((value) => /^(?:user|assistant)$/.test(textOf(value, "type") ?? ""))
  const first = agent === undefined ? textOf(message, "uuid") : undefined
  const times = own.map((value) => timeOf(field(value, "timestamp")))
  return {
    run: agent === undefined ? session : `${session}.agent-${agent}`,
    at: times.find((time) => time !== null) ?? null,
    rank: promptsOfOneId(own),
    ...defined({ first }),
  }
}

/**
 * Number of prompts that share the first one's id: one in an original, more in a fork, which gives all copied prompts
 * one id. Of two sessions with the same first message, the one with fewer is the original.
 */
const promptsOfOneId = (records: ReadonlyArray<unknown>): number => {
  const prompts = records.filter((value) => textOf(value, "promptId") !== undefined && isPrompt(value))
  const first = textOf(prompts[0], "promptId")
  return prompts.filter((value) => textOf(value, "promptId") === first).length
}

const isPrompt = (value: unknown): boolean => {
  const message = field(value, "message")
  const isResult = listOf(message, "content").some((block) => textOf(block, "type") === "tool_result")
  return textOf(value, "type") === "user" && field(value, "isMeta") !== true && !isResult
}

/**
 * A file holds the session in its name. Records of other sessions were copied on resume or fork and are in those
 * sessions' files. A file with any other name may hold several sessions with their sub-agents.
 */
const mapper = (file: SourceFile, runs: MappedRuns): Mapper => {
  const { session: owner, agent: subagent } = namedBy(file.name)
  const sessions = new Map<string, Session>()
  /** Records before the first one with a session id. */
  const early: Array<unknown> = []
  let last: Session | undefined
  /** Whether the file begins with a sub-agent's records, so that sub-agents become runs of their own. */
  let isOfAgents: boolean | undefined

  const sessionOf = (id: string, agent: string | undefined): Session => {
    const key = `${id} ${agent ?? ""}`
    const known = sessions.get(key)
    if (known !== undefined) return known
    const session = new Session(runs, file, id, agent)
    sessions.set(key, session)
    for (const value of early.splice(0)) session.record(value)
    return session
  }

  return {
    record: ({ value }: SourceRecord) => {
      const id = textOf(value, "sessionId")
      if (id === undefined) {
        if (last === undefined && early.length < MAX_EARLY) early.push(value)
        else last?.record(value)
        return
      }
      if (owner !== undefined && id !== owner && UUID.test(id)) {
        runs.leaveOut(
          "record of another session",
          `it was copied from session ${id.slice(0, 8)}…, which has a file of its own`,
        )
        return
      }
      isOfAgents ??= agentIn(value) !== undefined && subagent === undefined && owner === undefined
      last = sessionOf(id, isOfAgents ? ownerIn(value) : subagent)
      last.record(value)
    },
    end: () => {
      for (const session of sessions.values()) session.end()
      for (const value of early) runs.leaveOut(textOf(value, "type") ?? "record", "no session is named")
    },
  }
}

/** Maximum number of records to hold back until one has a session id. */
const MAX_EARLY = 1_000
