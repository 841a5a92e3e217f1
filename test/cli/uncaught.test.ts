import { afterAll, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { listed, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const closed = async (name: string, body: string) => {
  const log = place.file(`${name}.db`)
  const program = place.file(`${name}.mjs`, `try { await fetch("http://127.0.0.1:9/v1") } catch {}\n${body}`)
  const env = { MY_API_KEY: "sk-very-secret-key" }
  const ended = await start(["record", "--log", log, "--", process.execPath, program], { env }).ended
  const [event] = await listed(["--type", "TaskClosed", "--log", log])
  return { ended, payload: event?.payload }
}

it("the log says which error ended a program, without keys", async () => {
  const { ended, payload } = await closed(
    "thrown",
    'const refund = () => { throw new RangeError("no account for " + process.env.MY_API_KEY) }\nrefund()',
  )
  expect(ended).toMatchObject({ code: 1 })
  expect(ended.stderr).toContain("RangeError: no account")
  expect(payload).toMatchObject({ outcome: "failed", exit: 1 })
  expect(payload).toHaveProperty(
    "reason",
    expect.stringMatching(/^its process exited with 1: RangeError: no account for \[/),
  )
  expect(JSON.stringify(payload)).not.toContain("sk-very-secret-key")
})

it("a rejection that nothing handles, a long message and a strange one are recorded too", async () => {
  const rejected = await closed(
    "rejected",
    'void Promise.reject(new Error("x".repeat(5_000)))\nawait new Promise((end) => setTimeout(end, 5_000))',
  )
  expect(String(Object(rejected.payload).reason)).toMatch(/^its process exited with 1: Error: x{900,}…$/)
  const strange = await closed("strange", "throw { toString() { throw new Error() } }")
  expect(strange.payload).toMatchObject({ reason: "its process exited with 1: an error that cannot be read" })
})

it("an error that the program handles is not its end", async () => {
  const { payload } = await closed(
    "handled",
    'process.on("uncaughtException", () => process.exit(3))\nsetImmediate(() => { throw new Error("handled") })\nawait new Promise((end) => setTimeout(end, 5_000))',
  )
  expect(payload).toMatchObject({ reason: "its process exited with 3" })
})
