/** Asks the user whether to act on a log that this user did not write on this machine. */
import { Effect, Layer } from "effect"
import * as SqliteEventLog from "../../events/sqlite/SqliteEventLog.ts"
import * as Trust from "../../kernel/trust/Trust.ts"
import { visible } from "../../values/PlainText.ts"
import * as Question from "../terminal/Question.ts"
import { flag } from "./CommonOptions.ts"
import * as Output from "./Output.ts"

/** The option by which the user trusts a foreign log without being asked. */
export const option = flag(
  "trust-log",
  "Act on a log that you did not write on this machine, with the plugins, grants and tasks that it brings along",
)

/** What was typed about trust. */
export interface Typed {
  readonly trustLog: boolean
  /** Whether the output is for a program, which is not asked. */
  readonly json: boolean
}

/**
 * A kernel's layer. If its log is foreign, the user is asked at the terminal, and the kernel starts after a yes. Without
 * `--trust-log` and without a terminal, it fails with `ForeignLog`, which says what the log brings along.
 *
 * @param make the layer, which trusts a foreign log or does not
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

/** Makes sure that the user trusts the log of the context, as for a kernel. */
export const settled = ({ trustLog, json }: Typed) =>
  Trust.assertTrusted(trustLog ? "option" : undefined).pipe(
    Effect.catchTag("ForeignLog", (foreign) => Effect.asVoid(asked(foreign, json))),
  )

/**
 * Asks. Fails with `foreign` if the user cannot be asked or says no. Returns whether the trust was recorded: for the log
 * as it was listed, and not as it may be meanwhile.
 */
const asked = (foreign: Trust.ForeignLog, json: boolean): Effect.Effect<boolean, Trust.ForeignLog> =>
  Effect.gen(function* () {
    if (json || !Question.isPossible()) return yield* foreign
    const { log, why, brought, head } = foreign
    const lines = [
      `${visible(log)} is foreign: ${visible(why)}. Acting on it brings along:`,
      ...Trust.describe(brought).map((line) => `  ${line}`),
    ]
    yield* Output.write(lines.join("\n"))
    if (!Question.isYes(yield* Question.ask("Trust this log and start that? [y/N] "))) return yield* foreign
    return yield* Trust.trust(head, "answer").pipe(
      Effect.provide(SqliteEventLog.layer({ filename: log, readonly: true })),
      Effect.as(true),
      Effect.catchAll(({ message }) =>
        Effect.as(Output.note(`warning: ${message} The trust holds for this time only.`), false),
      ),
    )
  })
