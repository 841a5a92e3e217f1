/** The command `hindcast export events`: events as JSON Lines or as a Parquet table. */
import { Command, Options } from "@effect/cli"
import { Option } from "effect"
import * as EventLines from "../../projections/exports/EventLines.ts"
import * as EventTable from "../../projections/exports/EventTable.ts"
import { oneOf, wholeNumber } from "../command/CommonOptions.ts"
import * as EventExport from "./EventExport.ts"
import * as Selection from "./Selection.ts"

const format = oneOf("format", ["jsonl", "parquet"]).pipe(
  Options.withDescription("jsonl or parquet. Default: parquet where the file's name ends so, else jsonl"),
  Options.optional,
)

const jobs = wholeNumber("jobs", 1).pipe(
  Options.withDescription("How many threads encode a Parquet table of all events; the file is the same. Default: 1"),
  Options.withDefault(1),
)

/** `hindcast export events` */
export const events = Command.make(
  "events",
  { ...EventExport.options, type: Selection.type, format, jobs },
  ({ format, ...typed }) => {
    const named = Option.getOrElse(format, () => (typed.output.endsWith(".parquet") ? "parquet" : "jsonl"))
    return EventExport.run(typed, named === "parquet" ? PARQUET : typed.decrypt ? DECRYPTED_LINES : LINES)
  },
).pipe(
  Command.withDescription(
    "Write events as JSON Lines, exactly as they are stored, so that `hindcast log import` makes the same log of them; or as a Parquet table",
  ),
)

const LINES: EventExport.Format = { name: "jsonl", binary: false, takes: "stored", encoder: EventLines.encoder }

const DECRYPTED_LINES: EventExport.Format = {
  ...{ name: "jsonl", binary: false, takes: "decoded" },
  encoder: EventLines.decodedEncoder,
}

const PARQUET: EventExport.Format = {
  ...{ name: "parquet", binary: true, takes: "decoded" },
  encoder: EventTable.encoder,
  isTable: true,
}
