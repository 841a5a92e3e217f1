/** The commands `hindcast log archive`, `segments` and `upgrade`: the log's files and format. */
import { Command } from "@effect/cli"
import { Effect } from "effect"
import { EventLog } from "../../events/log/EventLog.ts"
import { Archive, type Segment } from "../../events/maintenance/Archive.ts"
import * as Moment from "../../events/read/Moment.ts"
import { userAsActor } from "../../platform/user/Machine.ts"
import { iso } from "../../values/Time.ts"
import { BadInput } from "../command/BadInput.ts"
import { common, text } from "../command/CommonOptions.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as Output from "../command/Output.ts"
import * as ProgressLine from "../terminal/ProgressLine.ts"
import * as Table from "../terminal/Table.ts"
import { at, count, time } from "../terminal/Text.ts"

export const archive = Command.make(
  "archive",
  {
    ...common,
    until: text("until", "The last moment to archive: a position (@412), a time, or an event's id"),
  },
  ({ log, json, until }) =>
    Effect.gen(function* () {
      const position = yield* Moment.resolve(until)
      if (position === 0) yield* refuseTheStart(until)
      const { archive } = yield* Archive
      const { segment, event, shrunk } = yield* ProgressLine.during(
        { verb: "archived", unit: "events", json },
        (onProgress) => archive({ until: position, actor: userAsActor(), onProgress }),
      )
      yield* Output.show(json, { segment, recorded: event.position, shrunk }, (style) => [
        `${style.good("Archived")} ${count(segment.last - segment.first + 1, "event")}, ${at(segment.first)} to ${at(segment.last)}, in ${segment.file}, ${count(segment.bytes ?? 0, "byte")}; recorded at ${at(event.position)}.`,
        "They stay readable as long as that file stays in the log's .segments directory.",
        ...(shrunk
          ? []
          : [
              "The log's file did not shrink: it was in use, or was created by an earlier version. Later events reuse the space.",
            ]),
      ])
    }).pipe(Effect.provide(OpenLog.forWriting(log))),
).pipe(
  Command.withDescription(
    "Move the oldest events into a compressed file next to the log. They stay readable as before",
  ),
)

const refuseTheStart = (until: string) =>
  Effect.gen(function* () {
    const [first] = yield* (yield* EventLog).readPage({}, 1)
    const since = first === undefined ? "an empty log" : `none: the first one was recorded at ${iso(first.recordedAt)}`
    return yield* new BadInput({
      input: `--until ${until}`,
      expected: "a moment after the first event",
      found: since,
      advice: "Nothing was archived.",
    })
  })

export const segments = Command.make("segments", common, ({ log, json }) =>
  Effect.gen(function* () {
    const list = yield* (yield* Archive).segments
    yield* Output.show(json, { segments: list }, (style) =>
      list.length === 0
        ? ["No event of this log was archived."]
        : Table.lines(
            style,
            [...Table.right("from", "to", "bytes"), "archived", "file"],
            list.map((segment: Segment) => [
              at(segment.first),
              at(segment.last),
              segment.bytes === null ? style.bad("missing") : String(segment.bytes),
              time(segment.archivedAt),
              segment.file,
            ]),
          ),
    )
  }).pipe(Effect.provide(OpenLog.forEvents(log))),
).pipe(Command.withDescription("List the archived segments, and whether their files exist"))

export const upgrade = Command.make("upgrade", common, ({ log, json }) =>
  Effect.gen(function* () {
    const url = yield* OpenLog.serverOf(log)
    const formats = url === undefined ? undefined : yield* upgradeOnServer(url)
    const found = yield* Effect.provide(
      Effect.flatMap(EventLog, ({ name, head }) => Effect.map(head, ({ position }) => ({ name, position }))),
      OpenLog.forWriting(log),
    )
    const changed = formats !== undefined && formats.from < formats.to ? formats : undefined
    const document = { log: found.name, head: found.position, ...(formats && { from: formats.from, to: formats.to }) }
    yield* Output.show(json, document, (style) => [
      changed === undefined
        ? `${found.name} has the current format: ${count(found.position, "event")}.`
        : `${style.good("Upgraded")} ${found.name} from format ${changed.from} to ${changed.to}: ${count(found.position, "event")}.`,
    ])
  }),
).pipe(
  Command.withDescription("Upgrade a log of an earlier format to the current one; its events and hashes do not change"),
)

const upgradeOnServer = (url: string) =>
  Effect.flatMap(
    Effect.promise(() => import("../../events/postgres/server/upgrade.ts")),
    (server) => server.upgrade(url),
  )
