/**
 * Traces of OrcaReplay (`orca-trace` version 0): a directory `runs/<run>` with `events.jsonl`, `manifest.json`, and
 * large payloads as blobs by digest. Requests and answers are in wire format.
 */

import { APPROVALS, WORLD } from "../runs/FormatCapture.ts"
import type { MappedRuns } from "../runs/Runs.ts"
import { field, isObject, numberOf, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Mapper, Source, SourceFile } from "../Source.ts"
import { Trace } from "./Trace.ts"

const isEvent = (value: unknown): boolean =>
  numberOf(value, "seq") !== undefined &&
  numberOf(value, "mono_us") !== undefined &&
  textOf(value, "actor") !== undefined &&
  (isObject(field(value, "attrs")) || field(value, "attrs") === undefined)

export const orcaTrace: Source = {
  name: "orca-trace",
  title: "trace of OrcaReplay (orca-trace v0)",
  form: "lines",
  capture: { pairing: "call-id", lacks: [APPROVALS, WORLD] },
  recognizes: ({ lines }: FileHead) => isEvent(lines[0]),
  companions: ["manifest.json"],
  blobs: /^blobs\/[0-9a-f]{2}\/[0-9a-f]{64}$/,
  open: (file: SourceFile, runs: MappedRuns): Mapper => {
    const trace = new Trace(runs, file)
    return { record: ({ value }) => trace.record(value), end: () => trace.end() }
  },
}
