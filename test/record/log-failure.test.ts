import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { RecordingFailed, type RecordOptions, record } from "../../src/record/index.ts"
import { server } from "../agents/models/servers.ts"
import { Database } from "../sqlite.ts"
import { eventsOf, temporary } from "./recorded.ts"

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => "it did not reject",
    (error: unknown) => error,
  )

/** Lets every append to a log fail, as a full disk or a damaged file would. */
const fail = (log: string) =>
  new Database(log).exec(
    "CREATE TRIGGER failing BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no more events'); END",
  )

/** The warnings of this process while something runs. */
const warningsOf = async (does: () => Promise<void>): Promise<ReadonlyArray<string>> => {
  const warnings: Array<string> = []
  const listen = ({ message }: Error) => warnings.push(message)
  process.on("warning", listen)
  await does()
  // Warnings are emitted at the next tick.
  await new Promise((resolve) => setImmediate(resolve))
  process.off("warning", listen)
  return warnings
}

const options = (log: string, more: Partial<RecordOptions> = {}) => ({ log, goal: "Go on", agent: "tester", ...more })

describe("a run whose log fails", () => {
  it.scopedLive("goes on with the same answers, and says so once", () =>
    Effect.gen(function* () {
      const url = yield* server((_, response) => response.end("all of it"))
      const log = temporary("go-on.db")
      const warnings = yield* Effect.promise(() =>
        warningsOf(async () => {
          const run = await record(options(log))
          const count = run.tool("count", (from: number) => from + 1)
          expect(await count(0)).toBe(1)
          fail(log)
          expect(await count(1)).toBe(2)
          expect(await run.io("load", () => "loaded")()).toBe("loaded")
          expect(await run.sensor("heat", () => 20)()).toBe(20)
          expect(run.now()).toBeGreaterThan(0)
          const response = await run.fetch(`${url}/v1/chat/completions`, {
            method: "POST",
            body: JSON.stringify({ model: "gpt-5", messages: [] }),
          })
          expect(await response.text()).toBe("all of it")
          await run.end("achieved")
        }),
      )
      expect(warnings.filter((warning) => warning.includes("is no longer recorded"))).toHaveLength(1)
      expect(warnings.join()).toContain(log)
      new Database(log).exec("DROP TRIGGER failing")
      expect((yield* Effect.promise(() => eventsOf(log))).at(-1)?.type).toBe("CommandSucceeded")
    }),
  )

  it.live("calls no tool that its gate could not be asked about", () =>
    Effect.promise(async () => {
      const log = temporary("gated.db")
      const run = await record(options(log, { gate: { default: "allow" } }))
      let calls = 0
      const erase = run.tool("erase", () => ++calls)
      fail(log)
      expect(await rejection(erase())).toMatchObject({ _tag: "ToolDenied", rule: "log" })
      expect(calls).toBe(0)
      await run.end("failed")
    }),
  )

  it.scopedLive("stops where it is to stop, before anything is asked", () =>
    Effect.gen(function* () {
      let asks = 0
      const url = yield* server((_, response) => {
        asks++
        response.end("all of it")
      })
      const log = temporary("stop.db")
      yield* Effect.promise(async () => {
        const run = await record(options(log, { onLogFailure: "stop" }))
        let calls = 0
        const count = run.tool("count", () => ++calls)
        const half = await run.fetch(url)
        fail(log)
        // It was asked before; its end cannot be recorded.
        expect(await rejection(half.text())).toBeInstanceOf(RecordingFailed)
        expect(await rejection(run.fetch(url) as Promise<unknown>)).toBeInstanceOf(RecordingFailed)
        expect(await rejection(count())).toBeInstanceOf(RecordingFailed)
        expect([asks, calls]).toEqual([1, 0])
        expect(() => run.now()).toThrow(RecordingFailed)
        expect(() => run.random()).toThrow(RecordingFailed)
        expect(await rejection(run.end("achieved"))).toMatchObject({ _tag: "RecordingFailed", log })
      })
    }),
  )
})
