import { spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as readline from "node:readline"
import fc from "fast-check"
import { expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { scripted } from "./gateway.ts"

const CALLS = 60

/** Sends calls all at once, and kills the gateway after some answers and turns of this process. */
const killedAfter = async (answers: number, turns: number) => {
  const [log, received, rules] = [temporary("killed.db"), temporary("received"), temporary("gate.yaml")]
  fs.writeFileSync(rules, "rules: []\ndefault: allow\n")
  fs.writeFileSync(received, "")
  const args = [
    MAIN,
    "mcp",
    "gate",
    "--log",
    log,
    "--rules",
    rules,
    "--name",
    "s",
    "--",
    ...scripted("plain", received),
  ]
  const gateway = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] })
  // The server has the same error output: it closes when both have ended.
  const closed = once(gateway, "close")
  gateway.stderr.resume()
  gateway.stdin.on("error", () => {})
  const send = (id: number, method: string, params: object) =>
    gateway.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`)
  send(0, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } })
  for (let id = 1; id <= CALLS; id++) send(id, "tools/call", { name: "echo", arguments: { n: id } })
  let answered = 0
  for await (const _ of readline.createInterface({ input: gateway.stdout })) {
    if (++answered < answers) continue
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    gateway.kill("SIGKILL")
    break
  }
  gateway.stdout.resume()
  const [, signal] = await closed
  const seen = fs
    .readFileSync(received, "utf8")
    .split("\n")
    .flatMap((line): ReadonlyArray<number> => (line === "" ? [] : [JSON.parse(line).args.n]))
  return { log, seen, signal }
}

it("a gateway that is killed at any moment leaves no call at the server that the log does not know as dispatched", async () => {
  let [killed, inFlight] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: CALLS / 2 }),
      fc.integer({ min: 0, max: 200 }),
      async (answers, turns) => {
        const { log, seen, signal } = await killedAfter(answers, turns)
        const events = await eventsOf(log)
        const idsOf = (kind: string) =>
          new Set(events.flatMap(({ type, payload }) => (type === kind ? [payload.commandId] : [])))
        const dispatched = idsOf("CommandDispatched")
        const known = events.flatMap(({ type, payload }) =>
          type === "ActuatorCommanded" && dispatched.has(payload.commandId) ? [payload.args] : [],
        )
        for (const n of seen) expect(known).toContainEqual({ n })
        if (signal === "SIGKILL") killed++
        if (dispatched.size > idsOf("CommandSucceeded").size) inFlight++
      },
    ),
    { numRuns: 12, endOnFailure: true },
  )
  // Otherwise no run tested anything.
  expect(killed).toBe(12)
  expect(inFlight).toBeGreaterThan(0)
}, 240_000)
