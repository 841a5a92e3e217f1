import { once } from "node:events"
import * as fs from "node:fs"
import * as path from "node:path"
import { PassThrough } from "node:stream"
import { afterEach, describe, expect, it } from "vitest"
import * as Between from "../../src/acp/Between.ts"
import * as Recorder from "../../src/acp/Recorder.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import * as Capture from "../../src/projections/state/Capture.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"
import { told as toldFiles } from "../workspace/told.ts"

const PERSON: GateConfig = {
  rules: [{ name: "editor", decision: "confirm", confirmWithinMs: 600_000 }],
  default: "deny",
}

const GATE: GateConfig = {
  rules: [
    { name: "no-deleting", shell: ["rm *"], decision: "deny", reason: "Nothing is deleted here" },
    { name: "ask-push", shell: ["git push*"], decision: "confirm", confirmWithinMs: 60_000 },
  ],
  default: "allow",
}

/** What one side received, and has not read yet. */
const reader = (stream: PassThrough) => {
  let bytes = Buffer.alloc(0)
  stream.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk])
    stream.emit("more")
  })
  return {
    /** The next bytes of this length. */
    take: async (length: number): Promise<Buffer> => {
      while (bytes.length < length) await once(stream, "more")
      const taken = bytes.subarray(0, length)
      bytes = bytes.subarray(length)
      return taken
    },
    line: async (): Promise<string> => {
      while (!bytes.includes("\n")) await once(stream, "more")
      const end = bytes.indexOf("\n") + 1
      const taken = bytes.subarray(0, end).toString()
      bytes = bytes.subarray(end)
      return taken
    },
    rest: () => bytes.toString(),
  }
}

const closing: Array<() => Promise<void>> = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close().catch(() => {})
})

const connect = async (log: string, gate?: GateConfig) => {
  const sessions = await Sessions.open({ log, means: "acp", gate: async () => gate ?? PERSON })
  closing.push(sessions.close)
  const [editorIn, editorOut, agentIn, agentOut] = [0, 1, 2, 3].map(() => new PassThrough()) as [
    PassThrough,
    PassThrough,
    PassThrough,
    PassThrough,
  ]
  const failures: Array<unknown> = []
  const recorder = Recorder.make({ sessions, agent: "scripted", onFailed: (error) => failures.push(error) })
  const done = Between.run({
    recorder,
    isGated: gate !== undefined,
    user: "ada",
    editor: { from: editorIn, to: editorOut },
    agent: { from: agentOut, to: agentIn },
  })
  const [editor, agent] = [reader(editorOut), reader(agentIn)]
  return {
    editor,
    agent,
    fromEditor: (message: object | string) => editorIn.write(lineOf(message)),
    fromAgent: (message: object | string) => agentOut.write(lineOf(message)),
    end: async () => {
      editorIn.end()
      agentOut.end()
      await done
      await recorder.end("the connection ended")
      await sessions.close()
      expect(failures).toEqual([])
    },
  }
}

const lineOf = (message: object | string) => (typeof message === "string" ? message : `${JSON.stringify(message)}\n`)

type Connection = Awaited<ReturnType<typeof connect>>

/** Says something and sees that the other side gets exactly that. */
const editorSays = async (to: Connection, message: object | string) => {
  to.fromEditor(message)
  expect((await to.agent.take(Buffer.byteLength(lineOf(message)))).toString()).toBe(lineOf(message))
}
const agentSays = async (to: Connection, message: object | string) => {
  to.fromAgent(message)
  expect((await to.editor.take(Buffer.byteLength(lineOf(message)))).toString()).toBe(lineOf(message))
}

const update = (update: object) => ({ jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } })
const prompt = (id: number, text: string) => ({
  jsonrpc: "2.0",
  id,
  method: "session/prompt",
  params: { sessionId: "s", prompt: [{ type: "text", text }] },
})
const ALL = [
  { optionId: "a", name: "Reject", kind: "allow_always" },
  { optionId: "b", name: "No", kind: "allow_once" },
  { optionId: "c", name: "Allow", kind: "reject_once" },
]
const permission = (
  id: number | string,
  toolCallId: string,
  command: string,
  options: ReadonlyArray<object> = ALL,
) => ({
  jsonrpc: "2.0",
  id,
  method: "session/request_permission",
  params: { sessionId: "s", options, toolCall: { toolCallId, kind: "execute", rawInput: { command } } },
})
const selected = (id: number | string, optionId: string) => ({
  jsonrpc: "2.0",
  id,
  result: { outcome: { outcome: "selected", optionId } },
})
const ofCommand = (events: ReadonlyArray<Event>, callId: string) =>
  events.filter(({ payload }) => String(payload.commandId ?? "").endsWith(`/${callId}`)).map(({ type }) => type)
