/** The command `hindcast export otlp`: tasks as OpenTelemetry traces. */
import { Command, Options } from "@effect/cli"
import { VERSION } from "../../kernel/versions.ts"
import * as OtlpTraces from "../../projections/exports/OtlpTraces.ts"
import * as EventExport from "./EventExport.ts"

const service = Options.text("service").pipe(
  Options.withDescription("What the spans say as service.name. Default: hindcast"),
  Options.withDefault("hindcast"),
)

/** `hindcast export otlp` */
export const otlp = Command.make("otlp", { ...EventExport.options, service }, ({ service, ...typed }) =>
  EventExport.run(typed, {
    ...{ name: "otlp", binary: false, takes: "readable" },
    encoder: ({ log, timeline }) => OtlpTraces.encoder({ service, version: VERSION, log, timeline }),
  }),
).pipe(
  Command.withDescription(
    "Write tasks as OpenTelemetry traces, a line of OTLP/JSON for at most 500 spans, named as agents' are",
  ),
)
