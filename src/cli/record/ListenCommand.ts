/** The command `hindcast listen`, which records what instrumented programs send as OpenTelemetry. */
import * as fs from "node:fs"
import { Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import * as BesideLog from "../../events/log/BesideLog.ts"
import { EventLog } from "../../events/log/EventLog.ts"
import { newToken } from "../../platform/loopback/Access.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import * as Forwarding from "../../telemetry/Forwarding.ts"
import { Inbox } from "../../telemetry/Inbox.ts"
import * as Listener from "../../telemetry/Listener.ts"
import * as Recording from "../../telemetry/Recording.ts"
import * as LiveExport from "../../telemetry/sending/LiveExport.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, optionalText, port as portNumber } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as UntilEnded from "../terminal/UntilEnded.ts"
import * as Received from "./Received.ts"
import * as ReceiverAddress from "./ReceiverAddress.ts"

/** The port of OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp-default-port). */
const PORT = 4318

const LOOPBACK = "127.0.0.1"

/** Interval between two lines of totals, in milliseconds. */
const TOTALS_MS = 5_000

/** Time at the end for records that have arrived. The rest stays in the inbox. */
const DRAIN_MS = 10_000

/** How long mapped records stay in the inbox, for parts that come late, and how long their ids. */
const KEPT_MS = 24 * 60 * 60 * 1000
const KNOWN_MS = 7 * KEPT_MS

const DROP_CHECK_MS = 60_000

export const listen = Command.make(
  "listen",
  {
    ...common,
    port: portNumber("port").pipe(
      Options.withDescription(`The port to listen on; 0 for any free port. Default: ${PORT}`),
      Options.withDefault(PORT),
    ),
    host: optionalText("host", "The address to listen on, such as 0.0.0.0; it needs --token. Default: 127.0.0.1"),
    token: optionalText(
      "token",
      "A file with the token that clients must show, as Authorization: Bearer or X-Hindcast-Token. A missing file is created",
    ),
    forward: optionalText("forward", "Pass everything on to this OTLP receiver, such as http://127.0.0.1:4319"),
  },
  ({ log, json, port, host, token: tokenFile, forward }) =>
    Effect.gen(function* () {
      const address = Option.getOrElse(host, () => LOOPBACK)
      if (address !== LOOPBACK && Option.isNone(tokenFile))
        return yield* new BadInput({
          input: `--host ${address}`,
          expected: "--token FILE with it: everybody who reaches the port could write to the log",
          found: "none",
        })
      const token = Option.isSome(tokenFile) ? yield* tokenIn(tokenFile.value) : undefined
      const to = Option.isSome(forward)
        ? yield* ReceiverAddress.parse(
            "--forward",
            forward.value,
            "clients send what the other receiver asks for as headers",
          )
        : undefined
      const { open, name } = yield* OpenLog.placeOf(log)
      // One log has one inbox on this machine, whichever link names it.
      const file = fs.existsSync(open) ? fs.realpathSync(open) : name
      const inboxFile = yield* Effect.try({
        try: () => `${BesideLog.made(file)}-listen`,
        catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
      })
      const received = Received.make(json)
      const forwarding =
        to === undefined ? undefined : Forwarding.make({ to, token, onFailed: received.forwardingFailed })
      yield* Effect.gen(function* () {
        const inbox = yield* Effect.acquireRelease(
          Effect.try({
            try: () => Inbox.open(inboxFile, Recording.quietMs),
            catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
          }),
          (inbox) => Effect.sync(() => inbox.close()),
        )
        const finish = Recording.drain(inbox, received.progress).pipe(
          Effect.timeout(DRAIN_MS),
          Effect.ignore,
          Effect.zipRight(Effect.suspend(() => received.ended(inbox.backlog, forwarding?.close()))),
        )
        yield* Effect.addFinalizer(() => finish)
        const counts = received.counts
        const listened = yield* Listener.listen({
          ...{ inbox, port, host: address, token, forwarding, counts },
          ownName: LiveExport.viaOf(yield* EventLog).pipe(Effect.orElseSucceed(() => undefined)),
          onRemark: received.remark,
        })
        yield* UntilEnded.begin
        yield* Received.started({
          json,
          address,
          port: listened,
          file,
          tokenFile: Option.getOrUndefined(tokenFile),
          to,
        })
        yield* Effect.forkScoped(
          Effect.forever(
            Effect.delay(
              Effect.suspend(() => received.totals(inbox.backlog, forwarding?.counts())),
              TOTALS_MS,
            ),
          ),
        )
        yield* Effect.forkScoped(
          Effect.forever(Effect.delay(dropOld(inbox, received.progress.onTrouble), DROP_CHECK_MS)),
        )
        return yield* Recording.run(inbox, received.progress)
      }).pipe(Effect.scoped, Effect.provide(OpenLog.orCreateForEvents(log, false)))
    }),
).pipe(
  Command.withDescription(
    "Record instrumented programs: receive OpenTelemetry's traces and logs over HTTP until you interrupt it. Each conversation or trace is a task",
  ),
)

/** Drops old records. A failure is only reported, because the next attempt may succeed. */
const dropOld = (inbox: Inbox, onTrouble: (message: string) => void): Effect.Effect<void> =>
  Effect.try(() => inbox.drop(KEPT_MS, KNOWN_MS)).pipe(
    Effect.flatMap((isMore) => (isMore ? Effect.zipRight(Effect.yieldNow(), dropOld(inbox, onTrouble)) : Effect.void)),
    Effect.catchAll(({ error }) =>
      Effect.sync(() => onTrouble(`Old records stay in the inbox: ${error instanceof Error ? error.message : error}`)),
    ),
  )

/** Reads the token, or makes one. It is not an argument, because other users can see arguments. */
const tokenIn = (file: string): Effect.Effect<string, BadInput> =>
  Effect.suspend(() => {
    try {
      if (OwnerOnly.makeFile(file)) fs.writeFileSync(file, `${newToken()}\n`)
      const token = fs.readFileSync(file, "utf8").trim()
      return /^[\x21-\x7e]{16,512}$/.test(token)
        ? Effect.succeed(token)
        : new BadInput({ input: `--token ${file}`, expected: "a file with 16 to 512 characters", found: "others" })
    } catch (cause) {
      const found = cause instanceof Error ? cause.message : String(cause)
      return new BadInput({ input: `--token ${file}`, expected: "a file with the token, or none yet", found })
    }
  })