const types = (events: ReadonlyArray<Event>) => events.map(({ type }) => type)

const FRAMES = inRepository("test", "acp", "frames")

describe("between an editor and an agent", () => {
  it.each(fs.readdirSync(FRAMES))("passes what real agents sent byte for byte, and records it: %s", async (name) => {
    const log = temporary("acp.db")
    const to = await connect(log)
    const frames = fs.readFileSync(`${FRAMES}/${name}`, "utf8").trim().split("\n")
    let prompts = 0
    for (const frame of frames) {
      const { d, m } = JSON.parse(frame)
      if (d === "c2a") await editorSays(to, m)
      else await agentSays(to, m)
      if (m.method === "session/prompt") prompts++
    }
    await to.end()
    const events = await eventsOf(log)
    expect(events.filter(({ type }) => type === "InputReceived")).toHaveLength(prompts)
    expect(prompts).toBeGreaterThan(0)
    const asked = frames.filter((frame) => frame.includes('"session/request_permission"'))
    // The recording of Copilot ends before an answer.
    const answered = frames.filter((frame) => frame.includes('"result":{"outcome":{"outcome":'))
    const decided = events.filter(({ type }) => type === "ConfirmationDecided")
    expect(decided).toHaveLength(answered.length)
    // Each call has one end.
    const commanded = events.filter(({ type }) => type === "ActuatorCommanded")
    expect(commanded.length).toBeGreaterThanOrEqual(asked.length)
    for (const { payload } of commanded) {
      const ends = events.filter(
        (event) =>
          event.payload.commandId === payload.commandId &&
          ["CommandDenied", "CommandSucceeded", "CommandFailed", "CommandOutcomeUnknown"].includes(event.type),
      )
      expect(ends).toHaveLength(1)
    }
  })

  it("lets rules decide first, by the kind of the options, and the person where they ask", async () => {
    const log = temporary("acp.db")
    const to = await connect(log, GATE)
    await editorSays(to, prompt(1, "mend it"))
    to.fromAgent(permission(1, "ls", "ls"))
    expect(JSON.parse(await to.agent.line())).toEqual(selected(1, "b"))
    await agentSays(to, update({ sessionUpdate: "tool_call_update", toolCallId: "ls", status: "completed" }))
    to.fromAgent(permission(2, "rm", "rm -rf ."))
    expect(JSON.parse(await to.agent.line())).toEqual(selected(2, "c"))
    // A name says nothing, and without an option that rejects the answer is `cancelled`.
    to.fromAgent(permission("2", "rm2", "rm a", ALL.slice(0, 2)))
    expect(JSON.parse(await to.agent.line())).toMatchObject({ id: "2", result: { outcome: { outcome: "cancelled" } } })
    await agentSays(to, permission(3, "push", "git push"))
    await editorSays(to, selected(3, "a"))
    // The agent repeats a refused call without asking, and leaves another open.
    await agentSays(to, update({ sessionUpdate: "tool_call_update", toolCallId: "rm", status: "completed" }))
    await agentSays(to, update({ sessionUpdate: "tool_call", toolCallId: "free", kind: "read", title: "a.ts" }))
    await agentSays(to, { jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } })
    await to.end()
    const events = await eventsOf(log)
    expect(ofCommand(events, "ls")).toEqual([
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandSucceeded",
    ])
    expect(ofCommand(events, "rm")).toEqual(["ActuatorCommanded", "CommandDenied"])
    expect(ofCommand(events, "rm#ran").at(-1)).toBe("CommandSucceeded")
    expect(ofCommand(events, "rm2")).toEqual(["ActuatorCommanded", "CommandDenied"])
    expect(ofCommand(events, "push").at(-1)).toBe("CommandOutcomeUnknown")
    expect(ofCommand(events, "free").at(-1)).toBe("CommandOutcomeUnknown")
    const observed = events.find(
      ({ type, payload }) => type === "CommandAllowed" && String(payload.commandId).endsWith("/free"),
    )
    expect(observed?.payload).toMatchObject({ rule: "observed" })
    expect(events.find(({ type }) => type === "ConfirmationDecided")?.payload).toMatchObject({
      approved: true,
      by: "ada",
      channel: "acp",
      reason: "allow_always",
    })
  })

  it("does not record a loaded session's history a second time", async () => {
    const log = temporary("acp.db")
    const to = await connect(log)
    await editorSays(to, prompt(1, "go"))
    await agentSays(to, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "do" } }))
    await agentSays(to, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "ne" } }))
    await agentSays(to, { jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } })
    await editorSays(to, { jsonrpc: "2.0", id: 2, method: "session/load", params: { sessionId: "s", cwd: "/p" } })
    await agentSays(to, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "done" } }))
    await agentSays(to, update({ sessionUpdate: "tool_call", toolCallId: "old", status: "completed" }))
    await agentSays(to, { jsonrpc: "2.0", id: 2, result: null })
    await to.end()
    const events = await eventsOf(log)
    expect(events.filter(({ type }) => type === "MessageSent").map(({ payload }) => payload.content)).toEqual(["done"])
    expect(types(events)).not.toContain("ActuatorCommanded")
  })

  it("passes what it cannot read, and refuses a permission request whose id is in use", async () => {
    const log = temporary("acp.db")
    const to = await connect(log, GATE)
    await editorSays(to, prompt(1, "go"))
    for (const line of ["not JSON\n", "[1,2]\r\n", `{"id":{},"method":7}\n`, `${"[".repeat(5000)}\n`, "\n"]) {
      await agentSays(to, line)
    }
    const long = `"${"x".repeat(33 * 1024 * 1024)}"\n`
    await agentSays(to, long)
    await agentSays(to, permission(7, "push", "git push"))
    to.fromAgent(permission(7, "push2", "git push --force"))
    expect(JSON.parse(await to.agent.line())).toMatchObject({ id: 7, result: { outcome: { outcome: "cancelled" } } })
    await editorSays(to, selected(7, "c"))
    await agentSays(to, update({ sessionUpdate: "tool_call", toolCallId: 5, title: ["x"], __proto__: null }))
    await to.end()
    const events = await eventsOf(log)
    expect(ofCommand(events, "push")).toEqual(["ActuatorCommanded", "ConfirmationRequested", "CommandDenied"])
    expect(events.some(({ payload }) => payload.kind === "unread line")).toBe(true)
    expect(to.editor.rest() + to.agent.rest()).toBe("")
  })

  it("notes once what a connection cannot show, and counts it as no import", async () => {
    const log = temporary("acp.db")
    for (const text of ["go", "go on"]) {
      const to = await connect(log)
      await editorSays(to, prompt(1, text))
      // Without an end: the session goes on.
      await closing.pop()?.()
    }
    const events = await eventsOf(log)
    const noted = events.filter(({ type }) => type === "CaptureNoted")
    expect(noted.map(({ payload }) => payload.source)).toEqual(["acp"])
    const lacks = (noted[0]?.payload.lacks ?? []) as ReadonlyArray<{ readonly what: string }>
    const told = ["calls that the agent does not ask about", "requests to models", "tokens", "what tools changed"]
    expect(lacks.map(({ what }) => what)).toEqual(expect.arrayContaining(told))
    const capture = Capture.section(events.reduce(Capture.projection.evolve, Capture.projection.initial))
    expect(capture).toMatchObject({ lacks: noted[0]?.payload.lacks })
    expect(capture?.source).toBeUndefined()
  })

  it("withdraws a question whose agent has gone", async () => {
    const log = temporary("acp.db")
    const to = await connect(log)
    await editorSays(to, prompt(1, "go"))
    await agentSays(to, permission(1, "c", "ls"))
    await to.end()
    const events = await eventsOf(log)
    expect(types(events)).toContain("ConfirmationWithdrawn")
    expect(types(events)).not.toContain("ConfirmationDecided")
    expect(ofCommand(events, "c").at(-1)).toBe("CommandDenied")
  })
})

