import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import * as NextTimeout from "../../src/plugins/channel/NextTimeout.ts"

describe("the next of many timeouts", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  /** The next timeout of things that are due, in milliseconds from now; when it fired for each. */
  const timeouts = () => {
    const startedAt = performance.now()
    const due = new Set<number>()
    const fired: Array<number> = []
    const timeout = NextTimeout.make(() => {
      const now = performance.now() - startedAt
      for (const at of due) {
        if (at > now) continue
        due.delete(at)
        fired.push(now)
      }
      return startedAt + Math.min(Number.POSITIVE_INFINITY, ...due)
    })
    const set = (at: number) => {
      due.add(at)
      timeout.noLaterThan(startedAt + at)
    }
    return { set, due, fired, stop: timeout.stop }
  }

  it("fires for each at its time, in whatever order they were set", () => {
    const { set, fired } = timeouts()
    for (const at of [300, 100, 200, 100.5, 50]) set(at)
    vi.advanceTimersByTime(1_000)
    expect(fired).toEqual([50, 100, 101, 200, 300])
    expect(vi.getTimerCount()).toBe(0)
  })

  it("has one timer, however many there are", () => {
    const { set } = timeouts()
    for (let at = 1_000; at > 500; at--) set(at)
    expect(vi.getTimerCount()).toBe(1)
  })

  it("fires for nothing that is over by then, and for what was set after it", () => {
    const { set, due, fired } = timeouts()
    set(100)
    due.delete(100)
    vi.advanceTimersByTime(60)
    set(160)
    vi.advanceTimersByTime(1_000)
    expect(fired).toEqual([160])
  })

  it("waits longer than a timer can", () => {
    const { set, fired } = timeouts()
    const month = 30 * 24 * 60 * 60 * 1_000
    set(month)
    vi.advanceTimersByTime(month - 1)
    expect(fired).toEqual([])
    vi.advanceTimersByTime(1)
    expect(fired).toEqual([month])
  })

  it("never fires for what is never due, nor when it was stopped", () => {
    const { set, fired, stop } = timeouts()
    set(Number.POSITIVE_INFINITY)
    expect(vi.getTimerCount()).toBe(0)
    set(10)
    stop()
    vi.advanceTimersByTime(1_000)
    expect(fired).toEqual([])
  })
})
