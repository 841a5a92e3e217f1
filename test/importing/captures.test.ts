import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { SOURCES } from "../../src/importing/Sources.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { inRepository } from "../repository.ts"
import * as Formats from "./formats.ts"
import { events, importing, lines, payloads, withFiles } from "./given.ts"
import { header, sample } from "./inspectLog.ts"

const SESSIONS = path.join(import.meta.dirname, "sessions")
const session = (name: string) => fs.readFileSync(path.join(SESSIONS, name), "utf8")
const document = (value: unknown) => JSON.stringify(value, null, 2)

const told = { role: "user", content: "Mend it" }
const answer = { role: "assistant", content: "Done." }
const shell = { role: "assistant", content: "I look.\n```bash\nls\n```" }
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

const miniSwe = { info: { exit_status: "Submitted" }, messages: [told, shell, { role: "user", content: "a.ts" }] }
const langSmith = {
  ...{ id: "t", trace_id: "t", run_type: "llm", name: "llm", dotted_order: "t", start_time: at(0), end_time: at(1) },
  ...{ inputs: { messages: [told] }, outputs: { messages: [answer] }, extra: { metadata: { ls_model_name: "m" } } },
}
const langfuse = {
  ...{ id: "o", traceId: "t", type: "GENERATION", name: "llm", startTime: at(0), endTime: at(1), model: "m" },
  ...{ input: [told], output: answer },
}
const verifiers = {
  ...{ version: 1, id: "abc", agent: { name: "solver" }, task: { type: "Sum" }, is_completed: true, calls: [] },
  nodes: [
    { message: told, parent: null, sampled: false },
    { message: answer, parent: 0, sampled: true },
  ],
}
const orca = (seq: number, type: string, attrs: object, payload?: string) => ({
  ...{ seq, ts: at(seq), mono_us: seq, turn: 1, type, actor: "agent", attrs, payload },
})

const MINARI = ["test", "golden", "worlds", "minari", "arrow", "frozenlake", "fixture-v0", "data"] as const

/** A file of each format, by the format's name. */
const FILES: Readonly<Record<string, Readonly<Record<string, string | Buffer>>>> = {
  "claude-code": { "claude.jsonl": session("1-tools-deny-subagent.jsonl") },
  codex: { "codex.jsonl": session("codex-session-simple.jsonl") },
  "gemini-cli": { "gemini.jsonl": session("gemini-session-simple.jsonl") },
  "copilot-cli": { "copilot/events.jsonl": session("copilot-session-events.jsonl") },
  opencode: { "opencode.json": session("opencode-export.json") },
  cline: { "tasks/1767225600000/api_conversation_history.json": JSON.stringify([told, answer]) },
  inspect: { "inspect.json": document({ ...header(), samples: [sample("1", 1)] }) },
  atif: { "trajectory.json": document(Formats.trajectory()) },
  otlp: { "trace.json": document(Formats.exported(...Formats.genAi())) },
  langsmith: { "runs.jsonl": lines([langSmith]) },
  langfuse: { "observations.jsonl": lines([langfuse]) },
  openhands: { "openhands.jsonl": lines(Formats.openHands()) },
  "swe-agent": { "a.traj": document(Formats.sweAgent()) },
  "mini-swe-agent": { "b.traj.json": document({ ...miniSwe, trajectory_format: "mini-swe-agent-1.1" }) },
  minari: Object.fromEntries(
    ["metadata.json", "0/part-0.arrow"].map((name) => [name, fs.readFileSync(inRepository(...MINARI, name))]),
  ),
  verifiers: { "traces.jsonl": lines([verifiers]) },
  "orca-trace": {
    "run_a/events.jsonl": lines([
      orca(0, "run.start", { adapter: "node" }),
      orca(1, "model.request", { path: "/v1/messages" }, JSON.stringify({ model: "m", messages: [told] })),
      orca(2, "run.end", { exit_code: 0 }),
    ]),
    "run_a/manifest.json": JSON.stringify({ run_id: "run_a", adapter: { id: "codex" } }),
  },
  messages: { "messages.jsonl": lines([{ messages: [told, answer] }]) },
  piaavt: { "piaavt.jsonl": lines(Formats.piaAvt()) },
  "agent-trace": {
    "traces.jsonl": lines([
      {
        version: "0.1.0",
        id: "550e8400-e29b-41d4-a716-446655440000",
        timestamp: "2026-01-25T10:00:00Z",
        files: [
          {
            path: "src/app.ts",
            conversations: [{ contributor: { type: "ai" }, ranges: [{ start_line: 1, end_line: 50 }] }],
          },
        ],
      },
    ]),
  },
  "git-ai": {
    "head.note": `src/lib.rs\n  abcd1234abcd1234 1-50\n---\n${document({
      schema_version: "authorship/3.0.0",
      base_commit_sha: "7734793b756b3921c88db5375a8c156e9532447b",
      prompts: { abcd1234abcd1234: { agent_id: { tool: "cursor", id: "s", model: "gpt-4" } } },
    })}`,
  },
}

