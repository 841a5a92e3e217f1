import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { eventsOf } from "../record/recorded.ts"
import { editor, hindcast, logOf, modelServer, project, start } from "./editing.ts"

const WRITE = { calls: [["workspace__write_file", { path: "note.txt", content: "Hello\n" }]] } as const

describe("hindcast acp", () => {
  it("talks in an editor: streams answers, asks for permission with the change, and records all of it", async () => {
    const directory = await project({ tools: true })
    const { url, asked } = await modelServer([
      { text: "I write it.", ...WRITE },
      { text: "Written." },
      { text: "Bye." },
    ])
    const running = start(directory, url)
    const { agent, updates, permissions, initialized, prompt, textOf } = editor(running, () => "allow")
    expect(await initialized()).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "hindcast" },
      agentCapabilities: { loadSession: true, sessionCapabilities: { list: {}, resume: {}, close: {} } },
    })
    const { sessionId } = await agent.request("session/new", { cwd: directory, mcpServers: [] })
    expect(await prompt(sessionId, "Write a note")).toEqual({ stopReason: "end_turn" })
    expect(fs.readFileSync(path.join(directory, "note.txt"), "utf8")).toBe("Hello\n")
    expect(textOf("agent_message_chunk")).toBe("I write it.Written.")

    const file = path.join(fs.realpathSync(directory), "note.txt")
    const call = updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")
    expect(call).toMatchObject({
      title: "workspace/write_file: note.txt",
      kind: "edit",
      status: "pending",
      locations: [{ path: file }],
      content: [{ type: "diff", path: file, oldText: null, newText: "Hello\n" }],
    })
    const id = call?.toolCallId
    const statuses = updates.flatMap((update) =>
      update.sessionUpdate === "tool_call_update" && update.toolCallId === id ? [update.status] : [],
    )
    expect(statuses).toEqual(["in_progress", "completed"])
    expect(permissions).toHaveLength(1)
    expect(permissions[0]?.toolCall).toMatchObject({ toolCallId: id, rawInput: { actuator: "workspace/write_file" } })
    expect(permissions[0]?.options.map(({ kind }) => kind)).toEqual(["allow_once", "reject_once"])

    expect(await prompt(sessionId, "Thank you")).toEqual({ stopReason: "end_turn" })
    expect(JSON.stringify(asked.at(-1)?.messages)).toContain("Thank you")
    running.child.stdin.end()
    expect(await running.ended).toEqual({ code: 0, stderr: "" })

    const events = await eventsOf(logOf(directory))
    const ofTask = events.filter(({ taskId }) => taskId === sessionId)
    expect(ofTask.find(({ type }) => type === "ConfirmationDecided")?.payload).toMatchObject({
      approved: true,
      channel: "acp",
    })
    expect(ofTask.some(({ type }) => type === "TaskClosed")).toBe(false)
  }, 60_000)

  it("does not run what the editor rejects, cancels or answers with an unknown option", async () => {
    const directory = await project({ tools: true })
    const { url } = await modelServer([WRITE, { text: "No then." }, WRITE, { text: "Again no." }])
    const answers = ["reject", "cancel"] as const
    const running = start(directory, url)
    const { updates, permissions, opened, prompt } = editor(running, () => answers[permissions.length - 1] ?? "never")
    const sessionId = await opened(directory)
    await prompt(sessionId, "Write a note")
    await prompt(sessionId, "Now write it")
    expect(fs.existsSync(path.join(directory, "note.txt"))).toBe(false)
    const ended = updates.filter(({ status }) => status === "failed")
    expect(ended).toHaveLength(2)
    expect(JSON.stringify(ended)).toContain("Denied")
  }, 60_000)

  it("keeps everything when it is killed while a question waits, and a new connection loads the session and asks again", async () => {
    const directory = await project({ tools: true })
    const { url } = await modelServer([{ text: "I write it.", ...WRITE }, { text: "Written." }])
    const first = start(directory, url)
    const before = editor(first)
    const sessionId = await before.opened(directory)
    before.prompt(sessionId, "Write a note").catch(() => {})
    await before.seen(() => before.permissions.length === 1)
    first.child.kill("SIGKILL")
    await once(first.child, "exit")
    expect(fs.existsSync(path.join(directory, "note.txt"))).toBe(false)

    const second = start(directory, url)
    const after = editor(second, () => "allow")
    await after.initialized()
    const listed = await after.agent.request("session/list", { cwd: directory })
    expect(listed.sessions).toMatchObject([{ sessionId, title: "Write a note" }])
    await after.agent.request("session/load", { sessionId, cwd: directory, mcpServers: [] })
    expect(after.textOf("user_message_chunk")).toBe("Write a note")
    expect(after.textOf("agent_message_chunk")).toBe("I write it.")
    expect(after.updates.find(({ sessionUpdate }) => sessionUpdate === "tool_call")).toMatchObject({
      status: "pending",
    })
    expect(after.permissions).toEqual([])
    expect(await after.prompt(sessionId, "Go on")).toEqual({ stopReason: "end_turn" })
    expect(after.permissions.length).toBeGreaterThan(0)
    expect(fs.readFileSync(path.join(directory, "note.txt"), "utf8")).toBe("Hello\n")
    second.child.stdin.end()
    expect((await second.ended).code).toBe(0)
    await hindcast(directory, ["log", "verify"])
  }, 90_000)

  it("lets a question wait, and runs nothing, when the editor leaves", async () => {
    const directory = await project({ tools: true })
    const { url } = await modelServer([WRITE])
    const running = start(directory, url)
    const { permissions, opened, prompt, seen } = editor(running)
    const sessionId = await opened(directory)
    prompt(sessionId, "Write a note").catch(() => {})
    await seen(() => permissions.length === 1)
    running.child.stdin.end()
    expect((await running.ended).code).toBe(0)
    expect(fs.existsSync(path.join(directory, "note.txt"))).toBe(false)
    const types = (await eventsOf(logOf(directory))).map(({ type }) => type)
    expect(types).not.toContain("ConfirmationDecided")
    expect(types).not.toContain("TaskClosed")
    expect(types).not.toContain("CommandDispatched")
  }, 60_000)

  it("stops at a cancel in the middle of an answer, and continues with the next prompt", async () => {
    const directory = await project()
    const { url, asked } = await modelServer([{ text: "I think ", hangs: true }, { text: "Yes." }])
    const running = start(directory, url)
    const { agent, opened, prompt, seen, textOf } = editor(running)
    const sessionId = await opened(directory)
    const first = prompt(sessionId, "Think")
    await seen(() => textOf("agent_message_chunk") === "I think ")
    await agent.notify("session/cancel", { sessionId })
    expect(await first).toEqual({ stopReason: "cancelled" })
    expect(asked).toHaveLength(1)
    expect(await prompt(sessionId, "Are you there?")).toEqual({ stopReason: "end_turn" })
    expect(textOf("agent_message_chunk")).toBe("I think Yes.")
    expect(asked).toHaveLength(2)
    const told = JSON.stringify(asked[1]?.messages)
    expect(told).toContain("I think ")
    expect(told).toContain("Are you there?")
  }, 60_000)

  it("stops at a cancel while a question waits, and never runs its command", async () => {
    const directory = await project({ tools: true })
    const { url, asked } = await modelServer([WRITE, { text: "As you like." }])
    const running = start(directory, url)
    const { agent, permissions, opened, prompt, seen } = editor(running)
    const sessionId = await opened(directory)
    const first = prompt(sessionId, "Write a note")
    await seen(() => permissions.length === 1)
    await agent.notify("session/cancel", { sessionId })
    expect(await first).toEqual({ stopReason: "cancelled" })
    expect(asked).toHaveLength(1)
    expect(await prompt(sessionId, "Leave it")).toEqual({ stopReason: "end_turn" })
    expect(fs.existsSync(path.join(directory, "note.txt"))).toBe(false)
  }, 60_000)

  it("gives the model the prompt's files, links and images", async () => {
    const directory = await project()
    const { url, asked } = await modelServer([{ text: "Seen." }])
    const running = start(directory, url)
    const { agent, opened } = editor(running)
    const sessionId = await opened(directory)
    await agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Look:" },
        { type: "resource_link", name: "a.ts", uri: "file:///p/a.ts" },
        { type: "resource", resource: { uri: "file:///p/b.ts", text: "const fence = '```'" } },
        { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" },
      ],
    })
    const told = JSON.stringify(asked[0]?.messages)
    expect(asked).toHaveLength(1)
    expect(told).toContain("[@a.ts](file:///p/a.ts)")
    expect(told).toContain("````\\nconst fence = '```'\\n````")
    expect(told).toContain("data:image/png;base64,iVBORw0KGgo=")
  }, 60_000)

  it("answers a prompt with an error when the model fails", async () => {
    const directory = await project()
    const { url } = await modelServer([{ status: 400 }])
    const running = start(directory, url)
    const { opened, prompt } = editor(running)
    const sessionId = await opened(directory)
    await expect(prompt(sessionId, "Hello")).rejects.toMatchObject({ code: -32_603 })
    await expect(prompt(sessionId, "Hello?")).rejects.toThrow(/closed|ended/)
  }, 60_000)
})