describe("the files of a session's directory", () => {
  const begun = async () => {
    const root = temporary("project")
    fs.mkdirSync(root)
    const log = temporary("acp.db")
    const to = await connect(log)
    await editorSays(to, { jsonrpc: "2.0", id: 9, method: "session/new", params: { cwd: root, mcpServers: [] } })
    await agentSays(to, { jsonrpc: "2.0", id: 9, result: { sessionId: "s" } })
    const write = (file: string, text: string) => fs.writeFileSync(path.join(root, file), text)
    const call = (toolCallId: string, kind: string, more: object = {}) =>
      agentSays(to, update({ sessionUpdate: "tool_call", toolCallId, kind, status: "in_progress", ...more }))
    const ends = (toolCallId: string, more: object = {}) =>
      agentSays(to, update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed", ...more }))
    return { root, log, to, write, call, ends }
  }

  it("change by the call that the agent announces, whatever its kind, and by nobody between turns", async () => {
    const { log, to, write, call, ends } = await begun()
    write("a.txt", "1\n")
    await editorSays(to, prompt(1, "go"))
    // The agent does not wait: it writes before its announcement is read.
    write("by-shell.txt", "x\n")
    await call("c1", "execute", { rawInput: { command: "generate" } })
    await ends("c1")
    await call("c2", "read", { title: "a.txt" })
    await ends("c2")
    await agentSays(to, { jsonrpc: "2.0", id: 1, result: { stopReason: "end_turn" } })
    write("a.txt", "a person\n")
    await editorSays(to, prompt(2, "more"))
    await to.end()
    expect(toldFiles(await eventsOf(log))).toEqual([
      "added by-shell.txt by c1 between-snapshots",
      "changed a.txt by no-call",
    ])
  })

  it("changed while several calls ran belong to the one that names them, else to all of them", async () => {
    const { root, log, to, write, call, ends } = await begun()
    await editorSays(to, prompt(1, "go"))
    const locations = [{ path: path.join(root, "named.ts") }]
    await call("c1", "edit", { locations })
    await call("c2", "execute", { rawInput: { command: "generate" } })
    write("named.ts", "x\n")
    write("other.ts", "x\n")
    await ends("c2")
    await ends("c1")
    await to.end()
    expect(toldFiles(await eventsOf(log))).toEqual(["added named.ts by c1 named-file", "added other.ts by c1+c2"])
  })

  it("that the editor writes for a call are the call's; without one, they are the request's if it names them", async () => {
    const { root, log, to, write, call, ends } = await begun()
    await editorSays(to, prompt(1, "go"))
    const writes = async (id: number, file: string) => {
      const params = { sessionId: "s", path: path.join(root, file), content: "x\n" }
      await agentSays(to, { jsonrpc: "2.0", id, method: "fs/write_text_file", params })
      write(file, "x\n")
      await editorSays(to, { jsonrpc: "2.0", id, result: null })
    }
    await call("c1", "edit", { title: "Edit" })
    await writes(20, "one.ts")
    await ends("c1")
    await writes(21, "two.ts")
    write("three.ts", "x\n")
    await to.end()
    const told = toldFiles(await eventsOf(log))
    expect(told).toHaveLength(3)
    expect(told[0]).toBe("added one.ts by c1 between-snapshots")
    expect(told[1]).toMatch(/^added two.ts by \S+ named-file$/)
    expect(told[2]).toBe("added three.ts by no-call")
  })

  it("are the asked call's from its permission on; a refused call and one without an end change nothing", async () => {
    const { log, to, write, call } = await begun()
    await editorSays(to, prompt(1, "go"))
    await call("c1", "execute", { rawInput: { command: "ls" } })
    write("before.txt", "x\n")
    await agentSays(to, permission(1, "c1", "ls"))
    await editorSays(to, selected(1, "b"))
    await call("c2", "execute")
    await agentSays(to, permission(2, "c2", "rm x"))
    await editorSays(to, selected(2, "c"))
    write("after.txt", "x\n")
    await agentSays(to, update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed" }))
    await call("c3", "execute")
    await to.end()
    const told = toldFiles(await eventsOf(log))
    expect(told[0]).toMatch(/^added before.txt by (no-call|not-watched)$/)
    expect(told.slice(1)).toEqual(["added after.txt by c1 between-snapshots"])
  })

  it("are not recorded where the editor names no directory, or one that nobody has, and the session goes on", async () => {
    for (const cwd of [undefined, "/no/such/directory"]) {
      const log = temporary("acp.db")
      const to = await connect(log)
      await editorSays(to, { jsonrpc: "2.0", id: 9, method: "session/new", params: { cwd, mcpServers: [] } })
      await agentSays(to, { jsonrpc: "2.0", id: 9, result: { sessionId: "s" } })
      await editorSays(to, prompt(1, "go"))
      await agentSays(to, update({ sessionUpdate: "tool_call", toolCallId: "c", kind: "execute", status: "completed" }))
      await to.end()
      const events = await eventsOf(log)
      const noted = events.flatMap(({ type, payload }) => (type === "CaptureNoted" ? [payload.unseen] : []))
      expect(JSON.stringify(noted)).toContain("the files of the session's directory")
      expect(ofCommand(events, "c").at(-1)).toBe("CommandSucceeded")
    }
  })
})
