import { spawn } from "node:child_process"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import * as PasswordHash from "../../src/studio/team/PasswordHash.ts"
import { MAIN } from "../built.ts"

const run = (input: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>((resolve) => {
    const child = spawn(process.execPath, [MAIN, "password", ...args])
    let [stdout, stderr] = ["", ""]
    child.stdout.on("data", (chunk) => {
      stdout += chunk
    })
    child.stderr.on("data", (chunk) => {
      stderr += chunk
    })
    child.on("close", (code) => resolve({ code, stdout, stderr }))
    child.stdin.end(input)
  })

const isOf = (password: string, hash: string) => Effect.runPromise(PasswordHash.isOf(password, hash.trim()))

describe("hindcast password", () => {
  it("prints the hash of a line of its input, and nothing of the password", async () => {
    const { code, stdout, stderr } = await run("a horse, a staple\nanother line\n")
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toMatch(/^scrypt:\S+\n$/)
    expect(await isOf("a horse, a staple", stdout)).toBe(true)
    const json = await run("a horse, a staple", "--json")
    expect(await isOf("a horse, a staple", JSON.parse(json.stdout).hash)).toBe(true)
  })

  it("refuses a short password, none, and one among the arguments", async () => {
    for (const input of ["too short\n", "", "\n", `${"x".repeat(1_001)}\n`]) {
      const { code, stdout, stderr } = await run(input)
      expect([input.slice(0, 20), code, stdout]).toEqual([input.slice(0, 20), 1, ""])
      expect(stderr).toContain("expected 12 to 1000 characters")
      if (input.trim() !== "") expect(stderr).not.toContain(input.trim())
    }
    const typed = await run("", "a horse, a staple")
    expect([typed.code, typed.stdout]).toEqual([1, ""])
  })
})
