/** Rules of ACP's pure modules, each by an example. */
import { describe, expect, it } from "vitest"
import * as AnnouncedCall from "../../src/acp/AnnouncedCall.ts"
import * as Conversation from "../../src/acp/Conversation.ts"
import * as Lines from "../../src/acp/Lines.ts"
import * as Message from "../../src/acp/Message.ts"
import * as Permission from "../../src/acp/Permission.ts"
import * as Prompt from "../../src/acp/Prompt.ts"
import type { JsonObject } from "../../src/values/Json.ts"

const option = (optionId: string, kind: string) => ({ optionId, kind, name: optionId })
const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } })

describe("the options of a permission request", () => {
  it.each([
    ["allow", ["allow_always"], undefined],
    ["allow", ["allow_always", "allow_once"], "allow_once"],
    ["deny", ["reject_always", "reject_once"], "reject_once"],
    ["deny", ["allow_once", "reject_always"], "reject_always"],
  ] as const)("%s among %j chooses %s", (decision, kinds, chosen) => {
    const params = { options: kinds.map((kind) => option(kind, kind)) }
    expect(Permission.resultOf(params, decision)).toEqual(chosen === undefined ? undefined : selected(chosen))
  })

  it("denies by a cancellation where no option rejects", () => {
    expect(Permission.resultOf({ options: [option("a", "allow_once")] }, "deny")).toEqual(Permission.CANCELLED)
    expect(Permission.resultOf({ options: "none" }, "deny")).toEqual(Permission.CANCELLED)
  })

  it("approves only by one selected option of a kind that allows", () => {
    const params = {
      options: [
        option("once", "allow_once"),
        option("always", "allow_always"),
        option("no", "reject_once"),
        option("both", "allow_once"),
        option("both", "reject_once"),
        option("odd", "allow_everything"),
      ],
    }
    const approved = (result: JsonObject | undefined) => Permission.chosenOf(params, result)
    expect(approved(selected("once"))).toEqual({ approved: true, reason: "allow_once" })
    expect(approved(selected("always"))).toEqual({ approved: true, reason: "allow_always" })
    expect(approved(selected("no"))).toEqual({ approved: false, reason: "reject_once" })
    expect(approved(selected("both"))).toEqual({ approved: false, reason: "options of several kinds share one id" })
    expect(approved(selected("odd"))).toEqual({ approved: false, reason: "allow_everything" })
    expect(approved(selected("unknown"))).toEqual({ approved: false, reason: "unknown" })
    expect(approved({ outcome: { outcome: "cancelled", optionId: "once" } })).toEqual({
      approved: false,
      reason: "cancelled",
    })
    expect(approved(undefined)).toEqual({ approved: false, reason: "no option was chosen" })
  })
})

describe("a message", () => {
  it("has an id of its own type, and is not read where it nests too deep", () => {
    expect(Message.keyOf(1)).not.toBe(Message.keyOf("1"))
    const deep = `{"method":"x","params":${"[".repeat(5_000)}${"]".repeat(5_000)}}`
    expect(() => JSON.parse(deep)).not.toThrow()
    expect(Message.read(Buffer.from(deep))).toBeUndefined()
    expect(Message.read(Buffer.from('{"method":"x","id":{}}'))).toEqual({
      kind: "notification",
      method: "x",
      params: {},
    })
  })

  it("says whether a prompt has more than text", () => {
    const text = { type: "text", text: "a" }
    expect([[], [text], [text, { type: "image" }], [null], "text"].map(Prompt.hasMore)).toEqual([
      ...[false, false, true, true, false],
    ])
  })
})

describe("lines", () => {
  const pieces = (lines: Lines.Lines, chunk: string) =>
    lines.push(Buffer.from(chunk)).map(({ bytes, kind }) => [kind, String(bytes)])

  it("come whole up to the limit, and in parts beyond it", () => {
    const lines = Lines.make(8)
    expect(pieces(lines, "1234567\n123")).toEqual([["line", "1234567\n"]])
    expect(pieces(lines, "45678\nab\n")).toEqual([
      ["last", "12345678\n"],
      ["line", "ab\n"],
    ])
    expect(pieces(lines, "123456789")).toEqual([["part", "123456789"]])
    expect(pieces(lines, "x")).toEqual([["part", "x"]])
    expect(pieces(lines, "y\nz\n")).toEqual([
      ["last", "y\n"],
      ["line", "z\n"],
    ])
  })

  it("end without a line break as what they are", () => {
    const short = Lines.make(8)
    short.push(Buffer.from("abc"))
    expect(short.end().map(({ kind }) => kind)).toEqual(["line"])
    const long = Lines.make(8)
    long.push(Buffer.from("123456789"))
    expect(long.end()).toEqual([])
  })
})

