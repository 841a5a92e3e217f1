import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Import from "../../src/importing/Import.ts"
import type { ImportReport } from "../../src/importing/ImportReport.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { temporaryLog } from "../temporary.ts"
import { events, payloads, typesOf, withFiles } from "./given.ts"

const HERE = path.dirname(fileURLToPath(import.meta.url))

/** Imports an input of this folder into an empty log, a year after it was written. */
const imported = <A, E, R>(
  name: string,
  test: (all: ReadonlyArray<Event>, report: ImportReport) => Effect.Effect<A, E, R>,
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(Date.UTC(2027, 11, 1))
    const report = yield* Import.importFiles({ paths: [path.join(HERE, name)] })
    return yield* test(yield* events, report)
  }).pipe(Effect.provide(temporaryLog()), Effect.scoped)

const state = Effect.flatMap(Projector.Projector, (projector) => projector.current(EnvironmentState.projection)).pipe(
  Effect.provide(Projector.layer),
)

const filesOf = (taskId: string) =>
  Effect.map(
    state,
    (all) => (EnvironmentState.taskScope(all, taskId).environment as Record<string, unknown>)["claude-code"],
  )

describe("a small session of Claude Code", () => {
  it.effect("pairs a result with its call where the result stands first, and has its file", () =>
    imported("cases/d1-result-before-call.jsonl", (all, { files }) =>
      Effect.gen(function* () {
        const task = "claude-code-11111111-1111-4111-8111-111111111111"
        expect(typesOf(all, task).filter((type) => type.startsWith("Command"))).toEqual([
          ...["CommandAllowed", "CommandDispatched", "CommandSucceeded"],
        ])
        expect(yield* filesOf(task)).toEqual({ files: { "/w/a.txt": "hello\n" } })
        expect(files[0]?.kept).toEqual({})
        expect(Object.keys(files[0]?.remarks ?? {}).filter((remark) => remark.startsWith("results"))).toEqual([])
      }),
    ),
  )

  it.effect("has the version that any of its first records has", () =>
    imported("cases/d2-version-unknown.jsonl", (all) =>
      Effect.sync(() => expect(payloads(all, "TaskOpened")[0]).toMatchObject({ agent: "claude-code@2.1.121" })),
    ),
  )

  it.effect("has a prompt that was typed while the agent worked as an input that steers it", () =>
    imported("cases/d3-steering.jsonl", (all) =>
      Effect.sync(() => {
        const [first, second, ...others] = payloads(all, "InputReceived")
        expect([first, second]).toMatchObject([
          { content: "Refactor the parser" },
          { content: "Stop, do not touch lexer.ts", delivery: "steering" },
        ])
        expect(others).toEqual([])
      }),
    ),
  )

  it.effect("has the newest text of a file that it read again, and what a result says was written", () =>
    imported("cases/d6-second-read.jsonl", (all) =>
      Effect.gen(function* () {
        const task = "claude-code-22222222-2222-4222-8222-222222222222"
        expect(yield* filesOf(task)).toEqual({
          files: { "/w/a.txt": "fresh\nnew line", "/w/b.md": "title, as the person changed it\n" },
        })
        expect(typesOf(all, task).filter((type) => type === "EnvironmentChanged")).toHaveLength(3)
      }),
    ),
  )

  it.effect("keeps what its program made up after it was killed apart from what tools and models said", () =>
    imported("sessions/2b-resumed-after-kill9.jsonl", (all, { files }) =>
      Effect.sync(() => {
        expect(typesOf(all, "claude-code-355f1d3b-55d8-4929-ad36-680027cdabfb")).not.toContain("CommandFailed")
        expect(payloads(all, "CommandOutcomeUnknown")[0]).toMatchObject({ reason: expect.stringContaining("killed") })
        expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["after resume"])
        expect(files[0]?.kept).toMatchObject({ "assistant/harness": 1 })
        const told = payloads(all, "ModelCalled").map(({ request }) => request as { messages: ReadonlyArray<unknown> })
        expect(told[1]?.messages).toMatchObject([{ role: "tool", author: "harness" }, { role: "user" }])
      }),
    ),
  )

  it.effect("has a call that a hook blocked as denied", () =>
    imported("sessions/1-tools-deny-subagent.jsonl", (all) =>
      Effect.sync(() =>
        expect(payloads(all, "CommandDenied")).toMatchObject([
          { reason: "PreToolUse:Bash hook error: not allowed by gate" },
        ]),
      ),
    ),
  )
})

