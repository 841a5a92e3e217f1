import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it, vi } from "vitest"
import type { HeadlessClient } from "../../src/hooks/check/HeadlessClient.ts"
import * as HookCheck from "../../src/hooks/check/HookCheck.ts"
import * as ScriptedModel from "../../src/hooks/check/ScriptedModel.ts"
import { isAlive } from "../../src/platform/LiveProcess.ts"
import { MAIN } from "../built.ts"
import { workplace } from "../workplace.ts"
import { hindcast, start } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

/** Where the agent keeps a file for each session. */
const SESSIONS = place.file("projects")

const HOOK = path.join(path.dirname(MAIN), "..", "hook.js")

/**
 * A small coding agent: asks the model by chat completions, calls the hook before a tool, and runs the line in a shell.
 * `fault` is how it differs from one that is sound.
 */
const agent = (fault: "none" | "no hooks" | "fails open" | "no reason" | "no tools" | "waits") => {
  const program = place.file(`agent-${fault.replaceAll(" ", "-")}`)
  fs.writeFileSync(
    program,
    `#!${process.execPath}
const { spawnSync } = require("node:child_process")
const [url, prompt] = process.argv.slice(2)
const sessions = ${JSON.stringify(path.join(SESSIONS, "of-this-directory"))}
require("node:fs").mkdirSync(sessions, { recursive: true })
require("node:fs").writeFileSync(sessions + "/" + process.pid + ".jsonl", JSON.stringify({ type: "user", message: { content: prompt } }))
const messages = [{ role: "user", content: "go" }]
const run = async () => {
  ${fault === "waits" ? "setInterval(() => {}, 1000); return" : ""}
  for (let turn = 0; turn < 5; turn++) {
    const answer = await fetch(url + "/v1/chat/completions", { method: "POST", body: JSON.stringify({ messages, tools: [{ type: "function" }] }) })
    const { choices: [{ message }] } = await answer.json()
    messages.push(message)
    if (!message.tool_calls) return console.log(message.content)
    for (const call of message.tool_calls) {
      const { command } = JSON.parse(call.function.arguments)
      const payload = { session_id: "s" + process.pid, cwd: "/", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, tool_use_id: call.id }
      const hook = spawnSync(process.execPath, [${JSON.stringify(HOOK)}, "claude-code"], { input: JSON.stringify(payload), encoding: "utf8" })
      const isDenied = hook.status === 2 || hook.stdout.includes('"deny"')
      const reason = hook.stderr + hook.stdout
      const obeys = ${fault === "no hooks" ? "false" : fault === "fails open" ? "hook.status === 0" : "true"}
      if (isDenied && obeys) messages.push({ role: "tool", tool_call_id: call.id, content: ${fault === "no reason" ? '"denied"' : "reason"} })
      else {
        ${fault === "no tools" ? "" : 'spawnSync("/bin/sh", ["-c", command])'}
        messages.push({ role: "tool", tool_call_id: call.id, content: "done" })
      }
    }
  }
}
run()
`,
    { mode: 0o755 },
  )
  const client: HeadlessClient = {
    name: "claude-code",
    program,
    tool: "Bash",
    args: (command) => ({ command }),
    run: (url, prompt) => ({ args: [url, prompt], env: {} }),
    sessions: () => SESSIONS,
  }
  return client
}

const check = (client: HeadlessClient, timeMs?: number) => {
  const before = process.env.HINDCAST_STATE
  process.env.HINDCAST_STATE = place.file("state")
  return HookCheck.check({
    client,
    directory: place.directory,
    env: process.env,
    ...(timeMs === undefined ? {} : { timeMs }),
  }).finally(() => {
    if (before === undefined) delete process.env.HINDCAST_STATE
    else process.env.HINDCAST_STATE = before
  })
}

