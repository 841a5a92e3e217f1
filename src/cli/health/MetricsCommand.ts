/** The command `hindcast metrics`: a log's numbers for monitoring, as text for Prometheus or to an OTLP receiver. */
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as LogMetrics from "../../kernel/metrics/LogMetrics.ts"
import * as Metric from "../../kernel/metrics/Metric.ts"
import * as MetricsExport from "../../telemetry/sending/MetricsExport.ts"
import * as OtlpHeaders from "../../telemetry/sending/OtlpHeaders.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, milliseconds, optionalText, positive, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ReceiverAddress from "../record/ReceiverAddress.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"

const EVERY_MS = 15_000

const options = {
  to: optionalText(
    "to",
    "Send them to this OTLP receiver, such as http://127.0.0.1:4318, until you interrupt the command",
  ),
  every: positive("every").pipe(
    Options.withDescription("With --to: seconds between two times. Default: 15"),
    milliseconds,
    Options.optional,
  ),
  service: text("service", "With --to: the service.name. Default: hindcast").pipe(Options.withDefault("hindcast")),
}

export const metrics = Command.make("metrics", { ...common, ...options }, ({ log, json, to, every, service }) =>
  Effect.gen(function* () {
    if (Option.isNone(to)) {
      if (Option.isSome(every))
        return yield* new BadInput({ input: "--every", expected: "--to with it", found: "none" })
      const all = yield* LogMetrics.read
      return yield* json
        ? Output.show(true, { metrics: all }, () => [])
        : Output.writeWhole(Metric.prometheus(all).trimEnd())
    }
    const address = yield* ReceiverAddress.parse("--to", to.value, `put its key into ${OtlpHeaders.VARIABLE}`)
    const headers = yield* Effect.mapError(
      OtlpHeaders.fromEnvironment,
      ({ expected }) => new BadInput({ input: OtlpHeaders.VARIABLE, expected, found: "something else" }),
    )
    yield* UntilEnded.begin
    if (!json) yield* Output.write(`Sending metrics to ${address.origin}. Press Ctrl-C to stop.`)
    let said = ""
    const onRemark = (remark: string) => {
      if (remark !== said) void Effect.runFork(Output.note(remark))
      said = remark
    }
    return yield* MetricsExport.run({
      to: address,
      headers,
      service,
      everyMs: Option.getOrElse(every, () => EVERY_MS),
      read: LogMetrics.read,
      onSent: (samples) => void (json && Effect.runFork(Output.writeWhole(JSON.stringify({ sent: samples })))),
      onRemark,
    })
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(
  Command.withDescription(
    "Print a log's numbers for monitoring as Prometheus reads them, or send them to an OpenTelemetry receiver with --to",
  ),
)
