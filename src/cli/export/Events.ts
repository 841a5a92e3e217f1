/** The command `hindcast export events`: events as JSON Lines or as a Parquet table. */
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import * as EventLines from "../../projections/exports/EventLines.ts"
import * as EventTable from "../../projections/exports/EventTable.ts"
import { oneOf } from "../command/CommonOptions.ts"
import * as EventExport from "./EventExport.ts"
import * as OutputFormat from "./OutputFormat.ts"
import * as Selection from "./Selection.ts"

/** The first is the default. */
export const FORMATS = ["jsonl", "parquet"] as const

const format = oneOf("format", FORMATS).pipe(
  Options.withDescription("jsonl or parquet. Default: by the end of the file's name, jsonl if it has none"),
  Options.optional,
)

export const events = Command.make(
  "events",
  { ...EventExport.options, type: Selection.type, format },
  ({ format, ...typed }) =>
    Effect.flatMap(OutputFormat.choose(typed.output, format, FORMATS), (chosen) =>
      EventExport.run(typed, chosen === "parquet" ? PARQUET : typed.decrypt ? DECRYPTED_LINES : LINES),
    ),
).pipe(
  Command.withDescription(
    "Write events exactly as the log has them: as JSON Lines, from which `hindcast log import` creates the same log, or as a Parquet table",
  ),
)

const LINES: EventExport.Format = {
  name: "jsonl",
  binary: false,
  compact: true,
  takes: "stored",
  encoder: EventLines.encoder,
}

const DECRYPTED_LINES: EventExport.Format = {
  name: "jsonl",
  binary: false,
  compact: true,
  takes: "decoded",
  encoder: EventLines.decodedEncoder,
}

const PARQUET: EventExport.Format = {
  name: "parquet",
  binary: true,
  compact: true,
  takes: "decoded",
  encoder: EventTable.encoder,
}
