/** Files of a commit as a note by the Git AI Standard 3.0.0. Pure. */

import { UNKNOWN } from "../../importing/attributions/GitAi.ts"
import * as GitAiNote from "../../importing/attributions/GitAiNote.ts"
import { sha256 } from "../../values/Digest.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type AttributedFile, isWriter, type LeftOut, rangesOf, shares } from "./AttributedFiles.ts"
import type { Writer } from "./WrittenLines.ts"

export interface Noted {
  /** Undefined if no agent wrote a line. */
  readonly note: string | undefined
  readonly leftOut: ReadonlyArray<LeftOut>
}

export const of = (files: ReadonlyArray<AttributedFile>, commit: string): Noted => {
  const attestations: Array<GitAiNote.Attestation> = []
  const sessions = new Map<string, Array<Writer>>()
  const leftOut = { paths: 0, unknown: 0 }
  for (const { path, lines } of files) {
    leftOut.unknown += lines.filter(({ by }) => by === "unknown").length
    const ofFile = shares<Writer>(lines, (who) => (who === "unknown" ? undefined : keyOf(who)))
    if (ofFile.length === 0) continue
    if (GitAiNote.pathLine(path) === undefined) {
      leftOut.paths += 1
      continue
    }
    for (const { who, lines } of ofFile) {
      attestations.push({ path, key: keyOf(who), ranges: rangesOf(lines) })
      const session = sessionId(who)
      const writers = sessions.get(session) ?? []
      for (const { by } of lines) if (isWriter(by)) writers.push(by)
      sessions.set(session, writers)
    }
  }
  const records = [...sessions].map(([id, writers]) => ({ id, ...recordOf(writers) }))
  return {
    note:
      attestations.length === 0
        ? undefined
        : GitAiNote.write({
            attestations,
            metadata: {
              schema_version: GitAiNote.SCHEMA,
              base_commit_sha: commit,
              prompts: {},
              sessions: Object.fromEntries(records.map(({ id, record }) => [id, record])),
            },
          }),
    leftOut: [
      { what: "files whose path has quotes or control characters", count: leftOut.paths },
      { what: "lines that came from outside of calls, or from calls of several tasks", count: leftOut.unknown },
      { what: "sessions of several models: a session has one", count: records.filter(({ isMixed }) => isMixed).length },
      { what: "providers, calls, prompts and approvals (`hindcast files blame` shows them)", count: sessions.size },
    ].filter(({ count }) => count > 0),
  }
}

/** The session and the call. A call has the same trace in each note. */
const keyOf = (who: Writer): string => `${sessionId(who)}::t_${sha256(who.by).slice(0, 14)}`

const sessionId = (who: Writer): string => {
  const { tool, id } = agentOf(who)
  return `s_${sha256(`${tool}:${id}`).slice(0, 14)}`
}

/** The agent's name for git-ai, and the agent's own session id, so that git-ai gives the session the same id. */
const agentOf = ({ agent, taskId }: Writer) => {
  const name = agent.replace(/@[^@]*$/, "")
  return {
    tool: TOOLS.get(name) ?? name,
    id: taskId.startsWith(`${name}-`) ? taskId.slice(name.length + 1) : taskId,
  }
}

const TOOLS: ReadonlyMap<string, string> = new Map([
  ["claude-code", "claude"],
  ["gemini-cli", "gemini"],
  ["copilot", "github-copilot-cli"],
  ["copilot-cli", "github-copilot-cli"],
])

const recordOf = (writers: ReadonlyArray<Writer>): { readonly record: JsonObject; readonly isMixed: boolean } => {
  const models = new Set(writers.map(({ model }) => model?.name))
  const [model] = models
  const [writer] = writers
  if (writer === undefined) return { record: {}, isMixed: false }
  const { tool, id } = agentOf(writer)
  return {
    record: {
      agent_id: { tool, id, model: models.size === 1 ? (model ?? UNKNOWN) : UNKNOWN },
      custom_attributes: { hindcast_task: writer.taskId },
    },
    isMixed: models.size > 1,
  }
}
