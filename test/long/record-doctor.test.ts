import { describe, expect, it } from "vitest"
import { asked, BASE, doctor, examined, place, program } from "../cli/examined.ts"
import { start } from "../cli/hindcast.ts"

describe("hindcast record doctor", () => {
  it("finds nothing in a program with 64 concurrent calls whose answers are put in order, and asks nothing twice", async () => {
    const before = asked
    const { code, ...report } = await examined(
      "steady",
      `const answers = await Promise.all(Array.from({ length: 64 }, (_, index) => ask("question " + index)))
await ask(answers.join())`,
    )
    expect({ code, report }).toMatchObject({ code: 0, report: { requests: 65, reproducible: true, findings: [] } })
    expect(asked - before).toBe(65)
  })

  it("says of what it cannot name that requests depend on something else", async () => {
    const report = await examined("unknown", `await ask("I am process " + process.pid)`)
    expect(report).toMatchObject({ code: 2, findings: [{ cause: "unknown", requests: 1 }] })
  })

  it("tells of each what a model would read otherwise, in words", async () => {
    const file = program(
      "words",
      `await ask("hello"); await ask("Today is " + new Date().getFullYear() + ", my friend")`,
    )
    const { code, stdout, stderr } = await doctor("--", process.execPath, file)
    expect(code).toBe(2)
    expect(stdout).toMatch(/Not reproducible: 2 requests of task/)
    expect(stdout).toMatch(/Time, in 1 request, the first @\d+: message 1 \(user\)/)
    expect(stdout).toMatch(/Today is \[\d{4},\]/)
    expect(stdout).toContain("run.now()")
    // The program's own output is no part of the report.
    expect(stdout).not.toContain("done")
    expect(stderr).toContain("done")
  })

  it("examines a task that is recorded already without asking anything", async () => {
    const file = program("twice", `await ask("hello")`)
    const recorded = ["record", "--log", place.file("doctor.db"), "--", process.execPath, file]
    const [, taskId = ""] = /as task (\S+)\./.exec((await start(recorded, { env: { BASE } }).ended).stderr) ?? []
    const before = asked
    const again = await doctor("--json", "--task", taskId, "--", process.execPath, file)
    expect([again.code, JSON.parse(again.stdout).reproducible, asked]).toEqual([0, true, before])
  })

  it("examines a program that crashes, reads its input to the end, or asks by node:http, of which it sees nothing", async () => {
    const crash = await examined("crash", `await ask("call " + Math.random()); throw new Error("of its own")`)
    expect(crash).toMatchObject({ code: 2, requests: 1, findings: [{ cause: "randomness" }] })
    const input = await examined(
      "input",
      `let read = ""; for await (const piece of process.stdin) read += piece; await ask("read " + read)`,
    )
    expect(input).toMatchObject({ code: 0, requests: 1, reproducible: true })
    const unseen = await examined(
      "unseen",
      `import http from "node:http"
await new Promise((resolve) => http.get(process.env.BASE, { method: "POST" }, resolve).on("error", resolve).end(JSON.stringify({ messages: [{ content: "hello" }] })))
process.exit()`,
    )
    expect(unseen).toMatchObject({ code: 2, requests: 0, reproducible: null })
  })
})
