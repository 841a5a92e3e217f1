import { spawn } from "node:child_process"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import * as ClaudeCode from "../../src/hooks/clients/ClaudeCode.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import { type Run, record, replayed } from "../../src/record/index.ts"
import type { Json } from "../../src/values/Json.ts"
import { built } from "../built.ts"
import { document, listed, start } from "../cli/hindcast.ts"
import { ask } from "../record/proxy/scripted.ts"
import { request, weather } from "../telemetry/receiving.ts"
import { workplace } from "../workplace.ts"
import { server } from "./cluster.ts"
import { ofSession, schema, sql } from "./server.ts"
import { writeAtOnce } from "./writersTrial.ts"

const place = workplace()

/** A program that asks a model twice by the global `fetch`, and closes nothing. */
const agent = place.file(
  "agent.mjs",
  `for (const said of process.argv.slice(2)) {
  const answer = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: said }] }),
  })
  console.log((await answer.json()).choices[0].message.content)
}
`,
)

/** A provider that repeats what it is told, and counts. */
let asked = 0
const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  asked += 1
  const message = { role: "assistant", content: `heard ${JSON.parse(body).messages.at(-1).content}` }
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify({ id: "1", model: "m", choices: [{ index: 0, finish_reason: "stop", message }] }))
})

let OPENAI_BASE_URL = ""
let url = ""
let PGPASSWORD = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  OPENAI_BASE_URL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
  const given = new URL((await server()).url)
  PGPASSWORD = decodeURIComponent(given.password)
  given.password = ""
  url = given.href
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await place.remove()
})

/** The environment of a machine: its processes have its name, and the user's store is its own. */
const machine = (name: string): NodeJS.ProcessEnv => {
  const named = place.file(
    `${name}.mjs`,
    `import os from "node:os"
import { syncBuiltinESMExports } from "node:module"
os.hostname = () => ${JSON.stringify(name)}
syncBuiltinESMExports()`,
  )
  return {
    ...{ PGPASSWORD, OPENAI_BASE_URL },
    HINDCAST_STATE: place.file(`store-of-${name}`),
    NODE_OPTIONS: `--import ${new URL(`file://${named}`).href}`,
  }
}

/** Runs a test with the URL of a log that does not exist yet. */
const onLog = (does: (log: string, schema: string) => Promise<void>) =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(schema, (name) => Effect.promise(() => does(`${url}?schema=${name}`, name)))),
  )

/** A command that listens, as it says on its first line. */
const listening = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const { child, ended } = start([...args, "--json"], { env })
  const told = await new Promise<string>((resolve, reject) => {
    let line = ""
    child.stdout.on("data", (piece: string) => {
      line += piece
      if (line.endsWith("\n")) resolve(line)
    })
    ended.then(({ stderr }) => reject(new Error(stderr)))
  })
  return {
    child,
    ended,
    told: JSON.parse(told) as { readonly url: string; readonly variables: Record<string, string> },
  }
}

const looking = () => ({ env: { PGPASSWORD } })

const verified = async (log: string) =>
  expect(await document(["log", "verify", "--log", log], looking())).toMatchObject({ intact: true })

