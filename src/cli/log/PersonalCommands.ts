/** The commands `hindcast log subjects` and `shred`: the encryption keys of personal data. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { PersonalData } from "../../events/payload/PersonalData.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import { oneLine } from "../../values/PlainText.ts"
import { argument, common, flag, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as Question from "../terminal/Question.ts"
import * as Table from "../terminal/Table.ts"
import { at, time } from "../terminal/Text.ts"

export const subjects = Command.make("subjects", common, ({ log, json }) =>
  Effect.gen(function* () {
    const list = yield* (yield* PersonalData).subjects
    yield* Output.show(json, { subjects: list }, (style) =>
      list.length === 0
        ? ["This log has no keys: nothing in it is encrypted, or all of it was shredded, or the key file is elsewhere."]
        : Table.lines(
            style,
            ["subject", "key", "since", ""],
            list.map(({ subject, keyId, since, shredding }) => [
              style.name(oneLine(subject)),
              keyId,
              time(since),
              shredding ? "destroyed, but not recorded yet: shred it again" : "",
            ]),
          ),
    )
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the subjects whose personal data the log encrypts, each with a key of its own"))

export const shred = Command.make(
  "shred",
  {
    ...common,
    subject: argument("subject", "The subject, as `log subjects` lists it"),
    reason: text("reason", "The reason, which the log records"),
    yes: flag("yes", "Confirm that this cannot be undone"),
  },
  ({ log, json, subject, reason, yes }) =>
    Effect.gen(function* () {
      const agrees = yield* Question.agrees({
        command: "hindcast log shred",
        options: ["--yes"],
        given: yes,
        json,
        about: "A destroyed key cannot be restored.",
        ask: Effect.map(
          Question.ask(`Destroy the key of ${oneLine(subject)}? It cannot be restored. [y/N] `),
          Question.isYes,
        ),
      })
      if (!agrees) return yield* Output.write("No key was destroyed.")
      const event = yield* (yield* PersonalData).shred({ subject, reason, actor: userAsActor() })
      yield* Output.show(json, event, (style) => [
        `${style.good("Shredded")}: the key ${String(event.payload.keyId)} is destroyed, recorded at ${at(event.position)}. The data that it encrypted can no longer be read, here or in any copy. Destroy copies of the key file, such as backups, as well.`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription("Destroy a subject's key, so that nobody can read the personal data in its events any more"),
)
