import { spawn } from "node:child_process"
import { describe, expect, it } from "vitest"
import { record } from "../../src/record/index.ts"
import "../built.ts"
import { inRepository } from "../repository.ts"
import { eventsOf, temporary } from "./recorded.ts"

const PROGRAM = inRepository("test", "record", "programs", "exiting.mjs")

const exitOf = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number | null; readonly output: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: ["ignore", "pipe", "ignore"] })
    let output = ""
    child.stdout.on("data", (piece) => {
      output += String(piece)
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, output }))
  })

describe("a recorded program that exits without run.end", () => {
  it.each([
    { how: "at-once", code: 0, says: "" },
    { how: "killed", code: null, says: "" },
    { how: "thrown", code: 1, says: "" },
    { how: "quietly", code: 0, says: "done\n" },
  ])("leaves its task to the next that opens the log, which abandons it: $how", async ({ how, code, says }) => {
    const log = temporary(`${how}.db`)
    expect(await exitOf(log, how)).toEqual({ code, output: says })
    expect((await eventsOf(log)).at(-1)?.type).toBe("CommandSucceeded")
    const next = await record({ log, goal: "Come next", agent: "next" })
    await next.end("achieved")
    const closed = (await eventsOf(log)).filter(({ type }) => type === "TaskClosed").map(({ payload }) => payload)
    expect(closed).toMatchObject([{ outcome: "abandoned" }, { outcome: "achieved" }])
  })
})