describe("an announced call", () => {
  it("keeps a field that an update leaves empty, and takes the others", () => {
    expect(
      AnnouncedCall.merged({ title: "a", kind: "read" }, { sessionUpdate: "x", title: null, kind: "edit" }),
    ).toEqual({
      title: "a",
      kind: "edit",
    })
  })

  it.each([
    [{ command: "rm a" }, "rm a"],
    [{ command: ["bash", "-c", "rm a"] }, "rm a"],
    [{ command: ["/bin/bash", "-lc", "rm a"] }, "rm a"],
    [{ command: ["rm", "-c", "a", "b"] }, "rm -c a b"],
    [{ command: ["bash", "-x", "a"] }, "bash -x a"],
    [{}, "the title"],
  ])("of a shell has the line that rules read: %j", (rawInput, command) => {
    const call = AnnouncedCall.callOf({ kind: "execute", rawInput, title: "the title" }, "c")
    expect(call.input).toMatchObject({ command })
  })

  it("has the diffs of its content as arguments, and its own arguments before a title of the same name", () => {
    const diff = { type: "diff", path: "/a", oldText: "1", newText: "2" }
    const fields = { kind: "edit", title: "Edit", content: [diff, { type: "content" }], rawInput: { title: "own" } }
    expect(AnnouncedCall.callOf(fields, "c").input).toEqual({ title: "own", diffs: [diff] })
  })

  it("succeeds only if it completed, and keeps the raw output next to the content", () => {
    const content = [{ type: "content" }]
    expect(AnnouncedCall.outcomeOf({ status: "completed", content })).toEqual({ ok: true, content })
    expect(AnnouncedCall.outcomeOf({ status: "failed", content, rawOutput: 1 })).toEqual({
      ok: false,
      content: { content, rawOutput: 1 },
    })
    expect(AnnouncedCall.outcomeOf({ status: "in_progress" })).toBeUndefined()
  })
})

describe("a conversation", () => {
  const isNew = async () => true
  const call = (toolCallId: string, status: string, more: object = {}): JsonObject => ({
    sessionUpdate: "tool_call_update",
    toolCallId,
    kind: "execute",
    status,
    ...more,
  })
  const kinds = (told: ReadonlyArray<Conversation.Told>) =>
    told.map(({ happening }) => `${happening.kind} ${"callId" in happening ? happening.callId : ""}`.trim())

  it("says nothing of a refused call that fails, and gives one that ran a command of its own", async () => {
    const conversation = Conversation.make()
    const refuse = async (id: string) => (await conversation.asked(call(id, "pending"), isNew)).denied()
    await refuse("c1")
    expect(await conversation.update(call("c1", "failed"), isNew)).toEqual([])
    await refuse("c2")
    expect(kinds(await conversation.update(call("c2", "completed"), isNew))).toEqual(["after c2#ran"])
  })

  it("gives a used id that comes again another one, also where the agent asks a second time", async () => {
    const conversation = Conversation.make()
    const [told] = await conversation.update(call("c1", "in_progress"), async () => false)
    expect(kinds(told === undefined ? [] : [told])).toEqual([expect.stringMatching(/^announced c1#.{36}$/)])
    const first = await conversation.asked(call("c2", "pending"), isNew)
    const again = await conversation.asked(call("c2", "pending"), isNew)
    expect(first.call.callId).toBe("c2")
    expect(again.call.callId).toMatch(/^c2#again#/)
  })

  it("closes the calls that a turn leaves open, but no refused one, and none twice", async () => {
    const conversation = Conversation.make()
    await conversation.update(call("open", "in_progress"), isNew)
    const refused = await conversation.asked(call("refused", "pending"), isNew)
    refused.denied()
    const [told, ...others] = conversation.endTurn()
    expect(others).toEqual([])
    expect(told?.happening).toMatchObject({ kind: "batch", calls: [{ callId: "open", content: null }] })
    expect(conversation.endTurn()).toEqual([])
  })

  it("divides a long message, and keeps calls beyond the limit as they came", async () => {
    const conversation = Conversation.make()
    const chunk = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "x".repeat(100 * 1024) } }
    const lengths = []
    for (let at = 0; at < 5; at++)
      for (const { happening } of await conversation.update(chunk, isNew))
        if (happening.kind === "said") lengths.push(happening.text.length)
    for (const { happening } of conversation.flush()) if (happening.kind === "said") lengths.push(happening.text.length)
    expect(lengths).toEqual([200 * 1024, 200 * 1024, 100 * 1024])
    for (let at = 0; at < 10_000; at++) await conversation.update(call(`c${at}`, "pending"), isNew)
    const beyond = await conversation.update(call("beyond", "pending"), isNew)
    expect(beyond).toEqual([
      { event: "tool_call_update", happening: { kind: "other" }, payload: call("beyond", "pending") },
    ])
  })
})
