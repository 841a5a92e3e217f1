import * as path from "node:path"
import { describe, expect, it } from "vitest"
import * as PromptContent from "../../../src/acp/agent/PromptContent.ts"
import * as ToolCallView from "../../../src/acp/agent/ToolCallView.ts"
import * as Updates from "../../../src/acp/agent/Updates.ts"
import type { Json } from "../../../src/values/Json.ts"

const CWD = path.resolve("/project")

describe("a command in an editor", () => {
  it.each([
    ["workspace/write_file", "edit"],
    ["files/deleteFile", "delete"],
    ["files/rename-file", "move"],
    ["web/fetch.page", "fetch"],
    ["web/search", "search"],
    ["workspace/readFile", "read"],
    ["workspace/run", "execute"],
    ["mind/plan", "think"],
    ["counter/add", "other"],
    // The plugin's name says nothing, and a word within another neither.
    ["delete/add", "other"],
    ["room/reopened", "other"],
    ["search", "search"],
  ])("has the kind of the words of its actuator: %s is %s", (toolName, kind) => {
    expect(ToolCallView.kindOf(toolName)).toBe(kind)
  })

  it.each<readonly [Json, string]>([
    [{ command: "git", args: ["push", "-f", 7] }, "a/b: git push -f"],
    [{ command: "git push", args: "x" }, "a/b: git push"],
    [{ path: "a.txt", query: "tea" }, "a/b: a.txt"],
    [{ url: "https://a.ch", query: "tea" }, "a/b: https://a.ch"],
    [{ query: "tea\n and   cake", pattern: "x" }, "a/b: tea and cake"],
    [{ pattern: "*.ts" }, "a/b: *.ts"],
    [{ path: 7 }, "a/b"],
    [{ text: "x" }, "a/b"],
    [null, "a/b"],
    [{ command: "x".repeat(200) }, `a/b: ${"x".repeat(115)}…`],
  ])("has the argument that says most in its title: %j", (args, title) => {
    expect(ToolCallView.titleOf({ toolName: "a/b", args })).toBe(title)
  })

  it("shows its file and its change, but no address as a file", () => {
    const view = (args: Json) => ToolCallView.viewOf({ toolName: "a/edit", args }, CWD)
    const file = path.join(CWD, "a.txt")
    const args = { path: "a.txt", old_string: "a", new_string: "b" }
    expect(view(args)).toEqual({
      title: "a/edit: a.txt",
      name: "a/edit",
      kind: "edit",
      rawInput: args,
      locations: [{ path: file }],
      content: [{ type: "diff", path: file, oldText: "a", newText: "b" }],
    })
    expect(view({ path: "a.txt" })).not.toHaveProperty("content")
    expect(view({ path: "https://a.ch/a.txt", content: "b" })).not.toHaveProperty("locations")
    expect(view({ path: "https://a.ch/a.txt", content: "b" })).not.toHaveProperty("content")
  })
})

