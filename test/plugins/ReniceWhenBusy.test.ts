import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { afterEach, beforeEach, describe, expect, vi } from "vitest"
import { MAX_NICENESS, watch } from "../../src/plugins/process/ReniceWhenBusy.ts"
import { start } from "./fixtures.ts"
import { inLayer, strongest } from "./layers.ts"

describe("a process that has calls to answer", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** A process under watch: whether it is busy, the pings that it has not answered, and the niceness it was given. */
  const watched = () => {
    const process = { busy: true, pings: [] as (() => void)[], given: [] as number[] }
    const stop = watch({
      isBusy: () => process.busy,
      ping: (onAnswer) => void process.pings.push(onAnswer),
      niceness: 10,
      setNiceness: (niceness) => {
        process.given.push(niceness)
        return "done" as const
      },
    })
    return { process, stop }
  }

  it("keeps its niceness while it answers", () => {
    const { process, stop } = watched()
    for (let time = 0; time < 10; time++) {
      vi.advanceTimersByTime(250)
      process.pings.pop()?.()
    }
    expect(process.given).toEqual([])
    stop()
    expect(vi.getTimerCount()).toBe(0)
  })

  it("stands back once it does not, however long that lasts, until it does again", () => {
    const { process, stop } = watched()
    vi.advanceTimersByTime(250)
    expect(process.given).toEqual([])
    vi.advanceTimersByTime(2_000)
    expect(process.given).toEqual([MAX_NICENESS])
    expect(process.pings).toHaveLength(1)
    process.pings.pop()?.()
    expect(process.given).toEqual([MAX_NICENESS, 10])
    vi.advanceTimersByTime(500)
    expect(process.given).toEqual([MAX_NICENESS, 10, MAX_NICENESS])
    stop()
  })

  it("is left alone once it has ended, though it never answered", () => {
    const { process, stop } = watched()
    vi.advanceTimersByTime(250)
    expect(process.pings).toHaveLength(1)
    process.busy = false
    vi.advanceTimersByTime(2_000)
    expect(process.given).toEqual([])
    stop()
  })

  it("is not asked where there is nothing to answer", () => {
    const { process, stop } = watched()
    process.busy = false
    vi.advanceTimersByTime(5_000)
    expect(process.pings).toEqual([])
    stop()
  })
})

const groupOf = (pid: number): string => fs.readFileSync(`/proc/${pid}/autogroup`, "utf8")

/** Whether processes are grouped by session. */
const grouped = fs.existsSync("/proc/self/autogroup")

/** Only root may take back what it gave. */
const isRoot = process.getuid?.() === 0

/** Until a process has a niceness, one turn of the event loop after the other; the test's time-out bounds it. */
const untilNiceness = (pid: number, niceness: number): Effect.Effect<void> =>
  Effect.suspend(() =>
    groupOf(pid).trim().endsWith(`nice ${niceness}`)
      ? Effect.void
      : Effect.zipRight(
          Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void))),
          untilNiceness(pid, niceness),
        ),
  )

describe("a plugin that spins", () => {
  if (!grouped)
    it("NOT TESTED: its group's niceness, for sessions are no groups here", () => expect(grouped).toBe(false))

  it.scopedLive.each(grouped ? ["where sessions are groups"] : [])("stands back meanwhile, %s", () =>
    Effect.gen(function* () {
      const { process } = yield* start({
        entry: `export default { sensors: {
          spin: () => { const end = Date.now() + 1500; while (Date.now() < end); return "done" },
        } }`,
        sensors: ["spin"],
        limits: { niceness: 3 },
      })
      yield* untilNiceness(process.pid, 3)
      const call = yield* Effect.fork(process.read("spin"))
      yield* untilNiceness(process.pid, MAX_NICENESS)
      expect(yield* Fiber.join(call)).toBe("done")
      // Others than root can be as kind as they like, and stay so.
      yield* untilNiceness(process.pid, isRoot ? 3 : MAX_NICENESS)
    }).pipe(inLayer(strongest)),
  )
})
