import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Clients from "../../src/hooks/clients/Clients.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import * as Import from "../../src/importing/Import.ts"
import * as Audits from "../../src/projections/audit/Audits.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as Projection from "../../src/projections/fold/Projection.ts"
import * as Capture from "../../src/projections/state/Capture.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import type { Json } from "../../src/values/Json.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { inRepository } from "../repository.ts"

/** Hooks of a client, as a server records them. */
const hooked = async (log: string, client: string, payloads: ReadonlyArray<object>): Promise<void> => {
  const gate = {
    rules: [{ name: "no-touch", shell: ["touch *"], decision: "deny" as const, reason: "not allowed by gate" }],
    default: "allow" as const,
  }
  const sessions = await Sessions.open({ log, gate: async () => gate })
  const found = Clients.named(client)
  for (const payload of payloads) {
    const moment = found?.read(payload as Json)
    if (found === undefined || moment === undefined) throw new Error(`not read: ${JSON.stringify(payload)}`)
    await sessions.take(found, moment)
  }
  await sessions.close()
}

/** A session that a real program wrote, as if it had begun now: the hooks' events have the time of the test. */
const session = (name: string, change = (text: string) => text): string => {
  const text = fs.readFileSync(inRepository("test/importing/sessions", name), "utf8")
  const [begun = ""] = /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(text) ?? []
  const shift = Date.now() - Date.parse(begun)
  const shifted = text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, (at) =>
    new Date(Date.parse(at) + shift).toISOString(),
  )
  const file = path.join(temporary("files"), name)
  fs.mkdirSync(path.dirname(file))
  fs.writeFileSync(file, change(shifted))
  return file
}

const imported = (log: string, ...paths: ReadonlyArray<string>) =>
  Import.importFiles({ paths }).pipe(Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)

const SESSION = "b1e83f90-7de1-43aa-8669-997fe1c530c9"
const TASK = `claude-code-${SESSION}`
const FILE = "1-tools-deny-subagent.jsonl"

const at = (hook_event_name: string, more: object = {}) => ({
  session_id: SESSION,
  cwd: "/project",
  hook_event_name,
  ...more,
})
const bash = (tool_use_id: string, command: string) => ({ tool_name: "Bash", tool_use_id, tool_input: { command } })

/** What the hooks saw of the session: all but the call of a sub-agent. */
const SEEN = [
  at("UserPromptSubmit", { prompt: "do it" }),
  at("PreToolUse", bash("toolu_01Bash", "echo hi")),
  at("PostToolUse", { ...bash("toolu_01Bash", "echo hi"), tool_response: { stdout: "hi" } }),
  at("PreToolUse", bash("toolu_08Denied", "touch x")),
  at("Stop", { last_assistant_message: "done" }),
]

const END = at("SessionEnd", { reason: "other" })

const of = (events: ReadonlyArray<Event>, type: string, taskId = TASK) =>
  events.filter((event) => event.type === type && event.taskId === taskId)

const commanded = (events: ReadonlyArray<Event>) =>
  events
    .filter(({ type }) => type === "ActuatorCommanded")
    .map(({ payload: { callId, observed } }) => [callId, observed === true ? "not gated" : "gated"])

const tasksOf = (events: ReadonlyArray<Event>): Tasks.Tasks => Projection.fold(Tasks.projection, events)

const once = (events: ReadonlyArray<Event>): void => {
  expect(of(events, "InputReceived")).toHaveLength(1)
  expect(commanded(events)).toEqual([
    ["toolu_01Bash", "gated"],
    ["toolu_08Denied", "gated"],
    ["toolu_06Agent", "not gated"],
  ])
  const ends = events.filter(({ type }) => /^Command(Succeeded|Failed|Denied|OutcomeUnknown)$/.test(type))
  expect(ends.map(({ type }) => type)).toEqual(["CommandSucceeded", "CommandDenied", "CommandSucceeded"])
}

