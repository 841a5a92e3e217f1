import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as NextTimeout from "../../src/plugins/channel/NextTimeout.ts"

describe("one alarm for many deadlines", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** An alarm for times that things are due, in milliseconds from now; when it rang for each. */
  const alarmed = () => {
    const startedAt = performance.now()
    const due = new Set<number>()
    const rang: Array<number> = []
    const alarm = NextTimeout.make(() => {
      const now = performance.now() - startedAt
      for (const at of due) {
        if (at > now) continue
        due.delete(at)
        rang.push(now)
      }
      return startedAt + Math.min(Number.POSITIVE_INFINITY, ...due)
    })
    const set = (at: number) => {
      due.add(at)
      alarm.noLaterThan(startedAt + at)
    }
    return { set, due, rang, stop: alarm.stop }
  }

  it("rings for each at its time, in whatever order they were set", () => {
    const { set, rang } = alarmed()
    for (const at of [300, 100, 200, 100.5, 50]) set(at)
    vi.advanceTimersByTime(1_000)
    expect(rang).toEqual([50, 100, 101, 200, 300])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("has one timer, however many there are", () => {
    const { set } = alarmed()
    for (let at = 1_000; at > 500; at--) set(at)
    expect(vi.getTimerCount()).toBe(1)
  })

  it("rings for nothing that is over by then, and for what was set after it", () => {
    const { set, due, rang } = alarmed()
    set(100)
    due.delete(100)
    vi.advanceTimersByTime(60)
    set(160)
    vi.advanceTimersByTime(1_000)
    expect(rang).toEqual([160])
  })

  it("waits longer than a timer can", () => {
    const { set, rang } = alarmed()
    const month = 30 * 24 * 60 * 60 * 1_000
    set(month)
    vi.advanceTimersByTime(month - 1)
    expect(rang).toEqual([])
    vi.advanceTimersByTime(1)
    expect(rang).toEqual([month])
  })

  it("never rings for what is never due, nor when it was stopped", () => {
    const { set, rang, stop } = alarmed()
    set(Number.POSITIVE_INFINITY)
    expect(vi.getTimerCount()).toBe(0)
    set(10)
    stop()
    vi.advanceTimersByTime(1_000)
    expect(rang).toEqual([])
  })
})
