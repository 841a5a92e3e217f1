import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, type Scope } from "effect"
import { expect, it } from "vitest"
import type { EventLog } from "../../src/events/log/EventLog.ts"
import type { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { ownServer } from "../postgres/cluster.ts"
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

/** The server's processes: the first line of its file names the first, whose children serve connections. */
const processesOf = (directory: string): ReadonlyArray<number> => {
  const first = Number(fs.readFileSync(path.join(directory, "data", "postmaster.pid"), "utf8").split("\n")[0])
  const children = fs.readFileSync(`/proc/${first}/task/${first}/children`, "utf8")
  return [first, ...children.split(" ").filter(Boolean).map(Number)]
}

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
  "runners wait while the server has no room on its disk, and continue: no task is lost, no command repeated",
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
