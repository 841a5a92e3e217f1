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
          ? `There is already a snapshot of ${at(position)}.`
          : `${style.good("Stored")} a snapshot of ${at(position)}${before === 0 ? "" : `; the previous one is of ${at(before)}`}.`,
      ...(position === 0 ? [] : ["From now on, questions about the state, lists of tasks and kernels start there."]),
    ])
  }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription(
    "Store the state at the head, so that questions to a long log are answered quickly. Snapshots are a cache: nothing depends on them",
  ),
)
