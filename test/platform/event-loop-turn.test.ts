import { spawnSync } from "node:child_process"
import { describe, expect, it, vi } from "vitest"
import * as EventLoopTurn from "../../src/platform/EventLoopTurn.ts"

describe("a turn of the event loop", () => {
  it("is another one after whatever comes from outside", async () => {
    const first = EventLoopTurn.current()
    await new Promise<void>((resume) => setImmediate(resume))
    const second = EventLoopTurn.current()
    expect(second).not.toBe(first)
    await Promise.resolve()
    expect(EventLoopTurn.current()).not.toBe(second)
  })

  it("is another one after a call that blocks", () => {
    const before = EventLoopTurn.current()
    spawnSync(process.execPath, ["--version"])
    expect(EventLoopTurn.current()).not.toBe(before)
  })

  it("ends where fake timers stand in for those of the platform", async () => {
    vi.useFakeTimers({ toFake: ["queueMicrotask", "performance"] })
    try {
      const before = EventLoopTurn.current()
      await Promise.resolve()
      expect(EventLoopTurn.current()).not.toBe(before)
    } finally {
      vi.useRealTimers()
    }
  })
})