describe.skipIf(process.platform === "win32")("a check of hooks", () => {
  it("passes an agent that obeys its hooks, and leaves nothing behind", async () => {
    expect(await check(agent("none"))).toMatchObject({ ran: true, denied: true, closed: true })
    expect(fs.readdirSync(path.join(place.file("state"), "hooks"))).toEqual([])
  })

  it("removes the session files that it caused, and no others", async () => {
    fs.mkdirSync(SESSIONS, { recursive: true })
    const other = path.join(SESSIONS, "other.jsonl")
    fs.writeFileSync(other, "Hindcast checks its hooks (of another check)")
    await check(agent("none"))
    expect(fs.readdirSync(SESSIONS)).toEqual(["other.jsonl"])
  })

  it.each([
    ["runs what its hook denies", "no hooks", { ran: true, denied: false, closed: false }],
    ["runs a call if its hook fails", "fails open", { ran: true, denied: true, closed: false }],
    ["keeps the reason from its model", "no reason", { ran: true, denied: false, closed: true }],
    ["runs nothing at all", "no tools", { ran: false, denied: undefined, closed: undefined }],
  ] as const)("finds an agent that %s", async (_, fault, found) => {
    expect(await check(agent(fault))).toMatchObject(found)
  })

  it("ends an agent that waits, and says so", async () => {
    const found = await check(agent("waits"), 1_000)
    expect(found).toMatchObject({ ran: false, output: expect.stringContaining("did not end within 1 s") })
  })

  it("ends the agent and removes its directory if it is interrupted", async () => {
    const state = place.file("state-interrupted")
    const bin = place.file("bin")
    fs.mkdirSync(bin)
    const [env, pidFile] = [
      { HINDCAST_STATE: state, CLAUDE_CONFIG_DIR: place.file("claude-interrupted"), PATH: bin },
      place.file("pid"),
    ]
    fs.writeFileSync(
      path.join(bin, "claude"),
      `#!${process.execPath}\nrequire("node:fs").writeFileSync(${JSON.stringify(pidFile)}, String(process.pid))\nsetInterval(() => {}, 1000)\n`,
      { mode: 0o755 },
    )
    expect(await hindcast(["hooks", "install", "claude-code", "--no-check"], { env })).toMatchObject({ code: 0 })
    const checking = start(["hooks", "check", "claude-code"], { env })
    const pid = await vi.waitFor(() => Number(fs.readFileSync(pidFile, "utf8") || Number.NaN), { timeout: 60_000 })
    expect(isAlive(pid)).toBe(true)
    checking.child.kill("SIGINT")
    const { code } = await checking.ended
    expect(code).toBe(130)
    expect(isAlive(pid)).toBe(false)
    expect(fs.readdirSync(path.join(state, "hooks")).filter((name) => name.startsWith("check-"))).toEqual([])
  })

  it("rejects where the agent's program is missing", async () => {
    const client = { ...agent("none"), program: place.file("none-such") }
    await expect(check(client)).rejects.toThrow(HookCheck.ProgramMissing)
  })
})

describe("hindcast hooks check", () => {
  it("fails where no hooks are installed, and where the agent is not on the PATH", async () => {
    const env = {
      HINDCAST_STATE: place.file("state-2"),
      CLAUDE_CONFIG_DIR: place.file("claude"),
      PATH: place.directory,
    }
    const none = await hindcast(["hooks", "check", "claude-code"], { env })
    expect([none.code, none.stderr]).toEqual([3, expect.stringContaining("hooks install claude-code` installs them")])
    const installed = await hindcast(["hooks", "install", "claude-code", "--json"], { env })
    expect([installed.code, installed.stderr]).toEqual([0, ""])
    expect(JSON.parse(installed.stdout)).toMatchObject({ check: "no, claude is not on the PATH" })
    const missing = await hindcast(["hooks", "check", "claude-code"], { env })
    expect([missing.code, missing.stderr]).toEqual([3, expect.stringContaining("found no claude")])
    const cursor = await hindcast(["hooks", "check", "vim"], { env })
    expect([cursor.code, cursor.stderr]).toEqual([1, expect.stringContaining("expected one of claude-code, codex")])
  })
})

describe("the scripted model", () => {
  const turns: ReadonlyArray<ScriptedModel.ScriptedAnswer> = [
    { tool: "Bash", args: { command: "ls" } },
    { text: "bye" },
  ]

  it.each([
    ["/v1/responses", { stream: true, tools: [{}] }, ['"name":"Bash"', "response.completed"]],
    ["/v1/responses", { tools: [{}] }, ['"function_call"']],
    ["/v1/chat/completions", { stream: true, tools: [{}] }, ['"tool_calls"', "data: [DONE]"]],
    ["/v1/chat/completions", { tools: [{}] }, ['"finish_reason":"tool_calls"']],
    ["/v1/messages", { stream: true, tools: [{}] }, ["event: message_stop", "input_json_delta"]],
    ["/v1/messages", { tools: [{}] }, ['"stop_reason":"tool_use"']],
    ["/v1beta/models/g:streamGenerateContent", { tools: [{ functionDeclarations: [{}] }] }, ['"functionCall"']],
    ["/v1beta/models/g:generateContent", { tools: [{ functionDeclarations: [{}] }] }, ['"functionCall"']],
  ])("answers %s by its script, and requests without tools with a word", async (at, body, expected) => {
    const model = await ScriptedModel.start(turns)
    const ask = async (request: object) =>
      (await fetch(model.url + at, { method: "POST", body: JSON.stringify(request) })).text()
    const first = await ask(body)
    for (const text of expected) expect(first).toContain(text)
    expect(await ask({ ...body, tools: [] })).toContain("done")
    expect(await ask(body)).toContain("bye")
    expect(model.requests()).toHaveLength(2)
    await model.close()
  })
})