describe("recorders on a PostgreSQL server", () => {
  it("record programs of two machines into one log at once, which end by themselves and can be replayed", () =>
    onLog(async (log, name) => {
      const ended = await Promise.all(
        ["a", "b"].flatMap((host) =>
          [1, 2].map(
            (number) =>
              start(
                ["record", "--log", log, "--goal", `${host}${number}`, "--", process.execPath, agent, host, "again"],
                {
                  env: machine(host),
                },
              ).ended,
          ),
        ),
      )
      for (const { code, stdout, stderr } of ended) {
        expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Recorded 2 model requests") })
        // The connections to the log are not the program's.
        expect(stderr).not.toContain("Seen, but not recorded")
        expect(stdout).toContain("heard again")
      }
      const secret = new URL(log)
      secret.password = PGPASSWORD
      // In the variable, the URL may have a password, which is not shown.
      const sdk = spawn(process.execPath, ["--import", built("record", "process", "aiSdk.js"), agent, "sdk"], {
        env: { ...process.env, ...machine("a"), PGPASSWORD: undefined, HINDCAST_LOG: secret.href },
        stdio: ["ignore", "ignore", "pipe"],
      })
      const said = await text(sdk.stderr)
      expect(said).toContain(`--log '${log}'`)
      expect(said).not.toContain(PGPASSWORD)
      vi.stubEnv("PGPASSWORD", PGPASSWORD)
      const library = await record({ log, goal: "a letter", agent: "clerk" })
      expect(await library.io("one", () => 1)()).toBe(1)
      await library.end("achieved")
      let calls = 0
      const again = async (run: Run) => run.io("one", () => ++calls)()
      expect(await replayed({ log, taskId: library.taskId }, again)).toBe(1)
      expect(calls).toBe(0)
      vi.unstubAllEnvs()
      const all = await listed(["--log", log, "--type", "TaskOpened"], looking())
      expect(all.map(({ actor }) => actor).slice(4)).toEqual(["agent:agent", "agent:clerk"])
      const opened = all.slice(0, 4)
      expect(opened.map(({ payload }) => (payload as { recorder: { host: string } }).recorder.host).sort()).toEqual([
        ...["a", "a", "b", "b"],
      ])
      const closed = await listed(["--log", log, "--type", "TaskClosed"], looking())
      expect(closed.map(({ payload }) => (payload as { outcome: string }).outcome)).toEqual(Array(6).fill("achieved"))
      await verified(log)
      const before = asked
      const [first] = opened
      const goal = String((first?.payload as { readonly goal: string } | undefined)?.goal)
      const second = await start(
        ["replay", String(first?.taskId), "--log", log, "--", process.execPath, agent, goal.slice(0, 1), "again"],
        { env: machine("c") },
      ).ended
      expect({ code: second.code, stderr: second.stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining("The program repeated task"),
      })
      expect(asked).toBe(before)
      // No recorder left a session or a heartbeat.
      expect(await sql(`SELECT count(*)::int FROM ${name}.heartbeats`)).toEqual([[0]])
      expect(await sql(`SELECT count(*)::int ${ofSession(name)}`)).toEqual([[0]])
    }))

  it("take sessions of hooks, conversations of a proxy, telemetry and imports of several machines at once, in one order", () =>
    onLog(async (log) => {
      const [proxyA, proxyB, listenA, listenB] = await Promise.all([
        listening(["proxy", "--log", log], machine("a")),
        listening(["proxy", "--log", log], machine("b")),
        listening(["listen", "--log", log, "--port", "0"], machine("a")),
        listening(["listen", "--log", log, "--port", "0"], machine("b")),
      ])
      const second = start(["listen", "--log", log, "--port", "0"], { env: machine("a") })
      expect((await second.ended).stderr).toContain("another process receives for this log")
      vi.stubEnv("PGPASSWORD", PGPASSWORD)
      const hooks = await Promise.all([1, 2].map(() => Sessions.open({ log, gate: async () => undefined })))
      const take = (sessions: Sessions.Sessions | undefined, session: string, hook: string, more: object) => {
        const payload = { session_id: session, cwd: place.directory, hook_event_name: hook, ...more }
        const hookEvent = ClaudeCode.client.read(payload as Json)
        if (hookEvent === undefined || sessions === undefined) throw new Error("not read")
        return sessions.take(ClaudeCode.client, hookEvent)
      }
      const call = (id: string) => ({ tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: id })
      const talks = [proxyA, proxyB].flatMap(({ told }, machine) =>
        Array.from({ length: 5 }, (_, index) =>
          ask(`${told.variables.OPENAI_BASE_URL}/chat/completions`, {
            body: JSON.stringify({ model: "m", messages: [{ role: "user", content: `${machine} ${index}` }] }),
          }),
        ),
      )
      const sessions = hooks.flatMap((one, machine) =>
        Array.from({ length: 5 }, async (_, index) => {
          const session = `s-${machine}-${index}`
          await take(one, session, "UserPromptSubmit", { prompt: "look" })
          await take(one, session, "PreToolUse", call("c1"))
          await take(one, session, "PostToolUse", { ...call("c1"), tool_response: { stdout: "" } })
        }),
      )
      const traces = [listenA, listenB].flatMap(({ told }, machine) =>
        Array.from({ length: 5 }, (_, index) =>
          fetch(`${told.url}/v1/traces`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(request(weather(`${machine}${index}`.padStart(32, "a")))),
          }),
        ),
      )
      const messages = place.file(
        "messages.jsonl",
        `${JSON.stringify({ messages: [{ role: "user", content: "hello" }] })}\n`,
      )
      const imported = start(["import", messages, "--log", log], { env: machine("b") }).ended
      await Promise.all([...talks, ...sessions])
      expect((await Promise.all(traces)).map(({ status }) => status)).toEqual(Array(10).fill(200))
      expect(await imported).toMatchObject({ code: 0 })
      for (const one of hooks) await one.close()
      for (const { child } of [proxyA, proxyB, listenA, listenB]) child.kill("SIGTERM")
      for (const { ended } of [proxyA, proxyB, listenA, listenB])
        expect((await ended).stderr).not.toMatch(/no longer recorded|Not in the log yet/)
      vi.unstubAllEnvs()
      const opened = await listed(["--log", log, "--type", "TaskOpened", "--limit", "1000"], looking())
      const by = new Map<string, number>()
      for (const { actor } of opened) by.set(String(actor), (by.get(String(actor)) ?? 0) + 1)
      expect([...by.values()].sort((one, other) => one - other)).toEqual([1, 10, 10, 10])
      // The task says that the session's files are not recorded, and why.
      const noted = await listed(["--log", log, "--type", "CaptureNoted", "--limit", "1000"], looking())
      expect(JSON.stringify(noted)).toContain("their contents would be next to the log, which is on a server")
      await verified(log)
    }))

  it("have one order, also as 150 writers of 3 processes", () => Effect.runPromise(writeAtOnce(3, 50, 4)))
})
