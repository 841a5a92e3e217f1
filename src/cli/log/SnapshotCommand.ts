/** The command `hindcast log snapshot`: stores the state at the log's head, from which later questions start. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { Projector } from "../../projections/projector/Projector.ts"
import * as KeptSnapshots from "../../projections/unfinished/KeptSnapshots.ts"
import { common } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import { at } from "../terminal/Text.ts"

export const snapshot = Command.make("snapshot", common, ({ log, json }) =>
  Effect.gen(function* () {
    const { position: head } = yield* (yield* EventLog).head
    const projector = yield* Projector
    const before = yield* KeptSnapshots.reach(projector)
    const position = yield* KeptSnapshots.store(projector)
    yield* Output.show(json, { head, before, position }, (style) => [
      position === 0
        ? "The log is empty, so there is nothing to store."
        : position === before
          ? `A snapshot of ${at(position)} is stored already.`
          : `${style.good("Stored")} a snapshot of ${at(position)}${before === 0 ? "" : `; the previous one is of ${at(before)}`}.`,
      ...(position === 0
        ? []
        : ["Questions about the state and lists of all tasks start there, and a kernel opens there."]),
    ])
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription(
    "Store the state at the head, so that a long log answers quickly. Snapshots are a cache: nothing depends on them",
  ),
)
