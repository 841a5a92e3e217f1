/** A log that its first append creates: a command that writes nothing leaves no file. */
import * as fs from "node:fs"
import { Context, Effect, ExecutionStrategy, Exit, Layer, Scope, Stream } from "effect"
import { EventLog, type LogError, LogUnavailable } from "../../../events/log/EventLog.ts"
import * as MemoryEventLog from "../../../events/memory/MemoryEventLog.ts"
import * as SqliteEventLog from "../../../events/sqlite/SqliteEventLog.ts"

/** The log in a file. It is empty while the file does not exist. */
export const layer = (filename: string) =>
  Layer.scoped(
    EventLog,
    Effect.gen(function* () {
      const scope = yield* Effect.scope
      const empty = Context.get(yield* Layer.build(MemoryEventLog.layer()), EventLog)
      const toldOfCommits = new Set<Parameters<EventLog.Service["onCommit"]>[0]>()
      const opening = Effect.flatMap(Scope.fork(scope, ExecutionStrategy.sequential), (own) =>
        Layer.buildWithScope(SqliteEventLog.layer({ filename }), own).pipe(
          Effect.map(Context.get(EventLog)),
          // The only option is a valid path.
          Effect.catchTag("InvalidOptions", Effect.die),
          Effect.catchTag(
            "LogFormatUnsupported",
            ({ message }) => new LogUnavailable({ log: filename, reason: message }),
          ),
          Effect.tap((log) => {
            log.onCommit((events) => {
              for (const told of toldOfCommits) told(events)
            })
            known = log
          }),
          Effect.onError((cause) => Scope.close(own, Exit.failCause(cause))),
        ),
      )
      let known: EventLog.Service | undefined
      const oneAtATime = (yield* Effect.makeSemaphore(1)).withPermits(1)
      const knownOr = (other: Effect.Effect<EventLog.Service, LogError>) =>
        Effect.suspend(() => (known === undefined ? other : Effect.succeed(known)))
      /** Tries again after a failure: the disk may have been full. */
      const opened = knownOr(oneAtATime(knownOr(opening)))
      /** The log to read from. Another process may have created the file since the last read. */
      const log = Effect.suspend(() => (fs.existsSync(filename) ? opened : Effect.succeed(empty)))
      return EventLog.of({
        ...empty,
        name: filename,
        append: (request) => Effect.flatMap(opened, (log) => log.append(request)),
        read: (query) => Stream.unwrap(Effect.map(log, (log) => log.read(query))),
        readPage: (query, limit) => Effect.flatMap(log, (log) => log.readPage(query, limit)),
        find: (id) => Effect.flatMap(log, (log) => log.find(id)),
        versionOf: (stream, timeline) => Effect.flatMap(log, (log) => log.versionOf(stream, timeline)),
        head: Effect.flatMap(log, (log) => log.head),
        follow: (query) => Stream.unwrap(Effect.map(log, (log) => log.follow(query))),
        onCommit: (told) => {
          toldOfCommits.add(told)
          return () => void toldOfCommits.delete(told)
        },
        // Reads may switch to another log.
        mayHave: () => true,
        verify: Effect.flatMap(log, (log) => log.verify),
        verifyWith: (options) => Effect.flatMap(log, (log) => log.verifyWith(options)),
        verifyRange: (range) => Stream.unwrap(Effect.map(log, (log) => log.verifyRange(range))),
      })
    }),
  )