/** What the tasks of a format say of their capture, from the first event to the last. */
const notesOf = (all: ReadonlyArray<Event>, source: string) => {
  const notes = all.filter(({ type, actor }) => type === "CaptureNoted" && actor === `import:${source}`)
  const opened = all.filter(({ type, actor }) => type === "TaskOpened" && actor === `import:${source}`)
  return opened.map(({ taskId }) => notes.filter((note) => note.taskId === taskId).map(({ payload }) => payload))
}

const auditOf = (all: ReadonlyArray<Event>, taskId: string) => Either.getOrThrow(TaskAudit.fold(taskId, all)).capture

describe("every imported task", () => {
  it.effect.each(SOURCES.map(({ name, capture }) => [name, capture] as const))(
    "of %s says what its source cannot show, before anything else",
    ([name, capture]) =>
      withFiles(FILES[name] ?? {}, (directory) =>
        Effect.gen(function* () {
          const report = yield* importing(directory)
          expect([report.refused, report.unknown]).toEqual([[], []])
          const all = yield* events
          const noted = notesOf(all, name)
          expect(noted.length).toBeGreaterThan(0)
          expect(capture.lacks.length).toBeGreaterThan(0)
          for (const [first, ...others] of noted) {
            expect(first).toEqual({ source: name, unseen: [], lacks: capture.lacks })
            for (const other of others) expect(other).toEqual({ source: name, unseen: expect.anything() })
          }
          for (const { taskId } of all.filter(({ type }) => type === "TaskOpened")) {
            expect(auditOf(all, taskId ?? "")).toMatchObject({ source: name, lacks: capture.lacks })
          }
          expect((yield* importing(directory)).added).toBe(0)
        }),
      ),
  )

  it.effect("says what was left out, remarked on and cut, and how often", () => {
    const long = "x".repeat(1_100_000)
    const records = [
      ...session("1-tools-deny-subagent.jsonl")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ]
    const at = records.findIndex(({ type, message }) => type === "user" && typeof message?.content === "string")
    const cut = records.map((record, index) =>
      index === at ? { ...record, message: { ...record.message, content: long } } : record,
    )
    return withFiles({ "s.jsonl": `${lines(cut)}no JSON at all\n` }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        const [task = []] = notesOf(all, "claude-code")
        const unseen = task.at(-1)?.unseen as ReadonlyArray<{ what: string; target: string; count: number }>
        const counted = (what: string) =>
          Object.fromEntries(unseen.flatMap((one) => (one.what === what ? [[one.target, one.count]] : [])))
        expect(counted("a record left out")).toEqual(files[0]?.leftOut)
        expect(counted("a value cut")).toEqual({ "it is too long, too deep or damaged": 1 })
        expect(auditOf(all, all.find(({ type }) => type === "TaskOpened")?.taskId ?? "")?.notVisible).toEqual(unseen)
      }),
    )
  })

  it.effect("pairs results with calls by the rule of its format, and says so where one record does not have both", () =>
    withFiles(
      { ...FILES.codex, ...FILES["gemini-cli"], ...FILES["mini-swe-agent"], ...FILES["swe-agent"] },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          const rulesOf = (source: string) =>
            new Set(
              payloads(
                all.filter(({ actor }) => actor === `import:${source}`),
                "CommandSucceeded",
              ).map(({ inferred }) => (inferred as { cause?: string } | undefined)?.cause),
            )
          expect(rulesOf("codex")).toEqual(new Set(["call-id"]))
          expect(rulesOf("gemini-cli")).toEqual(new Set([undefined]))
          expect(rulesOf("swe-agent")).toEqual(new Set([undefined]))
          // A source without times does not say how long a tool took: that is not 0.
          const times = (source: string) =>
            payloads(
              all.filter(({ actor }) => actor === `import:${source}`),
              "CommandSucceeded",
            ).map(({ latencyMs }) => latencyMs)
          expect(new Set(times("swe-agent"))).toEqual(new Set([undefined]))
          expect(times("codex").every((time) => typeof time === "number")).toBe(true)
          expect(rulesOf("mini-swe-agent")).toEqual(new Set(["next-result"]))
        }),
    ),
  )
})
