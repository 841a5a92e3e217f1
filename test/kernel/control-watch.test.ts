import { it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { expect } from "vitest"
import { EventLog, LogUnavailable } from "../../src/events/log/EventLog.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import * as ControlWatch from "../../src/kernel/control/ControlWatch.ts"
import * as RunningTasks from "../../src/kernel/tasks/RunningTasks.ts"
import { temporaryLog } from "../temporary.ts"

const about = (taskId: string, type: "TaskCancelled" | "TaskPaused") => ({
  stream: `task/${taskId}`,
  taskId,
  actor: "human:ada",
  events: [{ type, payload: { by: "ada" } }] as const,
})

it.scopedLive("a cancelled task that cannot be closed holds up no request about another, and is tried again", () =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const lease = yield* Effect.flatMap(Lease, ({ acquire }) => acquire("test"))
    const running = RunningTasks.make()
    const paused = yield* Deferred.make<void>()
    const triedAgain = yield* Deferred.make<void>()
    const closed = yield* Deferred.make<void>()
    const noticed = () => void Deferred.unsafeDone(paused, Effect.void)
    yield* running.add("running", { noticed, suspend: Effect.void, drain: Effect.void, stopped: Effect.never })
    let [tries, closings] = [0, 0]
    const close = ({ taskId }: { readonly taskId: string | null }) =>
      Effect.suspend(() => {
        if (taskId === "later") {
          closings += 1
          return Effect.asVoid(Deferred.succeed(closed, undefined))
        }
        if (++tries === 2) Deferred.unsafeDone(triedAgain, Effect.void)
        return new LogUnavailable({ log: log.name, reason: "its segment is missing" })
      })
    const { position } = yield* log.head
    yield* log.append(about("left", "TaskCancelled"))
    yield* log.append(about("running", "TaskPaused"))
    yield* log.append(about("later", "TaskCancelled"))
    yield* Effect.forkScoped(ControlWatch.run(log, running, lease, position, close))
    yield* Effect.all([Deferred.await(paused), Deferred.await(closed), Deferred.await(triedAgain)])
    expect(closings).toBe(1)
  }).pipe(Effect.provide(temporaryLog()), Effect.timeout("10 seconds")),
)
