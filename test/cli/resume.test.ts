import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { stopSilently } from "../kernel/lostLease.ts"
import { inRepository } from "../repository.ts"
import { temporaryDirectory } from "../temporary.ts"
import { document, hindcast, start } from "./hindcast.ts"

/** An agent that walks to and fro, and is asked nothing. */
const WALKER = `
export default {
  name: "walker",
  version: "1",
  decide: ({ step }) =>
    step < 6 ? { act: "text-room/go", args: { direction: step % 2 === 0 ? "north" : "south" } } : { done: "achieved" },
}
`

/** Waits until the log has an event of some type for the `count`th time. */
const seen = (filename: string, type: string, count = 1) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow({ types: [type] }).pipe(
      Stream.filter((item): item is Event => "id" in item),
      Stream.take(count),
      Stream.runLast,
    ),
  ).pipe(Effect.provide(layerSqlite({ filename })))

/** A log with a task whose process was killed after its `count`th command was dispatched. */
const killed = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const [log, agent] = [path.join(directory, "log.db"), path.join(directory, "walker.mjs")]
  fs.writeFileSync(agent, WALKER)
  yield* Effect.promise(() => document(["plugin", "add", inRepository("plugins", "text-room"), "--log", log]))
  const running = start(["run", "--log", log, "--agent", agent, "--goal", "walk", "--seed", "7"])
  yield* seen(log, "CommandDispatched", 2)
  running.child.kill("SIGKILL")
  yield* Effect.promise(() => running.ended)
  const { tasks } = yield* Effect.promise(() => document(["task", "ls", "--log", log]))
  const [{ id, outcome }] = tasks as [{ id: string; outcome: string | null }]
  expect(outcome).toBeNull()
  return { log, agent, id }
})

const run = (...args: ReadonlyArray<string>) => Effect.promise(() => hindcast(args))

describe("a task whose process was killed", () => {
  it.scopedLive("is still open after another run, which says so, and is resumed to its end", () =>
    Effect.gen(function* () {
      const { log, agent, id } = yield* killed
      const other = yield* run("run", "--log", log, "--agent", agent, "--goal", "walk too")
      expect(other.code).toBe(0)
      expect(other.stderr).toContain(`Task ${id} of walker@1 has been open since its kernel ended.`)
      const resumed = yield* run("resume", id.slice(-8), "--log", log, "--agent", agent)
      expect(resumed.stderr).toBe("")
      expect(resumed.code).toBe(0)
      expect(resumed.stdout).toContain("continues from @")
      expect(resumed.stdout).toContain("achieved")
      expect(resumed.stdout).toMatch(/6 commanded/)
      const replayed = yield* run("replay", id, "--log", log, "--agent", agent)
      expect(replayed.code).toBe(0)
      const again = yield* run("resume", id, "--log", log, "--agent", agent)
      expect(again.code).not.toBe(0)
      expect(again.stderr).toContain("cannot be resumed: expected an open task, found one that was closed as achieved")
    }),
  )

  it.scopedLive("is paused, continued and cancelled, also where no kernel runs", () =>
    Effect.gen(function* () {
      const { log, id } = yield* killed
      const paused = yield* run("task", "pause", id, "--log", log, "--reason", "lunch")
      expect(paused.stdout).toContain(`Task ${id} is paused`)
      expect((yield* run("task", "ls", "--log", log)).stdout).toContain("paused")
      expect((yield* run("task", "pause", id, "--log", log)).stderr).toContain("expected one that is not paused")
      expect((yield* run("task", "continue", id, "--log", log)).stdout).toContain(`Task ${id} continues`)
      expect((yield* run("task", "cancel", id, "--log", log, "--reason", "enough")).code).toBe(0)
      const { tasks } = yield* Effect.promise(() => document(["task", "ls", "--log", log]))
      expect(tasks).toMatchObject([{ outcome: "abandoned", reason: expect.stringMatching(/cancelled it: enough$/) }])
      const stopped = yield* run("stop", "--log", log)
      expect(stopped.stdout).toContain("No task is open.")
      expect((yield* run("task", "cancel", "nothere", "--log", log)).code).toBe(3)
    }),
  )
})

/** A kernel in another process, whose agent has perceived and does not decide. */
const waiting = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const [log, agent] = [path.join(directory, "log.db"), path.join(directory, "waiting.mjs")]
  fs.writeFileSync(agent, 'export default { name: "waiter", version: "1", decide: () => new Promise(() => {}) }')
  yield* Effect.promise(() => document(["plugin", "add", inRepository("plugins", "text-room"), "--log", log]))
  const running = start(["run", "--log", log, "--agent", agent, "--goal", "wait"])
  yield* seen(log, "SensorRead")
  return { log, running }
})

describe("stop", () => {
  it.scopedLive("ends the tasks of a kernel that works in another process", () =>
    Effect.gen(function* () {
      const { log, running } = yield* waiting
      const stopped = yield* run("stop", "--log", log, "--reason", "fire")
      expect(stopped.stdout).toContain("1 task cancelled:")
      const { code, stderr } = yield* Effect.promise(() => running.ended)
      expect(code).not.toBe(0)
      expect(stderr).toContain("was cancelled")
      const closed = yield* Effect.map(seen(log, "TaskClosed"), (event) => event)
      expect(closed).toMatchObject({
        value: { payload: { outcome: "abandoned", reason: expect.stringContaining("fire") } },
      })
    }),
  )

  it.scopedLive("leaves a kernel that is silent the lease, and says so: it ends its tasks when it goes on", () =>
    Effect.gen(function* () {
      const { log, running } = yield* waiting
      yield* stopSilently(running.child, log)
      const stopped = yield* run("stop", "--log", log)
      expect(stopped.stdout).toContain("1 task cancelled:")
      expect(stopped.stdout).toContain(`(process ${running.child.pid}) works on the log and has been silent since`)
      running.child.kill("SIGCONT")
      const { stderr } = yield* Effect.promise(() => running.ended)
      expect(stderr).toContain("was cancelled")
      const { events } = yield* Effect.promise(() => document(["log", "ls", "--log", log]))
      const types = (events as ReadonlyArray<Event>).map(({ type }) => type)
      expect(types).toContain("TaskClosed")
      expect(types).not.toContain("LeaseTakenOver")
    }),
  )
})