describe("a small rollout of Codex", () => {
  const used = (all: ReadonlyArray<Event>, taskId: string) =>
    all
      .filter((event) => event.taskId === taskId && event.type === "ModelResponded")
      .map(({ payload }) => payload.usage as { inputTokens: number; outputTokens: number })
      .reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0)

  it.effect("counts the tokens that its totals grew by, and a total that is told again not at all", () =>
    imported("cases/d7-codex-reemitted.jsonl", (all) =>
      Effect.sync(() => expect(used(all, all.find(({ type }) => type === "TaskOpened")?.taskId ?? "")).toBe(2210)),
    ),
  )

  it.effect("that was forked begins where it leaves its parent, which it names, with tokens of its own", () =>
    imported("cases/d9-codex-fork", (all, { files }) =>
      Effect.sync(() => {
        const [parent, fork] = ["a", "b"].map((end) => `codex-019e0000-0000-7000-8000-00000000000${end}`)
        expect([used(all, parent ?? ""), used(all, fork ?? "")]).toEqual([2300, 1250])
        const opened = payloads(all, "TaskOpened")
        expect(opened.map(({ goal }) => goal)).toEqual(["List files", "Fork question"])
        expect(opened[1]).toMatchObject({ environment: { codex: { parent } } })
        expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["a.txt", "b.txt", "Fork answer"])
        expect(Object.keys(files[1]?.leftOut ?? {}).join()).toContain("turn of another rollout")
      }),
    ),
  )

  it.effect("that is the fork of a fork has its own turns and tokens alone", () => {
    const CASE = path.join(HERE, "cases/d9-codex-fork")
    const [first = "", second = ""] = fs.readdirSync(CASE).sort()
    const ID = "019e0000-0000-7000-8000-00000000000c"
    const fork = fs.readFileSync(path.join(CASE, second), "utf8").trim().split("\n")
    const [head, ...copied] = fork.map((line) => JSON.parse(line))
    const at = (ms: number) => new Date(Date.UTC(2026, 4, 1, 12, 0, 0, ms)).toISOString()
    const said = (role: string, text: string) => ({ type: "message", role, content: [{ type: "output_text", text }] })
    const lines = [
      {
        ...head,
        timestamp: at(0),
        payload: { ...head.payload, id: ID, timestamp: at(0), forked_from_id: head.payload.id },
      },
      ...[head, ...copied].map((line, index) => ({ ...line, timestamp: at(index + 1) })),
      { timestamp: at(60_000), type: "turn_context", payload: { cwd: "/w", model: "gpt-5.4" } },
      { timestamp: at(61_000), type: "response_item", payload: said("user", "Third question") },
      { timestamp: at(62_000), type: "response_item", payload: said("assistant", "Third answer") },
      {
        timestamp: at(63_000),
        type: "event_msg",
        payload: { type: "token_count", info: { total_token_usage: { input_tokens: 4000, output_tokens: 300 } } },
      },
    ]
    return withFiles(
      {
        [first]: fs.readFileSync(path.join(CASE, first)),
        [second]: `${fork.join("\n")}\n`,
        [`rollout-2026-05-01T12-00-00-${ID}.jsonl`]: lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* Import.importFiles({ paths: [directory] })
          const all = yield* events
          const tasks = ["a", "b", "c"].map((end) => `codex-019e0000-0000-7000-8000-00000000000${end}`)
          expect(tasks.map((task) => used(all, task))).toEqual([2300, 1250, 750])
          expect(payloads(all, "TaskOpened").map(({ goal }) => goal)).toEqual([
            "List files",
            "Fork question",
            "Third question",
          ])
          expect(payloads(all, "TaskOpened")[2]).toMatchObject({ environment: { codex: { parent: tasks[1] } } })
          expect(
            payloads(all, "MessageSent")
              .map(({ content }) => content)
              .at(-1),
          ).toBe("Third answer")
        }),
    )
  })

  it.effect(
    "of today has its answers' tokens, each once, its person's words alone, and is whole when its source says so",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 10, 27, 23, 52))
        const report = yield* Import.importFiles({ paths: [path.join(HERE, "sessions/codex-session-simple.jsonl")] })
        const all = yield* events
        const [task = ""] = report.files[0]?.runs[0]?.taskIds ?? []
        expect(used(all, task)).toBe(240)
        expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["first prompt"])
        expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["done"])
        expect(payloads(all, "CommandSucceeded")).toHaveLength(2)
        expect(payloads(all, "ModelCalled")).toMatchObject([{ provider: "fake" }, { provider: "fake" }])
        expect(report.files[0]?.remarks).toEqual({})
      }).pipe(Effect.provide(temporaryLog()), Effect.scoped),
  )

  it.effect("has a call that a hook blocked as denied", () =>
    imported("sessions/codex-session-denied.jsonl", (all) =>
      Effect.sync(() =>
        expect(payloads(all, "CommandDenied")).toMatchObject([
          { reason: "Command blocked by PreToolUse hook: nope. Command: echo hi" },
        ]),
      ),
    ),
  )
})

describe("files of agents that a session started", () => {
  it.effect("are a task for each agent, that names its parent, also where only their records name it", () =>
    imported("cases/d5-archived-subagents", (all) =>
      Effect.sync(() => {
        const parent = "claude-code-33333333-3333-4333-8333-333333333333"
        const opened = all.filter(({ type }) => type === "TaskOpened")
        expect(opened.map(({ taskId }) => taskId)).toEqual([`${parent}.agent-aaaa111`, `${parent}.agent-bbbb222`])
        expect(opened.map(({ payload }) => payload.environment)).toMatchObject([
          { "claude-code": { parent } },
          { "claude-code": { parent } },
        ])
        expect(payloads(all, "InputReceived").map(({ source }) => source)).toEqual(["agent", "agent"])
      }),
    ),
  )
})
