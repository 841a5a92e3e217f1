import { describe, expect, it } from "vitest"
import { asked, BASE, doctor, examined, place, program } from "./examined.ts"
import { start } from "./hindcast.ts"

describe("hindcast record doctor", () => {
  it("names each thing that requests depend on: time, randomness, the order of answers, the environment", async () => {
    const report = await examined(
      "restless",
      `const heard = []
await Promise.all([1, 2, 3].map(async (number) => heard.push(await ask("number " + number))))
await ask(heard.join())
await ask("call " + randomUUID())
await ask("lot " + Math.random())
await ask("Today is " + new Date().toISOString().slice(0, 10))
await ask("It is " + new Date(0).toLocaleTimeString("en", { hour: "numeric" }))
await ask("I work in " + process.cwd())`,
    )
    expect(report).toMatchObject({ code: 2, requests: 9, reproducible: false })
    expect(report.findings.map(({ cause, requests }) => [cause, requests])).toEqual([
      ["time", 1],
      ["randomness", 2],
      ["order", 1],
      ["environment", 1],
      ["environment", 1],
    ])
    expect(report.findings[4]?.difference).toMatchObject({ where: "the working directory", recorded: process.cwd() })
  })

  it("takes a duration for time, by whatever clock it was measured", async () => {
    const report = await examined(
      "durations",
      `const [date, high, tuple, big] = [Date.now(), performance.now(), process.hrtime(), process.hrtime.bigint()]
await ask("hello")
await ask("it took " + (Date.now() - date))
await ask("it took " + (performance.now() - high).toFixed(2))
await ask("it took " + process.hrtime(tuple))
await ask("it took " + (process.hrtime.bigint() - big))`,
    )
    expect(report.findings.map(({ cause, requests }) => [cause, requests])).toEqual([["time", 4]])
  })

  it("names the other causes too where something differs each time", async () => {
    const report = await examined(
      "several",
      `await ask(process.pid + " reads " + new Date(0).toLocaleString("en", process.env.TZ ? { timeStyle: "long" } : {}))
await ask("process " + process.pid + " of today, " + new Date().toISOString().slice(0, 10) + ", and a lot " + Math.random())
await ask("process " + process.pid)
await ask("p".repeat(process.pid % 97 + 1) + " p".repeat(process.pid % 89 + 1) + new Date().getFullYear())`,
    )
    const [first, second] = [...new Set(report.findings.map(({ position }) => position))].sort((a, b) => a - b)
    expect(report.findings.map(({ cause, requests, position }) => [cause, requests, position])).toEqual([
      ["time", 1, second],
      ["randomness", 1, second],
      ["environment", 1, first],
      ["unknown", 4, first],
    ])
    expect(report.findings[0]?.difference.recorded).toMatch(/\d+ of today, \[[\d-]+,\] and a lot/)
  })

  it("names what the program tries to reach beside its recording, in its report too", async () => {
    const report = await examined(
      "reaching",
      `import net from "node:net"
await ask("hello")
const { port } = new URL(process.env.BASE)
await new Promise((resolve) => net.connect(port, "127.0.0.1").on("connect", function () { this.destroy() }).on("close", resolve).on("error", () => {}))`,
    )
    const what = `a connection to 127.0.0.1:${new URL(BASE).port}`
    expect(report).toMatchObject({ code: 2, reproducible: false, findings: [] })
    expect(report.attempts).toMatchObject([{ what, at: expect.stringContaining("reaching.mjs") }])
  })

  it("refuses what it cannot use", async () => {
    const before = asked
    const file = program("refused", `await ask("hello")`)
    const [missing, python, plain] = await Promise.all([
      doctor("--task", "no-such-task", "--", process.execPath, file),
      doctor("--", "python3", "agent.py"),
      start(["record", "--json", "--log", place.file("refused.db"), "--", process.execPath, file], { env: { BASE } })
        .ended,
    ])
    expect([missing.code, python.code, plain.code]).toEqual([3, 1, 1])
    expect(python.stderr).toContain("expected node and a program after it")
    expect(plain.stderr).toContain("expected record doctor")
    expect(asked).toBe(before)
  })
})
