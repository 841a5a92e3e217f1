/** Notes of git-ai, each saved as a file: `git notes --ref=ai show COMMIT > COMMIT.note`. */

import { sha256 } from "../../values/Digest.ts"
import { TIMES } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { at, field, isObject, nameFrom, textOf } from "../runs/Untrusted.ts"
import { type FileHead, type Mapper, type Source, Unmappable } from "../Source.ts"
import * as Attribution from "./Attribution.ts"
import * as GitAiNote from "./GitAiNote.ts"

export const gitAi: Source = {
  name: "git-ai",
  title: "note of git-ai",
  form: "text",
  capture: { pairing: null, lacks: [...Attribution.LACKS, TIMES] },
  recognizes: ({ text, zipped }: FileHead) =>
    !zipped && (/"schema_version"\s*:\s*"authorship\//.test(text) ? /^---\r?$/m.test(text) : BEGINS.test(text)),
  open: (_, runs): Mapper => {
    let text = ""
    return {
      record: ({ value }) => {
        text = String(value)
      },
      end: () => mapNote(runs, text),
    }
  },
}

/** A path, and lines of a session, person or prompt below it: a long note has its JSON beyond the head. */
const BEGINS = /^\S[^\n]*\n {2}(?:s_[0-9a-f]+::t_[0-9a-f]+|h_[0-9a-f]+|[0-9a-f]{7,64}) \d[\d,-]*\r?\n/

/** Of a note's text, in characters. */
const MAX_NOTE = 16 * 1024 * 1024

const mapNote = (runs: MappedRuns, text: string): void => {
  if (text.length > MAX_NOTE)
    throw new Unmappable(`a note of at most ${MAX_NOTE / 1024 / 1024} MiB`, `${text.length} characters`)
  const note = GitAiNote.read(text)
  if (note === undefined) throw new Unmappable("a line `---` before the note's JSON", "none")
  const { attestations, metadata, damaged } = note
  const schema = textOf(metadata, "schema_version")
  if (!isObject(metadata) || schema !== GitAiNote.SCHEMA)
    throw new Unmappable(
      `JSON with the schema_version ${GitAiNote.SCHEMA} after the line \`---\``,
      isObject(metadata) ? `the schema_version ${nameFrom(schema ?? "")}` : "no JSON object",
    )
  if (damaged > 0) runs.leaveOut("line", "it is neither a path nor a key with ranges", damaged)
  const commit = textOf(metadata, "base_commit_sha") ?? ""
  const content = sha256(text).slice(0, 16)
  Attribution.map(runs, {
    id: commit === "" ? content : nameFrom(commit),
    at: null,
    revision: commit === "" ? undefined : { type: "git", revision: nameFrom(commit) },
    attributions: attestations.map(({ path, key, ranges }) => ({ path, ranges, ...whoIs(runs, key, metadata) })),
    digest: content,
  })
}

const whoIs = (runs: MappedRuns, key: string, metadata: unknown): Omit<Attribution.Attribution, "path" | "ranges"> => {
  if (key.startsWith("h_")) {
    runs.leaveOut("a person's name", "the key of the person stays")
    return { by: "human", conversation: nameFrom(key) }
  }
  const [session = key, trace] = key.startsWith("s_") ? key.split("::") : [key]
  const record = at(metadata, key.startsWith("s_") ? "sessions" : "prompts", session)
  const agent = field(record, "agent_id")
  if (agent === undefined) runs.remark("keys without a record: their agent is unknown")
  if (textOf(record, "human_author") !== undefined) runs.leaveOut("human_author", "the agent of a line stays")
  const model = textOf(agent, "model")
  const tool = textOf(agent, "tool")
  return {
    by: "ai",
    agent: tool === undefined ? undefined : nameFrom(tool),
    // git-ai writes this where it does not know.
    model: model === UNKNOWN || model === "" ? undefined : model,
    conversation: textOf(agent, "id") ?? nameFrom(session),
    ...(trace === undefined ? {} : { trace: nameFrom(trace) }),
  }
}

/** A model in a note that git-ai does not know. */
export const UNKNOWN = "unknown"
