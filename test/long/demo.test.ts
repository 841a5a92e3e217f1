import { Effect, Stream } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog, layerSqlite } from "../../src/events/index.ts"
import { document } from "../cli/hindcast.ts"
import { differing, everything } from "../cli/season.ts"
import { demoLog } from "../demoLog.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

describe("the log of 500 tasks", () => {
  it("is written within its time, is intact, and shows an agent that learns", { timeout: 900_000 }, async () => {
    const log = place.file("demo.db")
    const startedAt = performance.now()
    const told = await document(["demo", "--tasks", "500", "--seed", "7", "--log", log])
    const seconds = (performance.now() - startedAt) / 1000
    process.stdout.write(`500 tasks, ${told.events} events: ${seconds.toFixed(1)} s\n`)
    // A minute on two cores that do nothing else; this machine may.
    expect(seconds).toBeLessThan(600)
    expect(told.incidents).not.toMatchObject({ burst: 0, expired: 0 })
    expect(await document(["log", "verify", "--log", log])).toMatchObject({ intact: true })

    const nets = await netsOf(log, "apprentice@1.0.0")
    expect(nets.length).toBeGreaterThan(90)
    const third = Math.floor(nets.length / 3)
    const [first, last] = [mean(nets.slice(0, third)), mean(nets.slice(-third))]
    expect(last - first).toBeGreaterThan(0.8)
  })
})

describe("a season of 23 tasks", () => {
  it("is the same when it is made again, but for ids, times, processes and paths", { timeout: 120_000 }, async () => {
    const again = place.file("again.db")
    const told = await document(["demo", "--tasks", "23", "--seed", "7", "--log", again])
    const events = await everything(await demoLog(23, 7))
    expect(told).toMatchObject({ log: again, tasks: 23, seed: 7, events: events.length })
    expect(differing(await everything(again), events)).toEqual([])
  })
})

/** The net values of an agent's live scores, in order. */
const netsOf = (filename: string, agent: string): Promise<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const opened = yield* Stream.runCollect(log.read({ types: ["TaskOpened"] }))
    const tasks = new Set([...opened].filter(({ payload }) => payload.agent === agent).map(({ taskId }) => taskId))
    const finished = yield* Stream.runCollect(log.read({ types: ["ScoringFinished"] }))
    return [...finished].flatMap(({ taskId, payload: { totals } }) => {
      const own = taskId === null || !tasks.has(taskId) ? undefined : Object(totals)[taskId]?.net
      return typeof own === "number" ? [own] : []
    })
  }).pipe(Effect.provide(layerSqlite({ filename, readonly: true })), Effect.runPromise)

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length
