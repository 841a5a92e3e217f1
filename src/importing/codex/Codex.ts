/**
 * Codex's rollouts: JSON Lines in `~/.codex/sessions/<date>/rollout-<time>-<id>.jsonl`. A line is
 * `{ timestamp, type, payload }`, in the first versions the bare item.
 */

import { APPROVALS, DEFINITIONS, REQUESTS, TOOL_TIMES, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { field, isObject, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { idIn } from "./Beginning.ts"
import * as LineOrder from "./LineOrder.ts"
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
  capture: { pairing: "call-id", lacks: [DEFINITIONS, REQUESTS, APPROVALS, TOOL_TIMES, WORLD] },
  recognizes: ({ lines, name }: FileHead) =>
    lines.some(isOwn) ||
    (isLegacyStart(lines[0]) && (name.startsWith("rollout-") || LEGACY.has(textOf(lines[1], "type") ?? ""))),
  beginning: ({ name, path, lines }: FileHead) => {
    const meta = LineOrder.metaIn(lines, idIn(name))
    const isOutOfOrder = LineOrder.isOutOfOrder(lines) ? ({ isOutOfOrder: true } as const) : {}
    const run = textOf(meta, "id") ?? (lines.some(isOwn) ? (idIn(name) ?? path) : undefined)
    return run === undefined ? undefined : { run, at: LineOrder.beginningOf(meta, lines), ...isOutOfOrder }
  },
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const rollout = new Rollout(runs, file)
    if (!file.isOutOfOrder) return { record: ({ value }) => rollout.record(value), end: () => rollout.end() }
    const lines: Array<unknown> = []
    return {
      record: ({ value }) => {
        lines.push(value)
      },
      end: function* () {
        runs.remarkOnFile(
          "lines that are not in the order in which they were written: they are read in the order of their times",
        )
        for (const [index, line] of LineOrder.inOrder(lines.splice(0), idIn(file.name)).entries()) {
          rollout.record(line)
          if (index % LINES_AT_A_TIME === LINES_AT_A_TIME - 1) yield
        }
        rollout.end()
      },
    }
  },
}

/** Number of lines mapped between two writes. */
const LINES_AT_A_TIME = 256

const LEGACY = new Set(["message", "function_call", "reasoning"])
