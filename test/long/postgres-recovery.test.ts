import * as fs from "node:fs"
import * as path from "node:path"
import { Context, Effect, Layer, Schedule, Stream } from "effect"
import { expect, it } from "vitest"
import * as ServerBackup from "../../src/events/copying/serverBackup.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import { baseBackup, clientAt, configure, startFrom } from "../postgres/baseBackup.ts"
import { control, own, ownServer } from "../postgres/cluster.ts"
import { temporaryDirectory } from "../temporary.ts"

const note = (text: string) => ({
  stream: "s",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "s", text } }],
})

const logAt = (url: string) => Effect.map(Layer.build(layer({ url })), Context.get(EventLog))

const texts = (log: EventLog.Service) =>
  Effect.map(Stream.runCollect(log.read()), (events) => [...events].map(({ payload }) => payload.text))

it(
  "a recovery to a moment brings back the log as it was then; the writer and the anchor say what is lost, and a backup has it",
  () =>
    Effect.gen(function* () {
      const server = yield* ownServer()
      const archive = path.join(server.directory, "archive")
      fs.mkdirSync(archive)
      own(archive)
      configure(server.directory, ["archive_mode = on", `archive_command = 'cp %p ${archive}/%f'`])
      control(server.directory, "restart")
      const log = yield* logAt(server.url)
      yield* log.append(note("one"))

      const place = yield* baseBackup(server, `${server.directory}-recovered`)
      yield* log.append(note("two"))
      const client = yield* clientAt(server.url)
      yield* Effect.promise(() => client.query("SELECT pg_create_restore_point('before')"))
      const anchorBefore = yield* log.head
      for (const text of ["three", "four"]) yield* log.append(note(text))
      const anchor = yield* log.head
      const backup = path.join(yield* temporaryDirectory, "backup.db")
      yield* ServerBackup.backup({ from: server.url, to: backup })
      const { rows } = yield* Effect.promise(() =>
        client.query<{ file: string }>("SELECT pg_walfile_name(pg_current_wal_lsn()) file, pg_switch_wal()"),
      )
      yield* Effect.repeat(
        Effect.sync(() => fs.existsSync(path.join(archive, rows[0]?.file ?? "none"))),
        { until: (isArchived) => isArchived, schedule: Schedule.spaced("50 millis") },
      )

      // Somebody recovers to the moment between two appends, while a writer is open.
      yield* Effect.sync(() => control(server.directory, "stop", "immediate"))
      yield* startFrom(server, place, "recovery.signal", [
        "archive_mode = off",
        `restore_command = 'cp ${archive}/%f %p'`,
        "recovery_target_name = 'before'",
        "recovery_target_action = 'promote'",
      ])
      const lost = yield* Effect.flip(log.append(note("five")))
      expect(lost).toMatchObject({ _tag: "LogCorrupt", position: 4 })
      expect(lost.message).toContain("Acknowledged events are lost")

      const later = yield* logAt(server.url)
      expect(yield* texts(later)).toEqual(["one", "two"])
      // By itself, it is a whole log: only the anchor tells.
      expect(yield* later.verify).toMatchObject({ _tag: "Intact", events: 2 })
      expect(yield* later.verifyWith({ anchor: anchorBefore })).toMatchObject({ _tag: "Intact" })
      expect(yield* later.verifyWith({ anchor })).toMatchObject({ _tag: "Tampered" })
      // The backup has the rest, as long as nobody appends in its place.
      expect(yield* ServerBackup.restore({ from: backup, to: server.url })).toMatchObject({ copied: 2, head: anchor })
      expect(yield* texts(later)).toEqual(["one", "two", "three", "four"])
      expect(yield* later.verifyWith({ anchor })).toMatchObject({ _tag: "Intact" })
      expect(yield* later.append(note("five"))).toMatchObject({ position: 5 })
    }).pipe(Effect.scoped, Effect.runPromise),
  240_000,
)