describe("an event in an editor", () => {
  const shown = (streamed = ""): Updates.Shown => ({
    streamed,
    inProgress: new Set(),
    cwd: CWD,
  })
  const of = (event: object, streamed = "", showsWords = false) =>
    Updates.of(shown(streamed), event as Parameters<typeof Updates.of>[1], showsWords)
  const chunk = (kind: string, text: string) => ({ sessionUpdate: kind, content: { type: "text", text } })

  it("adds only the rest of a message that streamed", () => {
    const [after, updates] = of({ type: "onDelta", kind: "text", text: "Good " })
    expect(updates).toEqual([chunk("agent_message_chunk", "Good ")])
    const message = { type: "onNewMessage", content: "Good day." }
    expect(Updates.of(after, message as Parameters<typeof Updates.of>[1], false)).toEqual([
      shown(),
      [chunk("agent_message_chunk", "day.")],
    ])
    expect(of({ type: "onNewMessage", content: "Good" }, "Good")[1]).toEqual([])
    expect(of({ type: "onNewMessage", content: "Bye." }, "Good")[1]).toEqual([chunk("agent_message_chunk", "Bye.")])
  })

  it("shows reasoning as a thought, and no arguments while they stream", () => {
    expect(of({ type: "onDelta", kind: "reasoning", text: "Hm" }, "a")).toEqual([
      shown("a"),
      [chunk("agent_thought_chunk", "Hm")],
    ])
    expect(of({ type: "onDelta", kind: "call", text: "{" }, "a")).toEqual([shown("a"), []])
  })

  it("shows how far a call is, until its result", () => {
    const [halfway, updates] = of({ type: "onToolProgress", commandId: "c", toolName: "a/b", progress: 0.5 })
    const update = { sessionUpdate: "tool_call_update", toolCallId: "c" }
    const half = { type: "content", content: { type: "text", text: "50 %" } }
    expect(updates).toEqual([{ ...update, status: "in_progress", content: [half] }])
    const end = { type: "onToolCallEnd", commandId: "c", toolName: "a/b", status: "succeeded", result: 1 }
    const ended = Updates.of(halfway, end as Parameters<typeof Updates.of>[1], false)
    expect(ended).toEqual([shown(), [{ ...update, status: "completed", rawOutput: 1, content: [] }]])
    // A call without progress has no content to take away.
    expect(of(end)[1]).toEqual([{ ...update, status: "completed", rawOutput: 1 }])
  })

  it("forgets what streamed at a call and at words, so that the next message is shown whole", () => {
    const call = { type: "onToolCall", commandId: "c", toolName: "a/b", args: {} }
    expect(of(call, "a")[0]).toEqual(shown())
    expect(of(call)[1]).toEqual([
      expect.objectContaining({ sessionUpdate: "tool_call", toolCallId: "c", status: "pending", title: "a/b" }),
    ])
    expect(of({ type: "onInputReceived", content: "x" }, "a")).toEqual([shown(), []])
  })

  it("shows words, images and other files of a person, each as such", () => {
    const words = (content: Json) => of({ type: "onInputReceived", content }, "", true)[1]
    expect(words("hi")).toEqual([chunk("user_message_chunk", "hi")])
    expect(words({ a: 1 })).toEqual([chunk("user_message_chunk", '{"a":1}')])
    expect(
      words([
        { type: "text", text: "Look" },
        { type: "file", mediaType: "image/png", data: "AA==" },
        { type: "file", mediaType: "application/pdf", data: "AA==" },
        { type: "file" },
        "no part",
      ]),
    ).toEqual([
      chunk("user_message_chunk", "Look"),
      { sessionUpdate: "user_message_chunk", content: { type: "image", mimeType: "image/png", data: "AA==" } },
      chunk("user_message_chunk", "[application/pdf]"),
      chunk("user_message_chunk", "[file]"),
    ])
  })

  it("completes a call only by a success, and says why another end came", () => {
    const end = (status: string, result: Json, more = {}) =>
      of({ type: "onToolCallEnd", commandId: "c", status, result, ...more })[1][0]
    const saying = (status: string, text: string) => ({
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status,
      content: [{ type: "content", content: { type: "text", text } }],
    })
    expect(end("succeeded", 7)).toEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "completed",
      rawOutput: 7,
    })
    expect(end("succeeded", null, { unrecorded: "it is too large" })).toMatchObject(
      saying("completed", "Done. The log has no result: it is too large"),
    )
    expect(end("denied", { reason: "Not here" })).toMatchObject(saying("failed", "Denied: Not here"))
    expect(end("failed", { message: "it broke" })).toMatchObject(saying("failed", "Failed: it broke"))
    expect(end("unknown", null)).toMatchObject(saying("failed", "Nobody knows whether it was done"))
    expect(end("expired", {})).toMatchObject(saying("failed", "expired"))
  })

  it("tells that the model did not answer, as a thought", () => {
    expect(of({ type: "onRetryWait", kind: "overloaded", reason: "busy" }, "a")).toEqual([
      shown("a"),
      [chunk("agent_thought_chunk", "The model did not answer (overloaded): busy\n")],
    ])
  })
})

describe("the blocks of a prompt", () => {
  it("become words, with marks for what has none", () => {
    const { text, files } = PromptContent.of([
      { type: "text", text: "Look:" },
      { type: "text", text: "" },
      { type: "text" },
      { type: "resource_link", uri: "file:///a.ts", name: "" },
      { type: "resource_link" },
      { type: "hologram", text: "x" },
      { type: "image" },
    ])
    expect(text).toBe("Look:\n[@file:///a.ts](file:///a.ts)\n[resource_link]\n[hologram]\n[image]")
    expect(files).toEqual([])
  })

  it("become files with their media type, where they have content", () => {
    const { text, files } = PromptContent.of([
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "audio", data: "BB==" },
      { type: "resource", resource: { uri: "file:///a.pdf", blob: "CC==", mimeType: "application/pdf" } },
      { type: "text", text: "hi", data: "DD==" },
    ])
    expect(text).toBe("hi")
    expect(files).toEqual([
      { type: "file", mediaType: "image/png", data: "AA==" },
      { type: "file", mediaType: "application/octet-stream", data: "BB==" },
      { type: "file", mediaType: "application/pdf", data: "CC==" },
    ])
    const [file] = files
    if (file === undefined) throw new Error("no file")
    expect(PromptContent.inputOf({ text: "hi", files: [] })).toBe("hi")
    expect(PromptContent.inputOf({ text: "hi", files: [file] })).toEqual([{ type: "text", text: "hi" }, file])
    expect(PromptContent.inputOf({ text: " \n", files: [file] })).toEqual([file])
  })
})
