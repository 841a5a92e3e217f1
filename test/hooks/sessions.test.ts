import * as fs from "node:fs"
import { afterEach, describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as ClaudeCode from "../../src/hooks/clients/ClaudeCode.ts"
import type { Client } from "../../src/hooks/clients/Client.ts"
import * as Copilot from "../../src/hooks/clients/Copilot.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import type { Json } from "../../src/values/Json.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"
import { Database } from "../sqlite.ts"
import { approve, asked } from "./questions.ts"

const GATE: GateConfig = {
  rules: [
    { name: "no-deleting", shell: ["rm *"], decision: "deny", reason: "Nothing is deleted here" },
    { name: "ask-push", shell: ["git push*"], decision: "confirm", confirmWithinMs: 60_000 },
  ],
  default: "allow",
}

const opened: Array<Sessions.Sessions> = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close().catch(() => {})
})

const open = async (log: string, more: Partial<Sessions.SessionsOptions> = {}) => {
  const sessions = await Sessions.open({ log, gate: async () => GATE, ...more })
  opened.push(sessions)
  return sessions
}

const take = (sessions: Sessions.Sessions, payload: Json, client: Client = ClaudeCode.client, left?: AbortSignal) => {
  const hookEvent = client.read(payload)
  if (hookEvent === undefined) throw new Error(`not read: ${JSON.stringify(payload)}`)
  return sessions.take(client, hookEvent, left)
}

const at = (hook_event_name: string, more: object = {}): Json => ({
  session_id: "s-1",
  cwd: "/project",
  hook_event_name,
  ...more,
})

const bash = (command: string, tool_use_id: string) => ({ tool_name: "Bash", tool_input: { command }, tool_use_id })

const ofCommand = (events: ReadonlyArray<Event>, callId: string) =>
  events.filter(({ payload }) => String(payload.commandId ?? "").endsWith(`/${callId}`)).map(({ type }) => type)

