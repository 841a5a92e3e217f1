import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, listed, start } from "./hindcast.ts"

const place = workplace()

/** A model that asks for a refund, and is content with its result. */
const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const isFirst = JSON.parse(body).messages.length === 1
  const call = { id: "call-1", type: "function", function: { name: "refund", arguments: '{"euros":20}' } }
  const message = isFirst ? { content: null, tool_calls: [call] } : { content: "Done." }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ choices: [{ index: 0, message: { role: "assistant", ...message } }] }))
})

const runs = place.file("runs.txt")

const program = place.file(
  "agent.mjs",
  `import * as fs from "node:fs"
const ask = async (messages) => {
  const body = JSON.stringify({ model: "gpt-5", messages })
  const response = await fetch(process.env.BASE + "/v1/chat/completions", { method: "POST", body })
  return (await response.json()).choices[0].message
}
const messages = [{ role: "user", content: "Pay it back." }]
const asked = await ask(messages)
fs.appendFileSync(${JSON.stringify(runs)}, (process.env.HINDCAST_REPLAYING ?? "recorded") + "\\n")
await ask([...messages, asked, { role: "tool", tool_call_id: "call-1", content: "paid" }])
`,
)

const log = place.file("refunds.db")
let env: NodeJS.ProcessEnv = {}

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  env = { BASE: `http://127.0.0.1:${(provider.address() as AddressInfo).port}` }
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

const ran = (): ReadonlyArray<string> => {
  const lines = fs.existsSync(runs) ? fs.readFileSync(runs, "utf8").trim().split("\n") : []
  fs.rmSync(runs, { force: true })
  return lines
}

const AGAIN =
  "The program's own tool refund runs for real again: the log answers only requests. To prevent that, wrap it with `run.tool`, or let the program check HINDCAST_REPLAYING."

it("a replay, a fork and the doctor name the tools that they run again, and tell the program", async () => {
  const words = ["--", process.execPath, program]
  const recorded = await start(["record", "--log", log, ...words], { env }).ended
  expect(recorded).toMatchObject({ code: 0 })
  expect(recorded.stderr).not.toContain("for real")
  expect(ran()).toEqual(["recorded"])
  const [opened] = await listed(["--type", "TaskOpened", "--log", log])
  const task = String(opened?.taskId)

  const replayed = await start(["replay", task, "--log", log, ...words], { env }).ended
  expect(replayed).toMatchObject({ code: 0 })
  expect(replayed.stderr.split("\n")[0]).toBe(AGAIN)
  expect(ran()).toEqual(["replay"])

  const at = `@${opened?.position}`
  const forked = await start(["fork", at, "--set", "model=gpt-5-mini", "--json", "--log", log, ...words], { env }).ended
  expect(forked.stderr).toContain(AGAIN)
  expect(JSON.parse(forked.stdout)).toMatchObject({ ownTools: ["refund"] })
  expect(ran()).toEqual(["fork"])

  const examined = await start(["record", "doctor", "--json", "--task", task, "--log", log, ...words], { env }).ended
  expect(examined.stderr).toContain("runs the program 6 times on its recording")
  expect(examined.stderr).toContain(AGAIN)
  expect(JSON.parse(examined.stdout)).toMatchObject({ ownTools: ["refund"] })
  expect(ran()).toEqual(["doctor", "doctor", "doctor", "doctor", "doctor", "doctor"])
}, 120_000)

