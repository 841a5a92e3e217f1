/**
 * Sessions of GitHub Copilot CLI: JSON Lines in `~/.copilot/session-state/<id>/events.jsonl`, one typed event per line.
 */

import { APPROVALS, DEFINITIONS, REQUESTS, SETTINGS, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { at, field, isObject, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { Session } from "./Session.ts"

const isEvent = (value: unknown): boolean =>
  /^(?:session|user|assistant|tool|hook|subagent|system|abort)(?:\.|$)/.test(textOf(value, "type") ?? "") &&
  isObject(field(value, "data")) &&
  field(value, "parentId") !== undefined

export const copilotCli: Source = {
  name: "copilot-cli",
  title: "session of Copilot CLI",
  form: "lines",
  capture: { pairing: "call-id", lacks: [DEFINITIONS, SETTINGS, REQUESTS, APPROVALS, WORLD] },
  recognizes: ({ lines }: FileHead) => lines.some(isEvent),
  beginning: ({ lines }) => {
    const start = lines.find((value) => textOf(value, "type") === "session.start")
    const run = textOf(field(start, "data"), "sessionId")
    return run === undefined ? undefined : { run, at: Date.parse(textOf(start, "timestamp") ?? "") || null }
  },
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const session = new Session(runs, file, (value) => textOf(at(value, "data"), "sessionId"))
    return { record: ({ value }) => session.record(value), end: () => session.end() }
  },
}
