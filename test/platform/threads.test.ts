import { Effect, Exit, Logger } from "effect"
import { describe, expect, it } from "vitest"
import type * as ThreadsModule from "../../src/platform/threads/Threads.ts"
import * as Sources from "../../src/platform/threads/Threads.ts"
import { built } from "../built.ts"
import { workplace } from "../workplace.ts"

const place = workplace()

const load = (): Promise<typeof ThreadsModule> => import(built("platform", "threads", "Threads.js"))

/** How asking threads for one piece of work ends, and what was taken of it. */
const asking = async (work: string, asked: unknown, count = 2) => {
  const { start } = await load()
  const taken: Array<unknown> = []
  const exit = await Effect.runPromiseExit(
    Effect.gen(function* () {
      const threads = yield* start(count)
      if (threads === undefined) return yield* Effect.dieMessage("no threads were started")
      const take = (result: unknown) => Effect.sync(() => taken.push(result) > 0)
      yield* threads.inOrder(work, [{ asked, again: Effect.fail("said here"), take }])
    }).pipe(Effect.scoped),
  )
  return { exit, taken }
}

describe("threads", () => {
  it("say why one of them died, and nothing of its piece is taken", async () => {
    const { exit, taken } = await asking("nonsense", {})
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("found nonsense")
    expect(taken).toEqual([])
  })

  it("are started for the work that there is, however many are asked for", async () => {
    const { exit, taken } = await asking("nonsense", {}, 1_000_000)
    expect(Exit.isFailure(exit) && String(exit.cause)).toContain("found nonsense")
    expect(taken).toEqual([])
  })

  it("have the caller say why a piece failed", async () => {
    const file = { filename: place.file("none.db"), identity: "", personal: false }
    const { exit, taken } = await asking("check", { file, index: 0 })
    expect(exit).toEqual(Exit.fail("said here"))
    expect(taken).toEqual([])
  })

  it("are not started where their module is not installed, which is said once", async () => {
    const said: Array<string> = []
    const logger = Logger.make(({ message }) => void said.push(String(message)))
    const started = Effect.scoped(Effect.all([Sources.start(2), Sources.start(2)])).pipe(
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
    )
    expect(await Effect.runPromise(started)).toEqual([undefined, undefined])
    expect(said).toEqual([expect.stringContaining("Cannot start threads")])
  })
})
