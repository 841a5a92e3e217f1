/**
 * Records of Agent Trace 0.1 (https://agent-trace.dev): which ranges of which files a person or a model wrote. Stored as
 * JSON Lines, as one record, or as a list of records.
 */

import { digest } from "../../values/Digest.ts"
import { contentIdOf } from "../runs/RecordKeys.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { field, isObject, listOf, logJson, nameFrom, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source } from "../Source.ts"
import * as Attribution from "./Attribution.ts"
import * as LineRanges from "./LineRanges.ts"

export const agentTrace: Source = {
  name: "agent-trace",
  title: "file of Agent Trace",
  form: "either",
  capture: { pairing: null, lacks: Attribution.LACKS },
  recognizes: ({ lines, text }: FileHead) =>
    lines.length > 0
      ? isRecord(lines[0]) || (Array.isArray(lines[0]) && isRecord(lines[0][0]))
      : /^\s*[[{]/.test(text) && MARKS.every((mark) => mark.test(text)),
  open: (_, runs): Mapper => {
    const known = new Map<string, string>()
    const map = (value: unknown) => {
      if (isRecord(value)) mapRecord(runs, value, known)
      else runs.leaveOut("record", "it has no version, id, timestamp and files")
    }
    return {
      record: ({ value }) => {
        if (Array.isArray(value)) for (const one of value) map(one)
        else map(value)
      },
      end: () => {},
    }
  },
}

const MARKS = [/"version"\s*:\s*"\d+\.\d+/, /"timestamp"\s*:/, /"files"\s*:\s*\[/, /"conversations"\s*:\s*\[/]

const isRecord = (value: unknown): boolean =>
  /^\d+\.\d+/.test(textOf(value, "version") ?? "") &&
  Array.isArray(field(value, "files")) &&
  field(value, "timestamp") !== undefined

const mapRecord = (runs: MappedRuns, record: unknown, known: Map<string, string>): void => {
  const version = textOf(record, "version") ?? ""
  if (!VERSION.test(version)) {
    runs.leaveOut("record", `its version is ${nameFrom(version)}, and not 0.1`)
    return
  }
  const id = nameFrom(textOf(record, "id") ?? contentIdOf(record))
  const content = digest(logJson(record).json)
  const before = known.get(id)
  known.set(id, before ?? content)
  if (before !== undefined) {
    if (before === content) runs.repeated("record", "record")
    else runs.leaveOut("record", "it has the id of another one")
    return
  }
  const vcs = field(record, "vcs")
  const [type, revision] = [textOf(vcs, "type"), textOf(vcs, "revision")]
  if (field(record, "metadata") !== undefined) runs.leaveOut("metadata", "it is the writer's own")
  Attribution.map(runs, {
    id,
    at: runs.timeOf(field(record, "timestamp")),
    revision: type === undefined || revision === undefined ? undefined : { type, revision },
    attributions: attributionsIn(runs, record),
    digest: content.slice(0, 16),
  })
}

const VERSION = /^0\.1(\.|$)/

const attributionsIn = (runs: MappedRuns, record: unknown): ReadonlyArray<Attribution.Attribution> => {
  const tool = field(record, "tool")
  const [name, version] = [textOf(tool, "name"), textOf(tool, "version")]
  const agent = name === undefined ? undefined : nameFrom(version === undefined ? name : `${name}@${version}`)
  return listOf(record, "files").flatMap((file) => {
    const path = textOf(file, "path")
    if (path === undefined || path === "") {
      runs.leaveOut("file", "it has no path")
      return []
    }
    return listOf(file, "conversations").flatMap((conversation) =>
      inConversation(runs, conversation).map(({ contributor, ranges }) => ({
        path,
        ranges,
        agent,
        by: kindOf(contributor),
        model: textOf(contributor, "model_id"),
        conversation: textOf(conversation, "url"),
      })),
    )
  })
}

/** A range may have a contributor of its own. */
const inConversation = (runs: MappedRuns, conversation: unknown) => {
  const found = new Map<string, { contributor: unknown; ranges: Array<LineRanges.LineRange> }>()
  for (const one of listOf(conversation, "ranges")) {
    const range = LineRanges.between(field(one, "start_line"), field(one, "end_line"))
    if (range === undefined) {
      runs.leaveOut("range", "it has no first and last line in order")
      continue
    }
    const own = field(one, "contributor")
    const contributor = isObject(own) ? own : field(conversation, "contributor")
    const key = JSON.stringify([kindOf(contributor), textOf(contributor, "model_id")])
    const group = found.get(key) ?? { contributor, ranges: [] }
    group.ranges.push(range)
    found.set(key, group)
  }
  return [...found.values()]
}

const kindOf = (contributor: unknown): Attribution.Attribution["by"] => {
  const type = textOf(contributor, "type")
  return Attribution.KINDS.find((kind) => kind === type) ?? "unknown"
}
