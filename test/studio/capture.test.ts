import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as AuditComponents from "../../src/cli/pages/audit/AuditComponents.ts"
import * as AuditFacts from "../../src/cli/pages/audit/AuditFacts.ts"
import * as TaskPage from "../../src/html/TaskPage.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import * as TaskReport from "../../src/projections/report/TaskReport.ts"
import * as CaptureSummary from "../../src/projections/state/CaptureSummary.ts"
import { record } from "../../src/record/index.ts"
import type { TaskCapture, TaskHead } from "../../src/studio/wire/Task.ts"
import { demoLog } from "../demoLog.ts"
import { chat, serving } from "../record/exchanged.ts"
import { eventsOf, temporary } from "../record/recorded.ts"
import { page, served } from "./given.ts"

/** Records a program that called a tool by itself, and was told that it called one more. */
const recorded = async () => {
  const log = temporary("capture.db")
  const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: "{}" } })
  const asked = { role: "user", content: "Look" }
  const calling = { content: null, tool_calls: [call("a")] }
  const told = [asked, { role: "assistant", ...calling }, { role: "tool", tool_call_id: "a", content: "<b>seen</b>" }]
  const turns = [chat([asked], calling), chat(told, { content: "Done" })]
  const run = await record({ log, goal: "Look", agent: "looker" })
  await serving(turns, async (_, ask) => {
    for (const turn of turns) await ask(run.fetch, turn)
  })
  await run.end("achieved")
  return { log, taskId: run.taskId }
}

const ROWS: ReadonlyArray<CaptureSummary.CaptureRow> = [
  {
    name: "seen",
    items: [
      { count: 2, what: "model requests", why: "", isOfLog: false },
      { count: 1, what: "observed tool call", why: "", isOfLog: false },
    ],
  },
  {
    name: "inferred",
    items: [
      { count: 1, what: "by call-id", why: "the result has the id of the call", isOfLog: false },
      { count: 1, what: "by messages", why: expect.stringContaining("meaning"), isOfLog: false },
    ],
  },
]

describe("what a recorder saw of a task", () => {
  it.scopedLive("is the same in Studio, in the HTML report, in the text and in the document of an audit", () =>
    Effect.gen(function* () {
      const { log, taskId } = yield* Effect.promise(recorded)
      const asked = yield* Effect.gen(function* () {
        const { get } = yield* page
        const head = yield* get<TaskHead>(`/api/task?task=${taskId}`)
        return { head, capture: yield* get<TaskCapture>(`/api/capture?task=${taskId}`) }
      }).pipe(Effect.provide(served(log)))
      expect(asked.head.isCaptured).toBe(true)
      expect(asked.capture).toEqual(ROWS)

      const events = yield* Effect.promise(() => eventsOf(log))
      const audit = Either.getOrThrow(TaskAudit.fold(taskId, events))
      expect(audit.capture === undefined ? [] : CaptureSummary.rows(audit.capture)).toEqual(ROWS)
      const facts = new Map(AuditFacts.of(audit, (text) => text))
      expect(facts.get("capture")).toBe(
        "seen: 2 model requests, 1 observed tool call; inferred: 1 by call-id, 1 by messages",
      )
      expect(audit.acting).toMatchObject({ observed: 1, byComponent: { "program/look": { observed: 1 } } })
      expect(facts.get("acting")).toBe("1 commanded, 1 succeeded, 1 observed, timed from call to result")
      const [actuators] = AuditComponents.of(audit)
      expect(actuators?.columns.map(({ heading }) => heading)).toContain("observed")
      const draft = TaskReport.begin(audit, null, ({ type }) => type)
      for (const event of events) draft.add(event)
      const html = [...TaskPage.pieces(draft.report(), { log: "a.db", head: events.length, by: "Hindcast" })].join("")
      expect(html).toContain("1 of the commands were observed: the program ran them itself")
      for (const { name, items } of ROWS) {
        expect(html).toContain(`<th scope="row">${name}</th>`)
        for (const { what } of items) expect(html).toContain(`<bdi class="wraps">${what}</bdi>`)
      }
    }),
  )

  it.scopedLive("is nothing of a task that a kernel ran", () =>
    Effect.gen(function* () {
      const file = yield* Effect.promise(() => demoLog(23, 7))
      yield* Effect.gen(function* () {
        const { get } = yield* page
        expect((yield* get<TaskHead>("/api/task?task=task-0015")).isCaptured).toBe(false)
        expect(yield* get<TaskCapture>("/api/capture?task=task-0015")).toEqual([])
      }).pipe(Effect.provide(served(file)))
    }),
  )
})

describe("the words of a capture", () => {
  const capture = {
    seen: { modelRequests: 0, otherRequests: 0, recordedTools: 0, observedTools: 0, keptRecords: 2 },
    ...{ inferred: [], stubbed: ["answer"], cut: { bodies: 1, results: 0, unread: 0 } },
    notVisible: [{ what: "a connection", target: "db:5432", count: 2 }],
  }

  it("name what a person set, what is cut and not visible, and what the source of an import cannot show", () => {
    const lacks = [{ what: "times", why: "the source has none" }]
    const rows = CaptureSummary.rows({ ...capture, source: "swe-agent", lacks })
    expect(rows.map((row) => CaptureSummary.line(row, (text) => `«${text}»`))).toEqual([
      "seen: 0 model requests, 2 records kept unchanged",
      "stubbed: «answer»",
      "cut: 1 body",
      "not visible: «a connection»: «db:5432» (2 times)",
      "cannot show: «times»",
    ])
  })

  it("say that it is not known what the source lacks, of an import that did not say so", () => {
    const last = (more: object) => CaptureSummary.rows({ ...capture, ...more }).at(-1)
    expect(last({ source: "codex" })).toMatchObject({ name: "cannot show", items: [{ what: "unknown" }] })
    expect(last({})).toMatchObject({ name: "not visible" })
  })
})
