import { Effect } from "effect"
import { expect, it } from "vitest"
import { type OwnershipBackend, ownershipSuite, sessionOn } from "../kernel/queue/ownershipSuite.ts"
import { postgres } from "./backend.ts"

const backend: OwnershipBackend = {
  place: postgres.place,
  open: postgres.open,
  crash: (place) => Effect.asVoid(postgres.crash(place)),
}

ownershipSuite("by sessions on a server", backend, true)

it.each([
  ["of an agent", { agents: { desk: 3 } }],
  ["of all tasks of a log", { total: 3 }],
])("eight sessions that claim at a time never exceed a limit %s, and claim no task twice", (_, limits) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const place = yield* backend.place
        const names = ["a", "b", "c", "d", "e", "f", "g", "h"]
        const sessions = yield* Effect.forEach(names, (name) => sessionOn(backend, place, name))
        const [first] = sessions
        if (first === undefined) throw new Error("no session")
        yield* first.queue.limit({ ...limits, by: "ada" })
        const ids = Array.from({ length: 24 }, (_, index) => `t${index}`)
        yield* Effect.forEach(ids, (id) => first.queue.submit({ id, agent: "desk", goal: "x" }), { concurrency: 8 })
        const working = ({ claim, fenced, queue }: (typeof sessions)[number]) =>
          Effect.gen(function* () {
            while (Object.keys(yield* queue.queued).length > 0) {
              for (const claimed of (yield* claim(2)).claimed) {
                yield* fenced(claimed).append({
                  stream: `task/${claimed.task}`,
                  taskId: claimed.task,
                  actor: "kernel",
                  events: [{ type: "TaskClosed", payload: { outcome: "achieved" } }],
                })
              }
            }
          })
        yield* Effect.forEach(sessions, working, { concurrency: "unbounded", discard: true })
        const events = yield* first.log.readPage({ types: ["TasksClaimed", "TaskClosed"] }, 1000)
        let [running, most] = [0, 0]
        const claimed: Array<string> = []
        for (const { type, payload } of events) {
          const claims = type === "TasksClaimed" ? (payload.claims as ReadonlyArray<{ readonly task: string }>) : []
          claimed.push(...claims.map(({ task }) => task))
          running += type === "TasksClaimed" ? claims.length : -1
          most = Math.max(most, running)
        }
        expect(most).toBe(3)
        expect(claimed.sort()).toEqual([...ids].sort())
      }),
    ),
  ),
)
