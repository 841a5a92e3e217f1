import * as fs from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Clients from "../../src/hooks/clients/Clients.ts"
import { isGate } from "../../src/hooks/clients/Gates.ts"
import type { HookEvent } from "../../src/hooks/HookEvent.ts"
import type { Json, JsonObject } from "../../src/values/Json.ts"
import { inRepository } from "../repository.ts"

/** What the real programs sent. */
const payloads = (client: string): ReadonlyArray<JsonObject> =>
  JSON.parse(fs.readFileSync(inRepository(`test/hooks/payloads/${client}.json`), "utf8"))

const clientOf = (name: string) => {
  const client = Clients.named(name)
  if (client === undefined) throw new Error(`no client ${name}`)
  return client
}

const hookEventsOf = (name: string): ReadonlyArray<HookEvent> =>
  payloads(name).map((payload) => {
    const hookEvent = clientOf(name).read(payload)
    if (hookEvent === undefined) throw new Error(`not read: ${JSON.stringify(payload)}`)
    return hookEvent
  })

const happenings = (name: string, kind: string) =>
  hookEventsOf(name).flatMap(({ happening }) => (happening.kind === kind ? [happening] : []))

describe.each(Clients.all.map(({ name }) => name))("what %s sends", (name) => {
  it("is read, each payload as what it is", () => {
    const hookEvents = hookEventsOf(name)
    for (const { session, event, happening } of hookEvents) {
      expect(session).not.toBe("")
      expect(happening.kind === "before", event).toBe(isGate(event))
    }
    const kinds = hookEvents.map(({ happening }) => happening.kind)
    expect(kinds).toEqual(expect.arrayContaining(["before", "after", "prompt"]))
    for (const call of happenings(name, "before")) expect(call).toMatchObject({ tool: expect.stringMatching(/./) })
  })

  it("is refused where it has another shape", () => {
    const { read } = clientOf(name)
    const wrong: ReadonlyArray<Json> = [null, [], "x", 1, {}, { session_id: "s" }, { hook_event_name: "PreToolUse" }]
    for (const payload of wrong) expect(read(payload)).toBeUndefined()
    fc.assert(fc.property(fc.jsonValue(), (payload) => void read(payload as Json)))
  })

  it("gets a refusal that says the rule and the reason, and nothing where nothing is refused", () => {
    const { answer } = clientOf(name)
    const denied = answer("PreToolUse", { decision: "deny", rule: "no-deleting", reason: "not here" })
    expect(denied).toMatchObject({ exitCode: 0, stderr: "" })
    expect(JSON.stringify(JSON.parse(denied.stdout))).toMatch(/deny.*no-deleting.*not here|no-deleting.*not here.*deny/)
    for (const decision of ["allow", "none"] as const) {
      expect(answer("PreToolUse", { decision })).toEqual({ stdout: "", stderr: "", exitCode: 0 })
    }
  })
})

describe("calls and results", () => {
  it.each(["claude-code", "codex", "qwen"])("of %s are told by the model's id of the call", (name) => {
    const ids = new Set(happenings(name, "before").map((call) => ("callId" in call ? call.callId : undefined)))
    expect(ids).not.toContain(undefined)
    const after = happenings(name, "after").flatMap((call) => ("callId" in call ? [call.callId] : []))
    expect(after.some((id) => ids.has(id))).toBe(true)
  })

  it("of Claude Code's sub-agents have the agent, and its batches all calls of an answer", () => {
    expect(hookEventsOf("claude-code").some(({ agentId }) => agentId === "aec81af11364a6baa")).toBe(true)
    expect(happenings("claude-code", "batch")).toContainEqual({
      kind: "batch",
      calls: [
        { tool: "Bash", input: { command: "echo hi", description: "say hi" }, callId: "toolu_01Bash", content: "hi" },
      ],
    })
  })

  it("fail where the client says so", () => {
    const failed = hookEventsOf("claude-code").find(({ event }) => event === "PostToolUseFailure")
    expect(failed?.happening).toMatchObject({ ok: false, content: expect.stringMatching(/Exit code 1|bad thing/) })
  })
})