describe("a session", () => {
  it("judges what a tool gets, also where the log has no key in it", async () => {
    const log = temporary("keys.db")
    const sessions = await open(log)
    const input = { token: "rm -rf /home", command: "rm -rf /home" }
    const call = { ...bash("", "k1"), tool_input: input }
    expect(await take(sessions, at("PreToolUse", call))).toMatchObject({ decision: "deny", rule: "no-deleting" })
    expect(JSON.stringify(await eventsOf(log))).not.toContain("/home")
  })

  it("is a task, with what was said, each call, its decision and its result", async () => {
    const log = temporary("session.db")
    const sessions = await open(log)
    expect(await take(sessions, at("SessionStart", { source: "startup" }))).toEqual({ decision: "none" })
    await take(sessions, at("UserPromptSubmit", { prompt: "mend the test" }))
    expect(await take(sessions, at("PreToolUse", bash("npm test", "c1")))).toEqual({ decision: "allow" })
    await take(
      sessions,
      at("PostToolUse", { ...bash("npm test", "c1"), tool_response: { stdout: "ok" }, duration_ms: 7 }),
    )
    expect(await take(sessions, at("PreToolUse", bash("rm -rf .", "c2")))).toEqual({
      decision: "deny",
      rule: "no-deleting",
      reason: "Nothing is deleted here",
    })
    await take(sessions, at("PreToolUse", bash("false", "c3")))
    await take(sessions, at("PostToolUseFailure", { ...bash("false", "c3"), error: "Exit code 1" }))
    await take(sessions, at("Stop", { last_assistant_message: "done" }))
    await sessions.close()
    const events = await eventsOf(log)
    expect(events[0]).toMatchObject({
      type: "TaskOpened",
      taskId: "claude-code-s-1",
      payload: { goal: "mend the test", agent: "claude-code", recorder: { means: "hooks" } },
    })
    expect(events.map(({ type }) => type).slice(1, 4)).toEqual(["CaptureNoted", "SourceRecordKept", "InputReceived"])
    expect(ofCommand(events, "c1")).toEqual([
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandSucceeded",
    ])
    expect(ofCommand(events, "c2")).toEqual(["ActuatorCommanded", "CommandDenied"])
    const prompt = events.find(({ type }) => type === "InputReceived")
    const commanded = events.filter(({ type }) => type === "ActuatorCommanded")
    expect(new Set(commanded.map(({ causationId }) => causationId))).toEqual(new Set([prompt?.id]))
    expect(ofCommand(events, "c3").at(-1)).toBe("CommandFailed")
    expect(events.find(({ type }) => type === "CommandSucceeded")?.payload).toMatchObject({ latencyMs: 7 })
    expect(events.at(-1)?.type).toBe("RecorderLeft")
  })

  it("lets a call pass only when its dispatch is in the log, and asks a person first where a rule says so", async () => {
    const log = temporary("asked.db")
    const sessions = await open(log)
    const waiting = take(sessions, at("PreToolUse", bash("git push", "c1")))
    await approve(log, await asked(log))
    expect(await waiting).toEqual({ decision: "allow" })
    expect(ofCommand(await eventsOf(log), "c1")).toEqual([
      "ActuatorCommanded",
      "ConfirmationRequested",
      "CommandAllowed",
      "CommandDispatched",
    ])
  })

  it("records what no hook was asked about as observed, once", async () => {
    const log = temporary("unseen.db")
    const sessions = await open(log)
    await take(sessions, at("UserPromptSubmit", { prompt: "go" }))
    await take(sessions, at("PreToolUse", bash("ls", "seen")))
    const unseen = { tool_name: "Nope", tool_input: { x: 1 }, tool_use_id: "unseen", tool_response: "No such tool" }
    const batch = at("PostToolBatch", { tool_calls: [{ ...bash("ls", "seen"), tool_response: "" }, unseen] })
    await take(sessions, batch)
    await take(sessions, batch)
    await take(sessions, at("PostToolUse", { ...bash("date", "late"), tool_response: "now" }))
    await sessions.close()
    const events = await eventsOf(log)
    expect(ofCommand(events, "unseen")).toEqual([
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandOutcomeUnknown",
    ])
    expect(ofCommand(events, "late").at(-1)).toBe("CommandSucceeded")
    expect(ofCommand(events, "seen").slice(3)).toEqual(["CommandOutcomeUnknown"])
    const observed = events.filter(({ payload }) => payload.observed === true)
    expect(observed.map(({ payload }) => payload.actuator)).toEqual(["claude-code/Nope", "claude-code/Bash"])
  })

  it("refuses a call that was decided before: its client may send it twice", async () => {
    const sessions = await open(temporary("twice.db"))
    const call = at("PreToolUse", bash("ls", "c1"))
    expect(await take(sessions, call)).toEqual({ decision: "allow" })
    expect(await take(sessions, call)).toMatchObject({ decision: "deny", rule: "repeated" })
  })

  it("pairs calls without ids by tool and arguments, in their order", async () => {
    const log = temporary("copilot.db")
    const sessions = await open(log)
    const payloads: ReadonlyArray<Json> = JSON.parse(
      fs.readFileSync(inRepository("test/hooks/payloads/copilot.json"), "utf8"),
    )
    for (const payload of payloads) await take(sessions, payload, Copilot.client)
    await sessions.close()
    const events = await eventsOf(log)
    const calls = events.filter(({ type }) => type === "ActuatorCommanded")
    const ends = events.filter(({ type }) => type === "CommandSucceeded")
    expect(calls).toHaveLength(2)
    for (const { payload } of ends) expect(payload.inferred).toEqual({ cause: "call-input" })
    for (const { payload } of calls) {
      const said = JSON.stringify(payload.args).includes("echo hi") ? "hi" : "two"
      expect(ends.find((end) => end.payload.commandId === payload.commandId)?.payload.result).toMatch(
        new RegExp(`^${said}`),
      )
    }
  })

  it("withdraws a question when its client leaves, and a later approval says so", async () => {
    const log = temporary("left.db")
    const sessions = await open(log)
    const left = new AbortController()
    const waiting = take(sessions, at("PreToolUse", bash("git push", "c1")), ClaudeCode.client, left.signal)
    const confirmationId = await asked(log)
    left.abort()
    expect(await waiting).toMatchObject({ decision: "deny", rule: "ask-push" })
    await expect(approve(log, confirmationId)).rejects.toThrow(/withdrawn at @\d+: its client no longer waits/)
    expect(ofCommand(await eventsOf(log), "c1")).toEqual([
      "ActuatorCommanded",
      "ConfirmationRequested",
      "CommandDenied",
    ])
    const withdrawn = (await eventsOf(log)).find(({ type }) => type === "ConfirmationWithdrawn")
    expect(withdrawn?.payload.reason).toBe("its client no longer waits for the answer")
  })

  it("records as not gated what a client ran although it had not waited for the answer", async () => {
    const log = temporary("ran.db")
    const sessions = await open(log)
    const left = new AbortController()
    const waiting = take(sessions, at("PreToolUse", bash("git push", "c1")), ClaudeCode.client, left.signal)
    await asked(log)
    left.abort()
    await waiting
    const result = at("PostToolUse", { ...bash("git push", "c1"), tool_response: "pushed" })
    await take(sessions, result)
    await take(sessions, result)
    const calls = (await eventsOf(log)).filter(({ type }) => type === "ActuatorCommanded")
    expect(calls.map(({ payload }) => payload.observed)).toEqual([undefined, true])
    expect(calls.map(({ payload }) => payload.callId)).toEqual(["c1", "c1"])
  })

  it("withdraws questions when it closes, and waits for nobody", async () => {
    const log = temporary("closing.db")
    const sessions = await open(log)
    const waiting = take(sessions, at("PreToolUse", bash("git push", "c1")))
    await asked(log)
    await sessions.close()
    expect(await waiting).toMatchObject({ decision: "deny" })
    expect((await eventsOf(log)).at(-1)?.type).toBe("RecorderLeft")
  })

  it("closes the silent sessions of an earlier server", async () => {
    const log = temporary("left-silent.db")
    const first = await open(log)
    await take(first, at("PreToolUse", bash("npm test", "ran")))
    await first.close()
    const next = await open(log, { idleMs: -1 })
    await next.closeIdle()
    await next.closeIdle()
    const events = await eventsOf(log)
    expect(ofCommand(events, "ran").at(-1)).toBe("CommandOutcomeUnknown")
    expect(events.filter(({ type }) => type === "TaskClosed")).toHaveLength(1)
    expect(events.at(-1)?.payload).toMatchObject({ outcome: "abandoned", reason: expect.stringMatching(/silent/) })
  })

  it("closes its task when the client ends it, and goes on in another one when it is resumed", async () => {
    const log = temporary("ended.db")
    const sessions = await open(log)
    await take(sessions, at("UserPromptSubmit", { prompt: "go" }))
    await take(sessions, at("PreToolUse", bash("ls", "c1")))
    await take(sessions, at("SessionEnd", { reason: "prompt_input_exit" }))
    // Reported late: the call has its end.
    await take(sessions, at("PostToolUse", { ...bash("ls", "c1"), tool_response: "" }))
    await take(sessions, at("SessionEnd", { reason: "prompt_input_exit" }))
    await take(sessions, at("SessionStart", { source: "resume" }))
    await take(sessions, at("UserPromptSubmit", { prompt: "and now?" }))
    await sessions.close()
    const events = await eventsOf(log)
    expect(events.filter(({ type }) => type === "TaskClosed").map(({ payload }) => payload)).toEqual([
      { outcome: "abandoned", reason: "its client ended the session (prompt_input_exit); nobody gave a verdict" },
    ])
    expect(ofCommand(events, "c1")).toEqual([
      "ActuatorCommanded",
      "CommandAllowed",
      "CommandDispatched",
      "CommandOutcomeUnknown",
    ])
    expect(events.filter(({ type }) => type === "TaskOpened").map(({ taskId }) => taskId)).toEqual([
      "claude-code-s-1",
      "claude-code-s-1.2",
    ])
  })

  it("closes the task of an earlier server's session when the client ends it", async () => {
    const log = temporary("ended-later.db")
    const first = await open(log)
    await take(first, at("UserPromptSubmit", { prompt: "go" }))
    await first.close()
    const second = await open(log)
    await take(second, at("SessionEnd", { reason: "other" }))
    expect((await eventsOf(log)).at(-1)?.payload).toMatchObject({ outcome: "achieved" })
  })

  it("goes on after a restart: a call that ran has its result, one that waited for a person was refused", async () => {
    const log = temporary("restarted.db")
    const first = await open(log)
    await take(first, at("PreToolUse", bash("npm test", "ran")))
    await first.close()
    const second = await open(log)
    await take(second, at("PostToolUse", { ...bash("npm test", "ran"), tool_response: "ok" }))
    await second.close()
    const events = await eventsOf(log)
    expect(new Set(events.map(({ taskId }) => taskId))).toEqual(new Set(["claude-code-s-1"]))
    expect(ofCommand(events, "ran").at(-1)).toBe("CommandSucceeded")
  })

  it("is closed when it was silent for long, and then goes on in another task", async () => {
    const log = temporary("silent.db")
    const sessions = await open(log, { idleMs: -1 })
    await take(sessions, at("PreToolUse", bash("ls", "c1")))
    await sessions.closeIdle()
    await take(sessions, at("UserPromptSubmit", { prompt: "and now?" }))
    await sessions.close()
    const events = await eventsOf(log)
    expect(ofCommand(events, "c1").at(-1)).toBe("CommandOutcomeUnknown")
    expect(events.filter(({ type }) => type === "TaskOpened").map(({ taskId }) => taskId)).toEqual([
      "claude-code-s-1",
      "claude-code-s-1.2",
    ])
  })

  it("says once what its hooks do not see, whichever server records it", async () => {
    const log = temporary("capture.db")
    for (const prompt of ["one", "two"]) {
      const sessions = await open(log)
      await take(sessions, at("UserPromptSubmit", { prompt }))
      await sessions.close()
    }
    const noted = (await eventsOf(log)).filter(({ type }) => type === "CaptureNoted")
    expect(noted.map(({ payload }) => payload.source)).toEqual(["hooks"])
    const lacks = (noted[0]?.payload.lacks ?? []) as ReadonlyArray<{ readonly what: string; readonly why: string }>
    expect(lacks.map(({ what }) => what)).toContain("tokens")
    expect(lacks.find(({ what }) => what === "calls that reach no hook")?.why).toContain("disableAllHooks")
  })

  it("keeps keys out of the log", async () => {
    const log = temporary("keys.db")
    const sessions = await open(log, { secrets: ["sk-secret-0001-abcdef"] })
    await take(sessions, at("UserPromptSubmit", { prompt: "use sk-secret-0001-abcdef" }))
    await take(sessions, at("PreToolUse", bash("curl -H sk-secret-0001-abcdef", "c1")))
    await take(sessions, at("Notification", { message: "sk-secret-0001-abcdef" }))
    await sessions.close()
    expect(JSON.stringify(await eventsOf(log))).not.toContain("sk-secret-0001")
  })

  it("records results that no hook was asked about, also of a client without call ids", async () => {
    const log = temporary("unasked.db")
    const sessions = await open(log)
    const bashed = { toolName: "bash", toolArgs: { command: "ls" } }
    const result = { toolResult: { resultType: "success", textResultForLlm: "x" } }
    const told = (hookEvent: string, more: object): Json => ({ hookEvent, sessionId: "p-1", cwd: "/project", ...more })
    await take(sessions, told("postToolUse", { ...bashed, ...result }), Copilot.client)
    expect(await take(sessions, told("preToolUse", bashed), Copilot.client)).toEqual({ decision: "allow" })
    await sessions.close()
    const commanded = (await eventsOf(log)).filter(({ type }) => type === "ActuatorCommanded")
    expect(commanded.map(({ payload }) => [payload.observed, payload.callId])).toEqual([
      [true, undefined],
      [undefined, undefined],
    ])
  })

  it("keeps recording when a client cuts characters in two, and refuses calls that are cut so", async () => {
    const log = temporary("halves.db")
    const sessions = await open(log)
    const half = "\ud83d"
    await take(sessions, at("UserPromptSubmit", { prompt: half }))
    await take(sessions, at("PreToolUse", bash("ls", "c1")))
    await take(
      sessions,
      at("PostToolUse", { ...bash("ls", "c1"), tool_response: { [half]: half, size: Number.POSITIVE_INFINITY } }),
    )
    await take(sessions, at("PostToolUse", { ...bash(half, `c2${half}`), tool_response: half, duration_ms: 1e300 }))
    await take(sessions, at("PostToolBatch", { tool_calls: [{ ...bash(half, `c3${half}`), tool_response: half }] }))
    await take(sessions, at(`Notification${half}`, { message: half, agent_id: half }))
    await take(sessions, at("Stop", { last_assistant_message: half }))
    for (const call of [bash(half, "c4"), bash("ls", half), { ...bash("ls", "c5"), agent_id: half }])
      await expect(take(sessions, at("PreToolUse", call))).rejects.toThrow(/complete characters/)
    expect(await take(sessions, at("PreToolUse", bash("ls", "c6")))).toEqual({ decision: "allow" })
    await take(sessions, at("SessionEnd", { reason: half }))
    await sessions.close()
    const events = await eventsOf(log)
    expect(events.find(({ type }) => type === "CommandSucceeded")?.payload.result).toEqual({
      "\ufffd": "\ufffd",
      size: null,
    })
    expect(events.at(-1)?.type).toBe("TaskClosed")
    expect(events.flatMap(({ payload }) => payload.callId ?? [])).toEqual(["c1", "c2\ufffd", "c3\ufffd", "c6"])
  })

  it("refuses every call once the log has failed", async () => {
    const log = temporary("failing.db")
    const sessions = await open(log)
    await take(sessions, at("PreToolUse", bash("ls", "c1")))
    const database = new Database(log)
    database.exec("CREATE TRIGGER broken BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'no more'); END")
    database.close()
    await expect(take(sessions, at("PreToolUse", bash("ls", "c2")))).rejects.toThrow(/trigger "broken"/)
    await expect(take(sessions, at("PreToolUse", bash("ls", "c3")))).rejects.toThrow()
  })
})
