/**
 * Files as records of Agent Trace 0.1 (https://agent-trace.dev): one for each task, since a record names one tool, and one
 * for the lines of unknown writers. Pure.
 */

import { sha256 } from "../../values/Digest.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type AttributedFile, type LeftOut, rangesOf, type Share, shares } from "./AttributedFiles.ts"
import type { Writer, WrittenLine } from "./WrittenLines.ts"

export interface RecordsOptions {
  /** The commit whose lines count; undefined for files that no commit is known to contain. */
  readonly commit: string | undefined
  /** RFC 3339. */
  readonly timestamp: string
  /** The last position that counts. */
  readonly position: number
  readonly timeline: string
}

export interface Records {
  readonly records: ReadonlyArray<JsonObject>
  readonly leftOut: ReadonlyArray<LeftOut>
}

export const VERSION = "0.1.0"

/** The schema's limit. */
const MAX_MODEL = 250

export const of = (files: ReadonlyArray<AttributedFile>, options: RecordsOptions): Records => {
  const byTask = new Map<string, { who: Writer | "unknown"; files: Array<JsonObject> }>()
  const leftOut = { calls: new Set<string>(), models: new Set<string>() }
  for (const { path, lines } of files) {
    const ofFile = shares<Writer | "unknown">(lines, (who) =>
      who === "unknown" ? "" : `${who.taskId}\n${modelId(who)}`,
    )
    const conversations = new Map<string, { who: Writer | "unknown"; shares: Array<Share<Writer | "unknown">> }>()
    for (const share of ofFile) {
      const task = share.who === "unknown" ? "" : share.who.taskId
      const group = conversations.get(task) ?? { who: share.who, shares: [] }
      group.shares.push(share)
      conversations.set(task, group)
      if (share.who === "unknown") continue
      for (const { by } of share.lines) if (typeof by !== "string") leftOut.calls.add(by.by)
      if (share.who.model !== undefined && modelId(share.who) === undefined) leftOut.models.add(share.who.model.name)
    }
    for (const [task, group] of conversations) {
      const record = byTask.get(task) ?? { who: group.who, files: [] }
      record.files.push({ path, conversations: group.shares.map(conversation) })
      byTask.set(task, record)
    }
  }
  return {
    records: [...byTask.values()].map((record) => recordOf(record, options)),
    leftOut: [
      {
        what: "calls, prompts and approvals behind the lines (`hindcast files blame` shows them)",
        count: leftOut.calls.size,
      },
      { what: `models with a name of more than ${MAX_MODEL} characters`, count: leftOut.models.size },
    ].filter(({ count }) => count > 0),
  }
}

const recordOf = (
  { who, files }: { readonly who: Writer | "unknown"; readonly files: ReadonlyArray<JsonObject> },
  { commit, timestamp, position, timeline }: RecordsOptions,
): JsonObject => {
  const body = {
    timestamp,
    ...(commit === undefined ? {} : { vcs: { type: "git", revision: commit } }),
    ...(who === "unknown" ? {} : { tool: toolOf(who.agent) }),
    files,
    metadata: { hindcast: { ...(who === "unknown" ? {} : { task: who.taskId }), timeline, position } },
  }
  return { version: VERSION, id: uuidOf(JSON.stringify(body)), ...body }
}

/** `name@version`, as agents are recorded. */
const toolOf = (agent: string): JsonObject => {
  const [, name = agent, version] = /^(.+)@([^@]+)$/.exec(agent) ?? []
  return { name, ...defined({ version }) }
}

const conversation = ({ who, lines }: Share<Writer | "unknown">): JsonObject => {
  let done = 0
  return {
    ...(who === "unknown" ? {} : { url: `hindcast:task/${encodeURIComponent(who.taskId)}` }),
    contributor: who === "unknown" ? { type: "unknown" } : { type: "ai", ...defined({ model_id: modelId(who) }) },
    ranges: rangesOf(lines).map(([first, last]) => {
      const own = lines.slice(done, done + last - first + 1)
      done += own.length
      return { start_line: first, end_line: last, content_hash: hashOf(own) }
    }),
  }
}

/** As models.dev names models: `provider/model`. */
const modelId = ({ model }: Writer): string | undefined => {
  if (model === undefined) return undefined
  const id = model.name.includes("/") ? model.name : `${model.provider}/${model.name}`
  return id.length > MAX_MODEL ? undefined : id
}

/** Covers the lines, each with a line feed. */
const hashOf = (lines: ReadonlyArray<WrittenLine>): string =>
  `sha256:${sha256(lines.map(({ text }) => `${text.toWellFormed()}\n`).join(""))}`

/** Depends only on the content, so that a second export yields the same record. */
const uuidOf = (text: string): string => {
  const hex = sha256(text)
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16)
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    variant + hex.slice(17, 20),
    hex.slice(20, 32),
  ].join("-")
}
