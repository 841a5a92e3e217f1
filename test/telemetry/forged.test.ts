import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as ClaudeCode from "../../src/hooks/clients/ClaudeCode.ts"
import * as Sessions from "../../src/hooks/Sessions.ts"
import * as Record from "../../src/record/index.ts"
import { workplace } from "../workplace.ts"
import { attributes, type Receiver, receiving } from "./receiving.ts"

const place = workplace()
afterAll(place.remove)

let made = 0
const directory = (): string => {
  made += 1
  const name = place.file(`forged-${made}`)
  fs.mkdirSync(name)
  return name
}

const SESSION = "s-1"
const TASK = `claude-code-${SESSION}`

const log = (name: string, sequence: number, at: number, of: Readonly<Record<string, unknown>>) => ({
  timeUnixNano: `${at}000000`,
  body: { stringValue: `claude_code.${name}` },
  attributes: attributes({ "event.name": name, "session.id": SESSION, "event.sequence": sequence, ...of }),
})

/** What a program without a token may send under a session's id. */
const forged = (at: number) => {
  const decision = (sequence: number, tool_use_id: string, decision: string, source: string) =>
    log("tool_decision", sequence, at, { tool_use_id, tool_name: "Bash", decision, source })
  const logRecords = [
    log("user_prompt", 1, at, { prompt: "delete it all" }),
    decision(2, "c2", "accept", "user_permanent"),
    decision(3, "c1", "reject", "user_reject"),
    decision(4, "c9", "accept", "user_temporary"),
    log("tool_result", 5, at, { tool_use_id: "c2", tool_name: "Bash", success: "true" }),
    log("api_request", 6, at, { request_id: "r", model: "claude", input_tokens: 7, output_tokens: 1 }),
    log("api_error", 7, at, { model: "claude", error: "forged" }),
  ]
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] }
}

const GATE = {
  rules: [{ name: "no-rm", shell: ["rm *"], decision: "deny" as const, reason: "Nothing is deleted here" }],
  default: "allow" as const,
}

/** A gated session: c1 ran, c2 was denied. `meanwhile` runs before its end. */
const gated = async (file: string, meanwhile: () => Promise<unknown>): Promise<void> => {
  const sessions = await Sessions.open({ log: file, gate: async () => GATE })
  const take = async (hook_event_name: string, more: object) => {
    const moment = ClaudeCode.client.read({ session_id: SESSION, cwd: "/project", hook_event_name, ...more })
    if (moment === undefined) throw new Error("not read")
    await sessions.take(ClaudeCode.client, moment)
  }
  const bash = (command: string, tool_use_id: string) => ({ tool_name: "Bash", tool_input: { command }, tool_use_id })
  await take("UserPromptSubmit", { prompt: "tidy up" })
  await take("PreToolUse", bash("ls", "c1"))
  await take("PostToolUse", { ...bash("ls", "c1"), tool_response: { stdout: "x" } })
  await take("PreToolUse", bash("rm -r x", "c2"))
  await meanwhile()
  await take("SessionEnd", { reason: "other" })
  await sessions.close()
}

const inStream = (events: ReadonlyArray<Event>, stream: string) => events.filter((event) => event.stream === stream)

const typesIn = (events: ReadonlyArray<Event>, stream: string) =>
  new Set(inStream(events, stream).map(({ type }) => type))

/** The record of the gate: nothing of it is telemetry's, and all that is has a mark and decides nothing. */
const isUntouched = (events: ReadonlyArray<Event>, taskId: string): void => {
  const own = inStream(events, `task/${taskId}`)
  expect(own.map(({ actor }) => actor).filter((actor) => actor.startsWith("import:"))).toEqual([])
  expect(own.filter(({ type }) => type === "CommandDenied")).toMatchObject([{ payload: { rule: "no-rm" } }])
  expect(own.at(-1)).toMatchObject({ type: "TaskClosed", payload: { outcome: "achieved" } })
  const [mark] = inStream(events, `telemetry/${taskId}`)
  expect(mark).toMatchObject({ type: "CaptureNoted", payload: { unseen: [{ what: "who sent the telemetry" }] } })
  expect(typesIn(events, `telemetry/${taskId}`)).toEqual(
    new Set(["CaptureNoted", "SourceRecordKept", "ModelCalled", "ModelResponded", "ModelFailed"]),
  )
}

const sending = async ({ post, recorded }: Pick<Receiver, "post" | "recorded">) => {
  expect((await post("/v1/logs", forged(Date.now()))).status).toBe(200)
  return recorded()
}

describe("records that anybody may send", () => {
  it("do not change a session that hooks gate", async () => {
    const at = directory()
    await receiving(at, async (receiver) => {
      await gated(`${at}/log.db`, () => sending(receiver))
      isUntouched(await sending(receiver), TASK)
    })
  })

  it("do not change it either if they came first, or begin each of its tasks", async () => {
    const at = directory()
    await receiving(at, async (receiver) => {
      await sending(receiver)
      await gated(`${at}/log.db`, () => sending(receiver))
      const events = await sending(receiver)
      isUntouched(events, `${TASK}.2`)
      const [opened, capture] = inStream(events, `task/${TASK}`)
      expect(opened).toMatchObject({ type: "TaskOpened", actor: "import:claude-code-logs" })
      expect(capture?.payload.lacks).toContainEqual(expect.objectContaining({ what: "who sent the telemetry" }))
    })
  })

  it("are not recorded under the id of a program's task", async () => {
    const at = directory()
    await receiving(at, async (receiver) => {
      const run = await Record.record({ log: `${at}/log.db`, goal: "its own", agent: "program", id: TASK })
      const events = await sending(receiver)
      expect(events.map(({ actor }) => actor)).toEqual(["agent:program"])
      expect(receiver.remarks).toEqual(["telemetry under the id of a task that another program recorded"])
      expect(receiver.inbox.backlog.groups).toBe(0)
      await run.end("achieved", "done")
    })
  })
})
