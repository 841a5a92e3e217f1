/**
 * Codex's rollouts: JSON Lines in `~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`. Each line is
 * `{ timestamp, type, payload }`; those of the first versions are the items alone.
 */

import type { Runs } from "../runs/Runs.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { field, isObject, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { Rollout } from "./Rollout.ts"

const ITEMS = new Set(["session_meta", "response_item", "event_msg", "turn_context", "compacted"])

const isOwn = (line: unknown): boolean => ITEMS.has(textOf(line, "type") ?? "") && isObject(field(line, "payload"))

/** The first line of a rollout without payloads. */
const isLegacyStart = (line: unknown): boolean =>
  textOf(line, "id") !== undefined &&
  textOf(line, "timestamp") !== undefined &&
  textOf(line, "type") === undefined &&
  textOf(line, "sessionId") === undefined

export const codex: Source = {
  name: "codex",
  title: "rollout of Codex",
  form: "lines",
  recognizes: ({ lines, name }: FileHead) =>
    lines.some(isOwn) ||
    (isLegacyStart(lines[0]) && (name.startsWith("rollout-") || LEGACY.has(textOf(lines[1], "type") ?? ""))),
  beginning: ({ lines }: FileHead) => {
    const [first] = lines
    const meta = isObject(field(first, "payload")) ? field(first, "payload") : first
    const run = textOf(meta, "id")
    return run === undefined ? undefined : { run, at: timeOf(field(meta, "timestamp")) }
  },
  open: (file: SourceFile, runs: Runs): Mapper => {
    const rollout = new Rollout(runs, file)
    return { record: ({ value }) => rollout.record(value), end: () => rollout.end() }
  },
}

const LEGACY = new Set(["message", "function_call", "reasoning"])
