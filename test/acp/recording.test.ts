/** What the recorder of a connection tells sessions, by sessions that a test controls. */
import { describe, expect, it } from "vitest"
import { keyOf, type Message } from "../../src/acp/Message.ts"
import * as Recorder from "../../src/acp/Recorder.ts"
import type { HookEvent, HookRuling } from "../../src/hooks/HookEvent.ts"
import type * as Sessions from "../../src/hooks/Sessions.ts"
import type { JsonObject } from "../../src/values/Json.ts"

const recording = (fails: (event: HookEvent) => boolean = () => false) => {
  const taken: Array<HookEvent & { readonly client: string }> = []
  const failures: Array<unknown> = []
  const sessions: Sessions.Sessions = {
    take: async (client, event): Promise<HookRuling> => {
      if (fails(event)) throw new Error("the disk is full")
      taken.push({ ...event, client: client.name })
      return { decision: "allow" }
    },
    knows: async () => false,
    closeIdle: async () => {},
    size: () => 0,
    close: async () => {},
  }
  const recorder = Recorder.make({ sessions, agent: "Some Agent", onFailed: (error) => failures.push(error) })
  const request = (from: Recorder.Side, id: number, method: string, params: JsonObject) =>
    recorder.take(from, { kind: "request", id, method, params })
  const response = (from: Recorder.Side, id: number, more: Partial<Message & { kind: "response" }> = {}) =>
    recorder.take(from, { kind: "response", id, result: {}, error: undefined, ...more })
  const update = (fields: JsonObject) =>
    recorder.take("agent", {
      kind: "notification",
      method: "session/update",
      params: { sessionId: "s", update: fields },
    })
  const said = (text: string) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
  const prompt = (id: number, text = "go") =>
    request("editor", id, "session/prompt", { sessionId: "s", prompt: [{ type: "text", text }] })
  const told = () => taken.map(({ event, happening }) => `${event}: ${happening.kind}`)
  return { recorder, taken, failures, request, response, update, said, prompt, told }
}

describe("the recorder of a connection", () => {
  it.each(["session/load", "session/resume", "session/fork"])(
    "leaves out what %s repeats, until its response, but not what a turn says meanwhile",
    async (method) => {
      const { request, response, said, prompt, taken } = recording()
      await request("editor", 1, method, { sessionId: "s" })
      await said("old")
      await response("agent", 1)
      await prompt(2)
      await said("new")
      await request("editor", 3, method, { sessionId: "s" })
      await said(", too")
      await response("agent", 3)
      await response("agent", 2)
      const texts = taken.flatMap(({ happening }) => (happening.kind === "said" ? [happening.text] : []))
      expect(texts.join("")).toBe("new, too")
    },
  )

  it("keeps addresses of MCP servers, which hold keys, out of the log", async () => {
    const { request, response, prompt, taken } = recording()
    const mcpServers = [{ name: "files", url: "https://mcp.example?key=sk-secret" }, 7]
    await request("editor", 1, "session/new", { cwd: "/p", mcpServers })
    await response("agent", 1, { result: { sessionId: "s" } })
    await prompt(2)
    await request("editor", 3, "session/load", { sessionId: "s", cwd: "/p", mcpServers })
    expect(JSON.stringify(taken)).not.toContain("sk-secret")
    expect(taken.map(({ payload }) => Object(payload).mcpServers).filter((names) => names !== undefined)).toEqual([
      ["files", "unnamed"],
      ["files", "unnamed"],
    ])
  })

  it("gives a response to the first request of its id", async () => {
    const { request, response, prompt, told } = recording()
    await prompt(1)
    await request("editor", 1, "session/set_mode", { sessionId: "s", modeId: "x" })
    await response("agent", 1, { result: { stopReason: "end_turn" } })
    await response("agent", 1, { result: {} })
    expect(told()).toEqual(["session/prompt: prompt", "session/set_mode: other", "session/prompt: other"])
    expect(keyOf(1)).toBe("1")
  })

  it("closes open calls when the last of several turns ends", async () => {
    const { response, update, prompt, told } = recording()
    await prompt(1)
    await prompt(2)
    await update({ sessionUpdate: "tool_call", toolCallId: "c", kind: "read", status: "in_progress" })
    await response("agent", 1)
    expect(told()).not.toContain("turn ended: batch")
    await response("agent", 2)
    expect(told()).toContain("turn ended: batch")
  })

  it("names the agent by its own word, but not once a session has begun", async () => {
    const { request, response, prompt, taken } = recording()
    await prompt(1)
    for (const [id, name] of [
      [2, "First"],
      [3, "Second"],
    ] as const) {
      await request("editor", id, "initialize", {})
      await response("agent", id, { result: { agentInfo: { name } } })
    }
    await prompt(4)
    expect(taken.map(({ client }) => client)).toEqual(["acp-some-agent", "acp-some-agent"])
    const early = recording()
    await early.request("editor", 2, "initialize", {})
    await early.response("agent", 2, { result: { agentInfo: { name: "My Agent/2" } } })
    await early.prompt(4)
    expect(early.taken.map(({ client }) => client)).toEqual(["acp-my-agent-2"])
  })

  it("stops after a failure of the log, says so once, and asks no gate any more", async () => {
    let events = 0
    const { recorder, failures, prompt, said, response, taken } = recording(() => ++events === 2)
    await prompt(1)
    await said("a")
    await response("agent", 1)
    await prompt(2)
    expect(failures).toEqual([new Error("the disk is full")])
    expect(taken).toHaveLength(1)
    const left = new AbortController().signal
    const asked = recorder.ask({ sessionId: "s" }, async () => ({ approved: true, by: "ada" }) as never, left)
    await expect(asked).rejects.toThrow("cannot be recorded")
  })
})