describe("a session that hooks recorded, and its file", () => {
  it("are one task, in which each call counts once, with the tokens and the calls that no hook saw", async () => {
    const log = temporary("hooks-first.db")
    await hooked(log, "claude-code", [...SEEN, END])
    const file = session(FILE)
    const report = await imported(log, file)
    expect(report.files[0]?.runs).toEqual([expect.objectContaining({ taskIds: [TASK] })])
    const events = await eventsOf(log)
    once(events)
    expect(new Set(events.flatMap(({ taskId }) => taskId ?? []))).toEqual(new Set([TASK]))
    expect(of(events, "TaskOpened")).toHaveLength(1)
    expect(of(events, "TaskClosed")).toHaveLength(1)
    const responded = of(events, "ModelResponded")
    expect(responded.length).toBeGreaterThan(2)
    expect(responded[0]?.payload.usage).toMatchObject({ inputTokens: 11, outputTokens: 7 })
    expect(of(events, "MessageSent").filter(({ payload }) => payload.content === "done")).toHaveLength(1)
    // The model's first request is caused by the prompt that a hook reported.
    const [prompt] = of(events, "InputReceived")
    expect(of(events, "ModelCalled")[0]?.causationId).toBe(prompt?.id)
    const ids = new Set(events.map(({ id }) => id))
    for (const { causationId } of events) expect(causationId === null || ids.has(causationId)).toBe(true)
    const [merged] = of(events, "AccountMerged")
    expect(merged?.payload).toMatchObject({ source: "claude-code" })
    const matches = (merged?.payload.matches ?? []) as ReadonlyArray<{ readonly event: string; readonly rule: string }>
    expect(matches.map(({ rule }) => rule)).toEqual(["same-text", "same-id", "same-id", "same-text"])
    for (const { event } of matches) expect(ids).toContain(event)
    const folding = Projection.begin(Capture.projection, Capture.projection.initial)
    Projection.applyAll(
      Capture.projection,
      folding,
      events.filter(({ taskId }) => taskId === TASK),
    )
    const capture = Capture.section(folding.state())
    expect(capture?.merged).toEqual([
      { source: "claude-code", rule: "same-text", count: 2 },
      { source: "claude-code", rule: "same-id", count: 2 },
    ])
    expect(capture?.seen).toMatchObject({ recordedTools: 2, observedTools: 1 })
    const lacks = (capture?.lacks ?? []).map(({ what }) => what)
    // Together they show what the file has, and who allowed a call.
    expect(lacks).toContain("what tools changed")
    for (const what of ["tokens", "requests to models", "who allowed a call"]) expect(lacks).not.toContain(what)
  })

  it("counts the model's calls in the audit and the list of tasks, although the task was closed before", async () => {
    const late = temporary("late.db")
    const early = temporary("early.db")
    await hooked(late, "claude-code", [...SEEN, END])
    const [before] = Object.values(tasksOf(await eventsOf(late)))
    expect(before).toMatchObject({ outcome: "achieved", steps: 2 })
    const file = session(FILE)
    await imported(late, file)
    await imported(late, file)
    await imported(early, file)
    const events = await eventsOf(late)
    const task = tasksOf(events)[TASK]
    expect(task?.model).toEqual(tasksOf(await eventsOf(early))[TASK]?.model)
    expect(task?.model).toMatchObject({ calls: 4 })
    // The outcome and the range are those of the hooks' account; the call that no hook saw is one step more.
    expect(task).toMatchObject({ outcome: before?.outcome, to: before?.to, closedAt: before?.closedAt, steps: 3 })
    const audit = Either.getOrThrow(TaskAudit.fold(TASK, events))
    expect(audit).toMatchObject({ outcome: before?.outcome, range: { to: before?.to }, steps: 3 })
    expect(audit.model?.inputTokens).toBe(task?.model?.inputTokens)
    expect(audit.capture?.seen).toMatchObject({ modelRequests: 4, recordedTools: 2, observedTools: 1 })
    expect(Audits.fold(events)).toEqual([audit])
  })

  it("adds nothing when it is imported again, and what is new when the file has grown", async () => {
    const log = temporary("twice.db")
    await hooked(log, "claude-code", [...SEEN, END])
    const whole = fs.readFileSync(session(FILE), "utf8").split("\n")
    const cut = session(FILE, () => `${whole.slice(0, 22).join("\n")}\n`)
    await imported(log, cut)
    expect(commanded(await eventsOf(log))).toHaveLength(2)
    const file = session(FILE, () => whole.join("\n"))
    await imported(log, file)
    const before = await eventsOf(log)
    once(before)
    const answers = before.flatMap(({ type, payload }) => (type === "ModelResponded" ? [payload.response] : []))
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(answers.length)
    fs.appendFileSync(file, `${JSON.stringify({ type: "atis-latch", atis: "more", sessionId: SESSION })}\n`)
    await imported(log, file)
    const kept = (await eventsOf(log)).slice(before.length).map(({ type }) => type)
    expect(kept.filter((type) => type !== "SourceRecordKept" && type !== "FileImported")).toEqual([])
    await imported(log, file)
    expect((await eventsOf(log)).length).toBe(before.length + kept.length)
  })

  it("is the same where the file comes first and hooks go on in another task", async () => {
    const log = temporary("file-first.db")
    const whole = fs.readFileSync(session(FILE), "utf8").split("\n")
    const begun = whole.findIndex((line) => line.includes('"content": "do it"') && line.includes('"type": "user"'))
    const first = JSON.parse(whole[begun] ?? "")
    const earlier = {
      ...first,
      uuid: "11111111-1111-4111-8111-111111111111",
      message: { role: "user", content: "before" },
    }
    const past = new Date(Date.parse(first.timestamp) - 3_600_000).toISOString()
    const line = JSON.stringify({ ...earlier, timestamp: past })
    const file = session(FILE, () => `${line}\n`)
    fs.utimesSync(file, new Date(past), new Date(past))
    await imported(log, file)
    await hooked(log, "claude-code", [...SEEN, END])
    fs.writeFileSync(file, [line, ...whole].join("\n"))
    await imported(log, file)
    await imported(log, file)
    const events = await eventsOf(log)
    const tasks = of(events, "TaskOpened").concat(of(events, "TaskOpened", `${TASK}.2`))
    expect(tasks).toHaveLength(2)
    expect(new Set(events.flatMap(({ taskId }) => taskId ?? []))).toEqual(new Set([TASK, `${TASK}.2`]))
    expect(commanded(events)).toHaveLength(3)
    expect(of(events, "ModelResponded", `${TASK}.2`).length).toBeGreaterThan(2)
    expect(of(events, "InputReceived").map(({ payload }) => payload.content)).toEqual(["before"])
    expect(of(events, "InputReceived", `${TASK}.2`).map(({ payload }) => payload.content)).toEqual(["do it"])
  })

  it("waits for the end of a session that hooks record now", async () => {
    const log = temporary("at-work.db")
    const sessions = await Sessions.open({ log, gate: async () => undefined })
    const client = Clients.named("claude-code")
    const take = async (payload: object) => {
      const moment = client?.read(payload as Json)
      if (client !== undefined && moment !== undefined) await sessions.take(client, moment)
    }
    await take(SEEN[0] ?? {})
    const file = session(FILE)
    const report = await imported(log, file)
    expect(report.files[0]?.runs[0]).toMatchObject({ added: 0, ended: false })
    expect(Object.keys(report.files[0]?.remarks ?? {})).toContainEqual(
      expect.stringMatching(/hooks are recording this session/),
    )
    for (const payload of [...SEEN.slice(1, 3), END]) await take(payload)
    await sessions.close()
    await imported(log, file)
    const events = await eventsOf(log)
    expect(commanded(events).map(([id]) => id)).toEqual(["toolu_01Bash", "toolu_06Agent", "toolu_08Denied"])
  })

  it("does not count the turns again that a fork of the session copied", async () => {
    const log = temporary("fork.db")
    await hooked(log, "claude-code", [...SEEN, END])
    const file = session(FILE)
    await imported(log, file)
    const before = await eventsOf(log)
    const FORK = "c1e83f90-7de1-43aa-8669-997fe1c530c9"
    const copied = fs.readFileSync(file, "utf8").replaceAll(SESSION, FORK)
    const own = {
      ...{ type: "user", uuid: "22222222-2222-4222-8222-222222222222", sessionId: FORK, cwd: "/project" },
      ...{ timestamp: new Date().toISOString(), message: { role: "user", content: "and now?" } },
    }
    const fork = path.join(path.dirname(file), "fork.jsonl")
    fs.writeFileSync(fork, `${copied.trimEnd()}\n${JSON.stringify(own)}\n`)
    await hooked(log, "claude-code", [{ ...at("UserPromptSubmit", { prompt: "and now?" }), session_id: FORK }])
    await imported(log, fork)
    const added = (await eventsOf(log)).slice(before.length)
    expect(added.filter(({ type }) => type === "ModelResponded")).toEqual([])
    expect(of(added, "InputReceived", `claude-code-${FORK}`).map(({ payload }) => payload.content)).toEqual([
      "and now?",
    ])
  })

  it("leaves a task alone that a program recorded itself", async () => {
    const log = temporary("program.db")
    await Effect.gen(function* () {
      const events = yield* EventLog
      const payload = { goal: "x", agent: "a", measures: [], plugins: [], recorder: { host: "h", pid: 1 } }
      yield* events.append({
        stream: `task/${TASK}`,
        taskId: TASK,
        actor: "agent:a",
        events: [{ type: "TaskOpened", payload }],
      })
    }).pipe(Effect.provide(SqliteEventLog.layer({ filename: log })), Effect.runPromise)
    const report = await imported(log, session(FILE))
    expect(Object.keys(report.files[0]?.remarks ?? {})).toContainEqual(expect.stringMatching(/recorded live/))
  })
})
