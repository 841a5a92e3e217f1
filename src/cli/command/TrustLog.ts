/** Asks the user whether to act on a log that this user did not write on this machine. */
import { Effect, Layer } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as SqliteEventLog from "../../events/sqlite/SqliteEventLog.ts"
import * as Trust from "../../kernel/trust/Trust.ts"
import { visible } from "../../values/PlainText.ts"
import * as Question from "../terminal/Question.ts"
import { flag } from "./CommonOptions.ts"
import * as Output from "./Output.ts"

export const option = flag(
  "trust-log",
  "Act on a log that you did not write on this machine, with its plugins, grants and tasks",
)

export interface Typed {
  readonly trustLog: boolean
  /** Whether a program reads the output. Then nobody is asked. */
  readonly json: boolean
}

/**
 * Builds a kernel's layer. If the log is foreign, asks at the terminal and starts the kernel after a yes. Without a
 * terminal and without `--trust-log`, fails with `ForeignLog`, which lists the log's plugins, grants and tasks.
 *
 * @param make builds the layer, with or without trust in a foreign log
 */
export const asking = <A, E, R>(make: (trust: boolean) => Layer.Layer<A, E, R>, { trustLog, json }: Typed) =>
  make(trustLog).pipe(
    Layer.catchAll(
      (error: E): Layer.Layer<A, E, R> =>
        error instanceof Trust.ForeignLog
          ? Layer.unwrapEffect(
              Effect.map(asked(error, json) as Effect.Effect<boolean, E>, (recorded) => make(!recorded)),
            )
          : Layer.fail(error),
    ),
  )

/** Checks that the user trusts the context's log, and asks if needed, as `asking` does. */
export const settled = ({ trustLog, json }: Typed) =>
  Trust.assertTrusted(trustLog ? "option" : undefined).pipe(
    Effect.catchTag("ForeignLog", (foreign) =>
      Effect.zipRight(
        asked(foreign, json),
        ServerUrl.isAddress(foreign.log) ? Trust.record(foreign.head, "answer") : Effect.void,
      ),
    ),
  )

/**
 * Asks the user. Fails with `foreign` after a no or if nobody can answer. Returns whether the trust was recorded. It
 * covers the log as listed, not later changes.
 */
const asked = (foreign: Trust.ForeignLog, json: boolean): Effect.Effect<boolean, Trust.ForeignLog> =>
  Effect.gen(function* () {
    if (json || !Question.isPossible()) return yield* foreign
    const { log, why, brought, head } = foreign
    const lines = [
      `${visible(log)} is foreign: ${visible(why)}. Acting on it starts:`,
      ...Trust.describe(brought).map((line) => `  ${line}`),
    ]
    yield* Output.write(lines.join("\n"))
    if (!Question.isYes(yield* Question.ask("Trust this log and start these? [y/N] "))) return yield* foreign
    // The kernel records it on the connections that it has.
    if (ServerUrl.isAddress(log)) return false
    return yield* Trust.trust(head, "answer").pipe(
      Effect.provide(SqliteEventLog.layer({ filename: log, readonly: true })),
      Effect.as(true),
      Effect.catchAll(({ message }) =>
        Effect.as(Output.note(`warning: ${message} It is trusted only this time.`), false),
      ),
    )
  })