it("a fork of a changed program says what a fork repeats, and a recorded program is not resumed", async () => {
  const changed = place.file("changed.mjs", fs.readFileSync(program, "utf8").replace("Pay it back.", "Pay it."))
  const log = place.file("changed.db")
  const words = ["--log", log, "--", process.execPath]
  expect(await start(["record", ...words, program], { env }).ended).toMatchObject({ code: 0 })
  const commanded = await listed(["--type", "ActuatorCommanded", "--log", log])
  const forked = await start(["fork", `@${commanded[0]?.position}`, ...words, changed], { env }).ended
  expect(forked.code).toBe(2)
  expect(forked.stderr).toMatch(/The fork @\d+ of \S+ diverged @2 \(fetch\): in message 1 \(user\), expected .*found/s)
  expect(forked.stderr).toContain("change the program only from there on, or fork from a moment before the change")

  const resumed = await start(["resume", String(commanded[0]?.taskId), "--log", log]).ended
  expect(resumed.code).toBe(1)
  expect(resumed.stderr).toContain("found a recorded program")
  const [, last] = /fork @(\d+) --task \S+ .*-- COMMAND/.exec(resumed.stderr) ?? []
  const again = await start(["fork", `@${last}`, ...words, program], { env }).ended
  expect(again).toMatchObject({ code: 0 })
}, 60_000)

const rubric = (name: string, actuator: string) =>
  place.file(
    `${name}.yaml`,
    `name: ${name}
measures:
  - name: money
    description: Is it paid back?
    rewards:
      - { name: refunded, when: The refund succeeded., weight: 1, rule: 'event.type == "CommandSucceeded" && command.actuator == "${actuator}"' }
      - { name: lost, when: It was given up., weight: 1, rule: 'event.type == "TaskClosed" && event.payload.outcome == "abandoned"' }
      - { name: calm, when: Nothing was denied., weight: 1, rule: 'event.type == "CommandDenied"' }
`,
  )

it("rescore and its plan say which text of a rule no event has", async () => {
  const file = rubric("wrong", "refund")
  const said = '"refunded" never held: no event had command.actuator == "refund"; found "program/refund".\n'
  for (const more of [["--dry-run"], []]) {
    const { code, stderr } = await start(["rescore", "--rubric", file, "--log", log, ...more]).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: said })
  }
  const { neverHeld } = await document(["rescore", "--rubric", file, "--label", "again", "--log", log])
  expect(neverHeld).toMatchObject([
    { measure: "money", name: "refunded", kind: "reward", missing: expect.stringContaining("program/refund") },
    { measure: "money", name: "lost", kind: "reward", missing: null },
    { measure: "money", name: "calm", kind: "reward", missing: null },
  ])
}, 60_000)

it("two models are compared across a fork, by the newest scoring of both", async () => {
  const file = rubric("right", "program/refund")
  for (const timeline of [[], ["--timeline", "fork-1"]]) {
    const scored = await start(["rescore", "--rubric", file, "--log", log, ...timeline]).ended
    expect(scored).toMatchObject({ code: 0, stderr: "" })
  }
  const compared = await document(["compare", "--model", "gpt-5", "--model", "gpt-5-mini", "--log", log])
  expect(compared).toMatchObject({
    scoring: "right",
    a: { mean: 1, passed: 1 },
    b: { mean: 1, passed: 1 },
    models: { pairs: [{ b: expect.stringMatching(/^fork-1@/) }] },
  })
  const { stdout } = await start(["compare", "--model", "gpt-5", "--model", "gpt-5-mini", "--log", log]).ended
  expect(stdout).toContain("Tasks by model, scored by right")
  expect(stdout).toContain("1 in A, 1 in B (net above 0; see `--pass-above`)")
}, 60_000)

it("says nothing of tools where none ran in the program", async () => {
  const plain = place.file(
    "plain.mjs",
    `await fetch(process.env.BASE + "/v1/chat/completions", { method: "POST", body: '{"model":"gpt-5","messages":[{"role":"user","content":"x"},{"role":"user","content":"y"}]}' })`,
  )
  const other = place.file("plain.db")
  const doctor = await start(["record", "doctor", "--log", other, "--", process.execPath, plain], { env }).ended
  expect(doctor.stderr).toContain("runs the program 7 times: once to record it, then 6 times on the recording")
  expect(doctor.stderr).not.toContain("for real")
}, 120_000)
