/** The command `hindcast export otlp`: tasks as OpenTelemetry traces. */
import { Command, Options } from "@effect/cli"
import { VERSION } from "../../kernel/versions.ts"
import * as OtlpTraces from "../../projections/exports/OtlpTraces.ts"
import { text } from "../command/CommonOptions.ts"
import * as EventExport from "./EventExport.ts"

const service = text("service", "The service.name of the spans. Default: hindcast").pipe(
  Options.withDefault("hindcast"),
)

export const otlp = Command.make("otlp", { ...EventExport.options, service }, ({ service, ...typed }) =>
  EventExport.run(typed, {
    name: "otlp",
    binary: false,
    takes: "decoded",
    encoder: ({ log, timeline }) => OtlpTraces.encoder({ service, version: VERSION, log, timeline }),
  }),
).pipe(
  Command.withDescription(
    "Write tasks as OpenTelemetry traces of agents: lines of OTLP/JSON with at most 500 spans each",
  ),
)
