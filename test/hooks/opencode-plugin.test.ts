import * as fs from "node:fs"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { afterAll, describe, expect, it } from "vitest"
import * as OpencodePlugin from "../../src/hooks/install/OpencodePlugin.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

type Tool = { readonly tool: string; readonly sessionID: string; readonly callID: string }

/** The hooks of the plugin, as opencode calls them. */
interface Loaded {
  readonly "tool.execute.before": (tool: Tool, output: { readonly args: object }) => Promise<void>
  readonly "tool.execute.after": (tool: Tool & { readonly args: object }, output: object) => Promise<void>
  readonly "chat.message": (input: { readonly sessionID: string }, output: object) => Promise<void>
  readonly event: (input: { readonly event: object }) => Promise<void>
}

let loads = 0

/** Installs the plugin with a program in place of the hook's command, and loads it. */
const loaded = async (program: string, ...args: ReadonlyArray<string>): Promise<Loaded> => {
  const file = place.file(`plugin-${++loads}.mjs`)
  const text = OpencodePlugin.installer.installed("", [program, ...args])
  if (typeof text !== "string") throw new Error("refused")
  fs.writeFileSync(file, text)
  const { Hindcast } = await import(pathToFileURL(file).href)
  return Hindcast({ directory: "/project" })
}

/** A program that keeps its input and answers with this. */
const answering = (answer: { readonly stdout?: string; readonly stderr?: string; readonly code?: number }) => {
  const file = place.file(`hook-${++loads}.mjs`)
  const kept = `${file}.jsonl`
  fs.writeFileSync(
    file,
    `import fs from "node:fs"
fs.appendFileSync(${JSON.stringify(kept)}, fs.readFileSync(0, "utf8") + "\\n")
process.stdout.write(${JSON.stringify(answer.stdout ?? "")})
process.stderr.write(${JSON.stringify(answer.stderr ?? "")})
process.exitCode = ${answer.code ?? 0}
`,
  )
  const told = (): ReadonlyArray<Record<string, unknown>> =>
    fs
      .readFileSync(kept, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
  return { program: [process.execPath, file] as const, told }
}

const BASH: Tool = { tool: "bash", sessionID: "ses_1", callID: "call_1" }

const denial = JSON.stringify({
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason: "not here" },
})

describe("the plugin for opencode", () => {
  it("tells the hook's command what opencode tells it", async () => {
    const { program, told } = answering({})
    const hooks = await loaded(...program)
    await hooks["chat.message"]({ sessionID: "ses_1" }, { parts: [{ type: "text", text: "go" }, { type: "file" }] })
    await hooks["tool.execute.before"](BASH, { args: { command: "ls" } })
    await hooks["tool.execute.after"]({ ...BASH, args: { command: "ls" } }, { title: "ls", output: "a.txt" })
    const part = { type: "tool", tool: "read", sessionID: "ses_1", callID: "call_2" }
    const state = { status: "error", input: { filePath: "none" }, error: "no such file" }
    await hooks.event({ event: { type: "message.part.updated", properties: { part: { ...part, state } } } })
    const said = { type: "text", sessionID: "ses_1", text: "done", time: { start: 1, end: 2 } }
    await hooks.event({ event: { type: "message.part.updated", properties: { part: said } } })
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
    await hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
    const shared = { session_id: "ses_1", cwd: "/project" }
    expect(told()).toEqual([
      { hook_event_name: "UserPromptSubmit", ...shared, prompt: "go" },
      {
        hook_event_name: "PreToolUse",
        ...shared,
        tool_name: "bash",
        tool_input: { command: "ls" },
        tool_use_id: "call_1",
      },
      {
        hook_event_name: "PostToolUse",
        ...shared,
        tool_name: "bash",
        tool_input: { command: "ls" },
        tool_use_id: "call_1",
        tool_response: "a.txt",
      },
      {
        hook_event_name: "PostToolUseFailure",
        ...shared,
        tool_name: "read",
        tool_input: { filePath: "none" },
        tool_use_id: "call_2",
        error: "no such file",
      },
      { hook_event_name: "Stop", ...shared, last_assistant_message: "done" },
    ])
  })

  it.each([
    ["the gate denies", { stdout: denial }, "not here"],
    ["the command refuses", { stderr: "the server is down\n", code: 2 }, "the server is down"],
    ["the command fails without a word", { code: 1 }, "nothing was let pass"],
    ["the command answers something else", { stdout: "hello" }, "nothing was let pass"],
  ])("throws, so that the tool does not run, where %s", async (_, answer, reason) => {
    const hooks = await loaded(...answering(answer).program)
    await expect(hooks["tool.execute.before"](BASH, { args: {} })).rejects.toThrow(reason)
  })

  it("throws where the hook's command is gone", async () => {
    const hooks = await loaded(path.join(place.directory, "gone"), "hook.js")
    await expect(hooks["tool.execute.before"](BASH, { args: {} })).rejects.toThrow("ENOENT")
  })
})
