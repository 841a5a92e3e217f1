import { Args, Command, Options } from "@effect/cli"
import { Effect, Option } from "effect"
import { Confirmations } from "../kernel/Confirmations.ts"
import { Projector } from "../projections/Projector.ts"
import * as Tasks from "../projections/Tasks.ts"
import { common } from "./CommonOptions.ts"
import * as Ids from "./Ids.ts"
import * as OpenLog from "./OpenLog.ts"
import * as Output from "./Output.ts"
import { person } from "./Person.ts"
import * as Origin from "./render/Origin.ts"
import * as Table from "./render/Table.ts"
import { at, duration, shorten, time, value } from "./render/Text.ts"

const ls = Command.make("ls", common, ({ log, json }) =>
  Effect.gen(function* () {
    const pending = yield* (yield* Confirmations).pending
    const confirmations = Object.entries(pending).map(([id, confirmation]) => ({ id, ...confirmation }))
    const tasks = yield* (yield* Projector).current(Tasks.projection)
    yield* Output.show(json, { confirmations }, (style) =>
      confirmations.length === 0
        ? ["Nothing waits for a person."]
        : Table.lines(
            style,
            [
              { heading: "confirmation" },
              { heading: "asked", align: "right" },
              { heading: "expires" },
              { heading: "left", align: "right" },
              { heading: "agent and goal" },
              { heading: "what" },
            ],
            confirmations.map(({ id, position, expiresAt, taskId, shown }) => [
              style.name(id),
              at(position),
              expiresAt <= Date.now() ? style.bad(time(expiresAt)) : time(expiresAt),
              duration(Math.max(0, expiresAt - Date.now())),
              shorten(Origin.describe(tasks, taskId), ORIGIN_LENGTH),
              value(shown, WHAT_LENGTH),
            ]),
          ),
    )
  }).pipe(Effect.provide(OpenLog.forReading(log))),
).pipe(Command.withDescription("List the commands that wait for a person"))

/** Characters of whose command it is. */
const ORIGIN_LENGTH = 60

/** Characters of what is asked. */
const WHAT_LENGTH = 160

const confirmation = Args.text({ name: "confirmation" }).pipe(
  Args.withDescription("Its id, or at least four characters that it alone begins or ends with"),
)

const reason = Options.text("reason").pipe(Options.withDescription("Why; it is recorded"), Options.optional)

const decide = (name: "approve" | "reject") =>
  Command.make(name, { ...common, confirmation, reason }, ({ log, json, confirmation, reason }) =>
    Effect.gen(function* () {
      const confirmations = yield* Confirmations
      const confirmationId = yield* Ids.confirmation(confirmation)
      const approved = name === "approve"
      const event = yield* confirmations.decide(confirmationId, {
        approved,
        by: person(),
        channel: "cli",
        ...(Option.isNone(reason) ? {} : { reason: reason.value }),
      })
      const document = { confirmationId, approved, position: event.position }
      yield* Output.show(json, document, (style) => [
        `${approved ? style.good("Approved") : style.bad("Rejected")} ${confirmationId} ${style.dim(at(event.position))}`,
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
  )

/** `hindcast confirm ls|approve|reject` */
export const confirm = Command.make("confirm").pipe(
  Command.withDescription("Commands that wait for a person's word"),
  Command.withSubcommands([
    ls,
    decide("approve").pipe(Command.withDescription("Let a waiting command be executed")),
    decide("reject").pipe(Command.withDescription("Refuse a waiting command")),
  ]),
)
