import { spawn } from "node:child_process"
import { describe, expect, it, vi } from "vitest"
import { isAlive } from "../../src/platform/LiveProcess.ts"

describe("a process", () => {
  it("is alive, and is dead when it has ended", async () => {
    expect(isAlive(process.pid)).toBe(true)
    const child = spawn("true")
    await new Promise((resolve) => child.once("exit", resolve))
    expect(isAlive(child.pid ?? expect.unreachable("it was not started"))).toBe(false)
  })

  it.runIf(process.platform === "linux")("is dead also where its parent never asks for it", async () => {
    // The shell becomes a program that knows nothing of its child, which ends only then.
    const child = "while grep -q sh /proc/$$/comm; do :; done"
    const parent = spawn("sh", ["-c", `(${child}) & echo $!; exec sleep 60`])
    const line = await new Promise<string>((resolve) => parent.stdout.once("data", (data) => resolve(String(data))))
    await vi.waitFor(() => expect(isAlive(Number(line))).toBe(false), 10_000)
    expect(() => process.kill(Number(line), 0)).not.toThrow()
    parent.kill("SIGKILL")
  })
})
