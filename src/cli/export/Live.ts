/** The command `hindcast export live`, which sends tasks to an OTLP receiver while they run. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Command, Options } from "@effect/cli"
import { Effect } from "effect"
import * as BesideLog from "../../events/log/BesideLog.ts"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import { VERSION } from "../../kernel/versions.ts"
import * as LiveExport from "../../telemetry/sending/LiveExport.ts"
import * as OtlpHeaders from "../../telemetry/sending/OtlpHeaders.ts"
import * as Position from "../../telemetry/sending/Position.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ReceiverAddress from "../record/ReceiverAddress.ts"
import { at, count } from "../terminal/Text.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"

const to = text("to", "The OTLP receiver's address, such as http://127.0.0.1:4318; spans go to /v1/traces below it")

const service = text("service", "The service.name of the spans. Default: hindcast").pipe(
  Options.withDefault("hindcast"),
)

export const live = Command.make("live", { ...common, to, service }, ({ log, json, to, service }) =>
  Effect.gen(function* () {
    const address = yield* ReceiverAddress.parse("--to", to, `put its key into ${OtlpHeaders.VARIABLE}`)
    const headers = yield* Effect.mapError(
      OtlpHeaders.fromEnvironment,
      ({ expected }) => new BadInput({ input: OtlpHeaders.VARIABLE, expected, found: "something else" }),
    )
    const { open, name } = yield* OpenLog.placeToLookAt(log)
    // One log has one position for a receiver on this machine, whichever link names it.
    const file = ServerUrl.isAddress(open) ? name : fs.realpathSync(open)
    const beside = yield* Effect.try({
      try: () => BesideLog.made(file),
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
    })
    const said = new Set<string>()
    let spans = 0
    const remark = (what: string) => {
      if (said.has(what) || said.size >= MAX_SAID) return
      said.add(what)
      void Effect.runFork(Output.note(what))
    }
    const onSent = (sent: LiveExport.Sent) => {
      spans += sent.spans
      const line = json
        ? Output.writeWhole(JSON.stringify({ sent: sent.spans, spans, position: sent.position }))
        : Output.write(`Sent ${count(sent.spans, "span")}, up to ${at(sent.position)}`)
      void Effect.runFork(line)
    }
    yield* UntilEnded.begin
    yield* json
      ? Effect.void
      : Output.write(`Sending the tasks of ${file} to ${address.origin}, now and while they run. Press Ctrl-C to stop.`)
    return yield* LiveExport.run({
      to: address,
      headers,
      origin: { service, version: VERSION, log: path.basename(file) },
      file: Position.fileFor(beside, address),
      onSent,
      onRemark: remark,
    })
  }).pipe(Effect.scoped, Effect.provide(OpenLog.forSharing(log, { decrypted: false }))),
).pipe(
  Command.withDescription(
    "Send tasks to an OpenTelemetry receiver while they run, until you interrupt the command. A restart continues where it ended",
  ),
)

/** Remarks that are remembered, to be said once. */
const MAX_SAID = 200
