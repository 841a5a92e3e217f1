import { randomBytes } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Fiber, Schedule, type Scope } from "effect"
import { describe, expect, it } from "vitest"
import { type AppendError, EventLog } from "../../src/events/log/EventLog.ts"
import type { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { control, type Disk, logDisk, mayMount, ownServer, processesOf } from "../postgres/cluster.ts"
import { all, assertWhole, next, submitAll, trial } from "../postgres/runnerTrial.ts"
import { schema, sql, urlOf } from "../postgres/server.ts"

const STEPS = 6
const TEN_MINUTES_MS = 600_000

const on = <A, E>(
  url: Effect.Effect<string, never, Scope.Scope>,
  test: (
    given: Effect.Effect.Success<ReturnType<typeof trial>>,
    url: string,
  ) => Effect.Effect<A, E, EventLog | TaskQueue | Scope.Scope>,
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const at = yield* url
        const given = yield* trial(at, STEPS)
        return yield* Effect.provide(test(given, at), given.layer)
      }),
    ),
  )

it(
  "runners survive a server that stands still for 30 seconds: no task is lost, no command repeated",
  () => {
    let directory = ""
    const own = Effect.map(ownServer(), (server) => {
      directory = server.directory
      return server.url
    })
    return on(own, (given) =>
      Effect.gen(function* () {
        const ids = yield* submitAll(8)
        yield* given.runner("one")
        yield* given.runner("two")
        yield* next(0, ["CommandDispatched"], 5)
        const stopped = processesOf(directory)
        const signal = (name: NodeJS.Signals) => {
          // A process may have ended meanwhile.
          for (const pid of stopped) if (fs.existsSync(`/proc/${pid}`)) process.kill(pid, name)
        }
        yield* Effect.addFinalizer(() => Effect.sync(() => signal("SIGCONT")))
        yield* Effect.sync(() => signal("SIGSTOP"))
        yield* Effect.sleep("30 seconds")
        yield* Effect.sync(() => signal("SIGCONT"))
        yield* next(0, ["TaskClosed"], ids.length)
        yield* assertWhole(ids, STEPS, given.marks())
        expect((yield* all(["TaskPoisoned"])).length).toBe(0)
      }),
    )
  },
  TEN_MINUTES_MS,
)

it(
  "runners wait while the server refuses appends for want of room, and continue: no task is lost, no command repeated",
  () => {
    let name = ""
    const own = Effect.flatMap(schema, (made) => {
      name = made
      return Effect.promise(() => urlOf(made))
    })
    return on(own, (given) =>
      Effect.gen(function* () {
        const ids = yield* submitAll(6)
        yield* given.runner("one")
        yield* next(0, ["CommandDispatched"], 4)
        yield* Effect.promise(() =>
          sql(`CREATE FUNCTION ${name}.full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
            CREATE TRIGGER disk_full BEFORE INSERT ON ${name}.events FOR EACH STATEMENT EXECUTE FUNCTION ${name}.full()`),
        )
        yield* Effect.sleep("5 seconds")
        yield* Effect.promise(() => sql(`DROP TRIGGER disk_full ON ${name}.events`))
        yield* next(0, ["TaskClosed"], ids.length)
        yield* assertWhole(ids, STEPS, given.marks())
      }),
    )
  },
  TEN_MINUTES_MS,
)

const BALLAST = "ballast"

/** Fills a disk. Returns how to make room again. */
const filled = (directory: string) => {
  const file = path.join(directory, BALLAST)
  const opened = fs.openSync(file, "w")
  try {
    for (const size of [1024 * 1024, 4096]) {
      const piece = Buffer.alloc(size, 1)
      try {
        while (fs.writeSync(opened, piece) > 0);
      } catch (cause) {
        if (!(cause instanceof Error && "code" in cause && cause.code === "ENOSPC")) throw cause
      }
    }
  } finally {
    fs.closeSync(opened)
  }
  return () => fs.rmSync(file)
}

const note = (text: string) => ({
  stream: "notes",
  actor: "human:test",
  events: [{ type: "NoteAdded" as const, payload: { about: "notes", text } }],
})

/** Text that no server makes smaller. */
const megabyte = () => randomBytes(750_000).toString("base64")

/** Fills the disk of a server with tasks at work, makes room after `meanwhile`, and looks whether all is there. */
const fullDisk = <A>(disk: Disk, meanwhile: (given: Meanwhile) => Effect.Effect<A, never, Scope.Scope>) => {
  let directory = ""
  const own = Effect.map(ownServer({ disk }), (server) => {
    directory = server.directory
    return server.url
  })
  return on(own, (given) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const ids = yield* submitAll(6)
      yield* given.runner("one")
      yield* next(0, ["CommandDispatched"], 4)
      const place = disk.holds === "log" ? logDisk(directory) : directory
      const makeRoom = filled(place)
      const acknowledged: Array<string> = []
      const append = Effect.map(
        Effect.suspend(() => log.append(note(megabyte()))),
        ({ events: [event] }) => {
          acknowledged.push(event?.id ?? "none")
        },
      )
      const waiting: Array<Fiber.RuntimeFiber<unknown>> = []
      const goOn = Effect.repeat(Effect.ignore(append), { while: () => fs.existsSync(path.join(place, BALLAST)) })
      const appendOn = Effect.map(Effect.forkScoped(goOn), (fiber) => void waiting.push(fiber))
      const seen = yield* meanwhile({ directory, append, appendOn })
      yield* Effect.sync(makeRoom)
      if (!isUp(directory)) yield* Effect.sync(() => control(directory, "start"))
      yield* Fiber.joinAll(waiting)
      yield* append
      yield* next(0, ["TaskClosed"], ids.length)
      yield* assertWhole(ids, STEPS, given.marks())
      expect((yield* all(["NoteAdded"])).map(({ id }) => id)).toEqual(acknowledged)
      return seen
    }),
  )
}

interface Meanwhile {
  readonly directory: string
  readonly append: Effect.Effect<void, AppendError>
  /** Appends until there is room, whether or not the log takes it, and waits where the log does. */
  readonly appendOn: Effect.Effect<void, never, Scope.Scope>
}

const isUp = (directory: string): boolean => fs.existsSync(path.join(directory, "data", "postmaster.pid"))

describe.runIf(mayMount())("a server whose disk is full", () => {
  it(
    "refuses appends, and takes them again once there is room: nothing that it acknowledged is lost",
    async () => {
      const refused = await fullDisk({ mebibytes: 256, holds: "everything" }, ({ append }) =>
        Effect.zipLeft(Effect.flip(Effect.forever(append)), Effect.sleep("5 seconds")),
      )
      expect(refused._tag).toBe("DiskFull")
      expect(refused.message).toContain("make room and try again")
    },
    TEN_MINUTES_MS,
  )

  it(
    "stops if its write-ahead log has no room; started again with room, it has all that it acknowledged",
    async () => {
      const wrote = await fullDisk({ mebibytes: 64, holds: "log" }, ({ directory, appendOn }) =>
        Effect.gen(function* () {
          yield* appendOn
          yield* Effect.repeat(
            Effect.sync(() => isUp(directory)),
            { while: (up) => up, schedule: Schedule.spaced("100 millis") },
          )
          return fs.readFileSync(path.join(directory, "log"), "utf8")
        }),
      )
      expect(wrote).toMatch(/PANIC: .*No space left on device/)
    },
    TEN_MINUTES_MS,
  )
})
