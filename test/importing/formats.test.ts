import * as fs from "node:fs"
import { it } from "@effect/vitest"
import { Effect, Either, TestClock, TestContext } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { otlp } from "../../src/importing/collected/Otlp.ts"
import { MappedRuns } from "../../src/importing/runs/Runs.ts"
import * as Prices from "../../src/kernel/pricing/Prices.ts"
import * as TaskAudit from "../../src/projections/audit/TaskAudit.ts"
import { fold } from "../../src/projections/fold/Projection.ts"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import * as Tasks from "../../src/projections/state/Tasks.ts"
import { SESSION, session } from "./claudeSession.ts"
import { FILE as ROLLOUT, rollout } from "./codexRollout.ts"
import * as Formats from "./formats.ts"
import { events, importing, lines, payloads, typesOf, withFiles, write } from "./given.ts"

const head = Effect.flatMap(EventLog, (log) => log.head)
const only = (name: string, content: unknown) => ({ [name]: JSON.stringify(content, null, 2) })

describe("a trajectory in ATIF", () => {
  const id = Formats.trajectory().session_id

  it.effect("is a task with turns, calls and results, and its subagents' are tasks too", () =>
    withFiles(only("trajectory.json", Formats.trajectory()), (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "TaskOpened").map(({ goal }) => goal)).toEqual(["Mend the build", "Look"])
        expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["Mend the build", "Look"])
        expect(payloads(all, "ModelResponded").map(({ usage }) => usage)).toEqual([
          { inputTokens: 100, outputTokens: 20, cachedTokens: 7 },
          ...[
            { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] },
            { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] },
          ],
        ])
        expect(payloads(all, "ModelResponded").map(({ cost }) => cost)).toEqual([
          { usd: 0.1, prices: "source" },
          undefined,
          undefined,
        ])
        // The id of a call is its step's, since agents use one again; a result without one is that of the only call.
        expect(typesOf(all, `atif-${id}`).filter((type) => /^Command(?:S|F)/.test(type))).toEqual([
          ...["CommandSucceeded", "CommandSucceeded", "CommandFailed"],
        ])
        expect(files[0]?.kept).toEqual({ observation: 1, step: 1 })
        expect(files[0]?.leftOut).toEqual({ "step: it was copied from another trajectory as context": 1 })
        expect(files[0]?.remarks).toMatchObject({ "steps without a time: they have that of the step before": 2 })
        expect(payloads(all, "TaskOpened")[1]).toMatchObject({ environment: { atif: { parent: `atif-${id}` } } })
        expect(payloads(all, "TaskClosed")[0]).toMatchObject({ outcome: "achieved" })
      }),
    ),
  )

  it.effect("that goes on after its task was closed does so in a task that is closed too", () => {
    const { steps } = Formats.trajectory()
    const until = (count: number) => only("a.json", Formats.trajectory({ steps: steps.slice(0, count) }))
    return withFiles(until(4), (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        write(directory, until(steps.length))
        yield* importing(directory)
        const all = yield* events
        for (const taskId of [`atif-${id}`, `atif-${id}+2`]) expect(typesOf(all, taskId).at(-1)).toBe("TaskClosed")
        const before = yield* head
        write(directory, { "b.json": JSON.stringify(Formats.trajectory()) })
        expect((yield* importing(directory)).added).toBe(1)
        expect((yield* head).position).toBe(before.position + 1)
      }),
    )
  })

  it.effect("whose reward cannot be read is refused with the reason, and the others are imported", () =>
    withFiles(
      {
        "trial/agent/trajectory.json": JSON.stringify(Formats.trajectory()),
        "other/agent/trajectory.json": JSON.stringify(Formats.trajectory({ session_id: "other" })),
        "trial/verifier/reward.json": "{}",
      },
      (directory) =>
        Effect.gen(function* () {
          fs.symlinkSync("reward.txt", `${directory}/trial/verifier/reward.txt`)
          const { refused, files } = yield* importing(directory)
          expect(refused).toMatchObject([
            { file: `${directory}/trial/agent/trajectory.json`, reason: expect.stringContaining("ELOOP") },
          ])
          expect(files).toHaveLength(1)
        }),
    ),
  )

  it.effect("with numbers that are none beside megabytes of text is read, and its texts are as they were", () => {
    const said = `NaN \\" ${"y ".repeat(8_000_000)}`
    const steps = [
      { step_id: 1, source: "user", message: said },
      { step_id: 2, source: "agent", message: "ok", extra: { loss: "?" } },
    ]
    const json = JSON.stringify(Formats.trajectory({ steps })).replace('"?"', "-Infinity")
    return withFiles({ "a.json": json }, (directory) =>
      Effect.gen(function* () {
        const { refused } = yield* importing(directory)
        expect(refused).toEqual([])
        const [input] = payloads(yield* events, "InputReceived")
        expect(String(input?.content).slice(0, 100)).toBe(said.slice(0, 100))
      }),
    )
  })

  it.effect("has the rewards of the verifier as a score set, also where they come later", () =>
    withFiles(only("trial/agent/trajectory.json", Formats.trajectory()), (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        expect(payloads(yield* events, "ScoringStarted")).toEqual([])
        write(directory, { "trial/verifier/reward.txt": "0.5\n" })
        yield* importing(directory)
        expect(payloads(yield* events, "RewardGiven")).toMatchObject([{ name: "reward", amount: 0.5 }])
        const result = { verifier_result: { rewards: { tests: 1, style: "odd" } }, exception_info: null }
        write(directory, { "trial/result.json": JSON.stringify(result) })
        const { files, unknown } = yield* importing(directory)
        expect(files.map(({ scorers }) => scorers)).toEqual([["verifier"]])
        // It is read with the trajectory.
        expect(unknown).toEqual([])
        const all = yield* events
        expect(payloads(all, "RewardGiven").map(({ name }) => name)).toEqual(["reward", "tests"])
        expect(payloads(all, "MeasureUnscored").map(({ name }) => name)).toEqual(["style"])
        expect(payloads(all, "TaskOpened")).toHaveLength(2)
        const before = yield* head
        yield* importing(directory)
        expect(yield* head).toEqual(before)
      }),
    ),
  )

  it.effect("of a trial that failed is a task that failed, and its session's id need not be its own", () =>
    withFiles(
      {
        ...only("a/agent/trajectory.json", Formats.trajectory({ session_id: "session" })),
        "a/result.json": JSON.stringify({ exception_info: { exception_type: "Timeout", exception_message: "900 s" } }),
        ...only("b/agent/trajectory.json", Formats.trajectory({ session_id: "session", agent: { name: "other" } })),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(new Set(all.filter(({ type }) => type === "TaskOpened").map(({ taskId }) => taskId)).size).toBe(4)
          expect(payloads(all, "TaskClosed")[0]).toEqual({ outcome: "failed", reason: "Timeout: 900 s" })
        }),
    ),
  )

  it.effect("of another version is read, and the version is remarked on; one without steps is empty", () =>
    withFiles(only("a.json", { schema_version: "ATIF-v9", steps: 3 }), (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(Object.keys(files[0]?.remarks ?? {})).toEqual([expect.stringContaining("ATIF-v9, is not known")])
        expect(payloads(yield* events, "TaskClosed")).toMatchObject([{ outcome: "abandoned" }])
      }),
    ),
  )
})

describe("a conversation of OpenHands", () => {
  it.effect("has one answer with its calls, a refusal as a denial, tokens by answer, and edited files", () =>
    withFiles({ "events.jsonl": lines(Formats.openHands()) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Add a note" }])
        expect(payloads(all, "ModelResponded").map(({ usage }) => usage)).toEqual([
          { inputTokens: 100, outputTokens: 20, cachedTokens: 0, cacheWriteTokens: 0 },
          { inputTokens: 201, outputTokens: 30, cachedTokens: 0, cacheWriteTokens: 0 },
          { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] },
        ])
        expect(payloads(all, "ModelResponded").map(({ cost }) => (cost as { usd: number } | undefined)?.usd)).toEqual([
          ...[0.099, 0.201, undefined],
        ])
        expect(payloads(all, "ActuatorCommanded").map(({ args }) => args)).toEqual([
          ...[{ command: "ls" }, { command: "rm -rf /" }, { command: "create", path: "/n", file_text: "one\n" }],
          { message: "It is there." },
        ])
        expect(payloads(all, "CommandFailed")).toHaveLength(1)
        expect(payloads(all, "CommandDenied")).toMatchObject([{ reason: "Not that" }])
        expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["It is there."])
        expect(files[0]?.kept).toEqual({ ObservationEvent: 1, FromTheFutureEvent: 1 })
        expect(files[0]?.remarks["times without a zone: they are taken as UTC"]).toBe(1)
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
        const projector = yield* Effect.provide(Projector.Projector, Projector.layer)
        const state = yield* projector.current(EnvironmentState.projection)
        const [taskId = ""] = all.flatMap((event) => (event.type === "TaskOpened" ? (event.taskId ?? []) : []))
        expect(EnvironmentState.taskScope(state, taskId).environment).toEqual({
          openhands: { files: { "/n": "one\n" } },
        })
      }),
    ),
  )

  it.effect("whose answer goes on after a person's words has each part of it, and what came of its calls", () => {
    const event = (kind: string, second: number, more: object) => ({
      id: `${kind}-${second}`,
      kind,
      source: "agent",
      timestamp: `2026-01-01T00:00:0${second}`,
      ...more,
    })
    const act = (second: number, call: string) =>
      event("ActionEvent", second, {
        tool_name: "terminal",
        tool_call_id: call,
        llm_response_id: "r1",
        action: { command: call },
      })
    const told = (second: number, text: string) =>
      event("MessageEvent", second, { source: "user", llm_message: { content: [{ type: "text", text }] } })
    const all = [told(1, "Look"), act(2, "c1"), told(3, "And there"), act(4, "c2")]
    return withFiles({ "events.jsonl": lines(all) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const found = yield* events
        const answers = found.filter(({ type }) => type === "ModelResponded")
        expect(answers.map(({ payload }) => JSON.stringify(payload).match(/"c\d"/g)?.[0])).toEqual(['"c1"', '"c2"'])
        const commands = found.filter(({ type }) => type === "ActuatorCommanded")
        expect(commands.map(({ causationId }) => causationId)).toEqual(answers.map(({ id }) => id))
      }),
    )
  })

  it.effect("in a directory of events is one task, which the next import completes", () =>
    withFiles({}, (directory) =>
      Effect.gen(function* () {
        const pieces = Formats.openHands().map((event, index) => [
          `c/events/event-${String(index).padStart(5, "0")}-${index}.json`,
          JSON.stringify(event, null, 1),
        ])
        write(directory, { "c/base_state.json": JSON.stringify({ id: "conv1", agent: { llm: { model: "x/y" } } }) })
        write(directory, Object.fromEntries(pieces.slice(0, 6)))
        yield* importing(directory)
        write(directory, Object.fromEntries(pieces))
        const { files, unknown } = yield* importing(directory)
        const all = yield* events
        expect(files).toHaveLength(1)
        expect(unknown).toEqual([])
        expect(payloads(all, "ModelCalled")[0]).toMatchObject({ provider: "x", model: "y" })
        expect(new Set(all.flatMap(({ taskId }) => taskId ?? []))).toEqual(
          new Set(["openhands-conv1", "openhands-conv1+2"]),
        )
        expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
      }),
    ),
  )
})

describe("a trajectory of SWE-agent", () => {
  it.effect("has a command for each action, and the state after it", () =>
    withFiles(only("repo-1.traj", Formats.sweAgent()), (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Mend the issue" }])
        expect(payloads(all, "ActuatorCommanded").map(({ actuator, args }) => [actuator, args])).toEqual([
          ["swe-agent/open", { command: "open a.py" }],
          ["swe-agent/submit", { command: "submit" }],
        ])
        expect(payloads(all, "EnvironmentReset")).toMatchObject([{ state: { open_file: "a.py" } }])
        const [taskId = ""] = all.flatMap((event) => (event.type === "TaskOpened" ? (event.taskId ?? []) : []))
        expect(Either.getOrThrow(TaskAudit.fold(taskId, all)).model).toMatchObject({
          calls: 2,
          unmetered: 0,
          inputTokens: 70,
          outputTokens: 9,
          cost: { usd: 0.25, prices: ["source"] },
        })
        expect(fold(Tasks.projection, all)[taskId]?.model).toMatchObject({ inputTokens: 70, cost: { usd: 0.25 } })
        expect(Object.keys(files[0]?.remarks ?? {})).toEqual([expect.stringContaining("it has no times")])
        expect(payloads(all, "TaskClosed")).toEqual([{ outcome: "achieved", reason: "submitted" }])
      }),
    ),
  )

  it.effect("of which only the history is left has the same commands", () =>
    withFiles(
      only("repo-2.traj", Formats.sweAgent({ trajectory: undefined, info: { exit_status: "submitted (exit_cost)" } })),
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "ActuatorCommanded").map(({ args }) => args)).toEqual([{ command: "open a.py" }])
          expect(payloads(all, "CommandSucceeded").map(({ result }) => result)).toEqual(["1: x"])
          expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "truncated" }])
        }),
    ),
  )

  it.effect("that has neither is no task", () =>
    withFiles({ "a.traj": "{}" }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(files[0]?.leftOut).toEqual({ "trajectory: it has neither steps nor a history": 1 })
        expect(yield* events).toEqual([])
      }),
    ),
  )
})

describe("lines of PiaAVT", () => {
  it.effect("are a task for each simulation, in both dialects", () =>
    withFiles(
      { "a.jsonl": lines(Formats.piaAvt()), "old.jsonl": lines([...Formats.olderPiaAvt(), { event_type: 1 }]) },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "TaskOpened").map(({ goal }) => goal)).toEqual(["Tidy the room", "Tidy"])
          expect(payloads(all, "ActuatorCommanded")).toMatchObject([
            { actuator: "piaavt/lift", args: { thing: "cup" } },
          ])
          expect(payloads(all, "CommandFailed")).toHaveLength(1)
          expect(payloads(all, "TaskClosed").map(({ outcome }) => outcome)).toEqual(["failed", "achieved"])
          expect(files[0]?.kept).toEqual({ GOAL_CREATED: 1, EMOTION_UPDATED: 1, GOAL_STATUS_CHANGED: 1 })
          expect(files[1]?.leftOut).toEqual({ "line: it has no event_type, timestamp and data": 1 })
        }),
    ),
  )
})

describe("a trace in OTLP/JSON", () => {
  const dialects = { genAi: Formats.genAi(), openInference: Formats.openInference(), aiSdk: Formats.aiSdk() }

  it.effect.each(Object.entries(dialects))("of %s is the same task, as a document and as lines", ([, spans]) =>
    Effect.gen(function* () {
      const imported = (content: string) =>
        withFiles({ "trace.json": content }, (directory) => Effect.zipRight(importing(directory), events))
      const document = yield* imported(JSON.stringify(Formats.exported(...spans), null, 2))
      const asLines = yield* imported(lines(spans.map((span) => Formats.exported(span))))
      expect(asLines.filter(({ taskId }) => taskId !== null).map(({ id }) => id)).toEqual(
        document.filter(({ taskId }) => taskId !== null).map(({ id }) => id),
      )
      expect(typesOf(document, "otlp-5b8efff798038103d269b633813fc60c")).toEqual([
        ...["TaskOpened", "GuideApplied", "InputReceived", "ModelCalled", "ModelResponded", "ActuatorCommanded"],
        ...["CommandAllowed", "CommandDispatched", "CommandSucceeded", "ModelCalled", "ModelResponded", "MessageSent"],
        "TaskClosed",
      ])
      expect(payloads(document, "TaskOpened")).toMatchObject([{ goal: "What is 2 + 2?", agent: "adder@unknown" }])
      expect(payloads(document, "ModelCalled")).toMatchObject([{ provider: "openai", model: "gpt-5" }, {}])
      expect(payloads(document, "ModelResponded").map(({ usage }) => usage)).toEqual([
        { inputTokens: 10, outputTokens: 5 },
        { inputTokens: 20, outputTokens: 6 },
      ])
      expect(payloads(document, "ActuatorCommanded")).toMatchObject([{ actuator: "otlp/add", args: { a: 2, b: 2 } }])
      expect(payloads(document, "CommandSucceeded")).toMatchObject([{ result: "4" }])
      expect(payloads(document, "MessageSent")).toMatchObject([{ content: "It is 4." }])
      const [opened] = document
      expect(opened?.occurredAt).toBe(Date.UTC(2026, 0, 1, 12))
    }),
  )

  it.effect("has messages also where older conventions hold them whole", () =>
    withFiles(
      only(
        "trace.json",
        Formats.exported(
          Formats.span(1, null, 1, 2, {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.prompt": JSON.stringify([{ role: "user", parts: [{ type: "text", content: "One" }] }]),
            "gen_ai.completion": JSON.stringify({ text: "1", finish_reason: "stop" }),
          }),
          Formats.span(2, null, 3, 4, { "openinference.span.kind": "LLM", "input.value": "Two", "output.value": "2" }),
          Formats.span(
            3,
            null,
            5,
            6,
            { "gen_ai.system": "openai", "gen_ai.request.model": "m" },
            {
              events: [
                { name: "gen_ai.user.message", attributes: [{ key: "content", value: { stringValue: "Three" } }] },
                { name: "gen_ai.choice", attributes: [{ key: "message", value: { stringValue: '{"content":"3"}' } }] },
              ],
            },
          ),
          Formats.span(4, null, 7, 8, {
            "gen_ai.system": "openai",
            "gen_ai.request.model": "m",
            "gen_ai.prompt.0.role": "user",
            "gen_ai.prompt.0.content": "Four",
            "gen_ai.completion.0.role": "assistant",
            "gen_ai.completion.0.content": "4",
          }),
        ),
      ),
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["One", "Two", "Three", "Four"])
          expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["1", "2", "3", "4"])
        }),
    ),
  )

  it.effect("that goes on is mapped once its root span was written, in whatever order its spans were written", () => {
    const [ask, tool, answer, agent] = Formats.genAi()
    const orders = [
      [ask, tool, answer, agent],
      [answer, tool, ask, agent],
      [tool, answer, agent, ask],
    ].map((order) => lines(order.map((span) => Formats.exported(span ?? {}))))
    const ending = (text: string, cut: number) => text.split("\n").slice(0, cut).join("\n").concat("\n")
    const told = (text: string, cuts: ReadonlyArray<number>) =>
      withFiles({}, (directory) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 1))
          const counts: Array<number> = []
          for (const cut of [...cuts, 4]) {
            write(directory, { "t.jsonl": ending(text, cut) })
            const { files, added } = yield* importing(directory)
            if (added === 0) expect(Object.keys(files[0]?.remarks ?? {})[0]).toMatch(/without its root span yet/)
            counts.push(added)
          }
          const all = (yield* events).filter(({ type }) => type !== "FileImported")
          return { counts, all: all.map(({ type, payload }) => ({ type, payload })) }
        }),
      )
    return Effect.gen(function* () {
      const { all } = yield* told(orders[0] ?? "", [])
      expect(all.filter(({ type }) => type === "InputReceived")).toHaveLength(1)
      for (const order of orders.slice(0, 2)) {
        const cut = yield* told(order, [1, 2, 3])
        expect(cut.counts.slice(0, 3)).toEqual([0, 0, 0])
        expect(cut.all).toEqual(all)
      }
      // A span that ended after the first one, which is seldom, adds itself alone.
      const late = yield* told(orders[2] ?? "", [3])
      expect(late.all.filter(({ type }) => type === "ActuatorCommanded")).toHaveLength(2)
    })
  })

  it.effect(
    "that waits for its root span is imported once it is silent, though the rest of its file is finished",
    () => {
      const old = Formats.genAi()[0] ?? {}
      const start = Date.UTC(2026, 0, 1, 12) / 1_000
      const live = Formats.span(
        2,
        1,
        2 * 3600,
        2 * 3600 + 1,
        { "gen_ai.operation.name": "chat" },
        { traceId: "b".repeat(32) },
      )
      return withFiles({ "t.jsonl": lines([old, live].map((span) => Formats.exported(span))) }, (directory) =>
        Effect.gen(function* () {
          yield* TestClock.setTime((start + 2 * 3600 + 60) * 1_000)
          expect((yield* importing(directory)).files).toMatchObject([{ waits: true, runs: [{ ended: true }] }])
          expect(payloads(yield* events, "FileImported")).toMatchObject([{ finished: false }])
          yield* TestClock.adjust("2 hours")
          expect((yield* importing(directory)).files).toMatchObject([{ waits: false, runs: [{}, { ended: true }] }])
          expect(payloads(yield* events, "TaskClosed")).toHaveLength(2)
          expect((yield* importing(directory)).files).toMatchObject([{ known: true }])
        }),
      )
    },
  )

  it.effect(
    "of a service that was called is whole once its entry was written, and not before what is under way",
    () => {
      const [ask, tool, answer] = Formats.genAi()
      const entry = (more: object) => Formats.span(1, 99, 0, 5, { "http.route": "/ask" }, more)
      const entries = [{ kind: 2 }, { kind: "SPAN_KIND_CONSUMER" }, { kind: 1, flags: 0x301 }]
      // A service that was called from within: its entry is written before the spans that lead to it.
      const inner = Formats.span(5, 3, 2, 3, { "http.route": "/add" }, { kind: 2 })
      const importedOf = (spans: ReadonlyArray<object | undefined>) =>
        withFiles({ "t.jsonl": lines(spans.map((span) => Formats.exported(span ?? {}))) }, (directory) =>
          Effect.gen(function* () {
            yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 1))
            const { files } = yield* importing(directory)
            return files[0]?.runs.length
          }),
        )
      return Effect.gen(function* () {
        for (const more of entries) expect(yield* importedOf([ask, tool, answer, entry(more)])).toBe(1)
        expect(yield* importedOf([ask, tool, answer, entry({ kind: 1, flags: 0x101 })])).toBe(0)
        expect(yield* importedOf([ask, inner])).toBe(0)
        expect(yield* importedOf([ask, inner, tool])).toBe(0)
        expect(yield* importedOf([ask, inner, tool, answer, entry({ kind: 2 })])).toBe(1)
      })
    },
  )

  it.effect("that lost its root span holds up its conversation for an hour", () => {
    const chat = (id: number, minute: number, parent: number | null, trace: string) =>
      Formats.span(
        ...([id, parent, 60 * minute, 60 * minute + 1] as const),
        { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.conversation.id": "talk" },
        { traceId: trace.repeat(32) },
      )
    const spans = [chat(1, 0, 99, "a"), chat(2, 1, null, "b"), chat(3, 50, null, "c")]
    return withFiles({ "t.jsonl": lines(spans.map((span) => Formats.exported(span))) }, (directory) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 12, 51))
        expect((yield* importing(directory)).files).toMatchObject([{ waits: true, runs: [] }])
        yield* TestClock.setTime(Date.UTC(2026, 0, 1, 13, 1))
        expect((yield* importing(directory)).files).toMatchObject([{ waits: false, runs: [{ ended: false }] }])
        expect(payloads(yield* events, "ModelResponded")).toHaveLength(3)
      }),
    )
  })

  it.effect("joins the traces of a conversation, has failures, and says where content was not recorded", () =>
    withFiles(
      only(
        "trace.json",
        Formats.exported(
          Formats.span(1, null, 1, 2, {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.conversation.id": "talk",
          }),
          Formats.span(
            ...([2, null, 3, 4] as const),
            { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.conversation.id": "talk" },
            { traceId: "6b8efff798038103d269b633813fc60c", status: { code: 2, message: "overloaded" } },
          ),
          Formats.span(3, null, 1, 2, { "http.method": "GET" }, { traceId: "7b8efff798038103d269b633813fc60c" }),
          Formats.span(4, null, 1, 2, {}, { traceId: "00000000000000000000000000000000" }),
        ),
      ),
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          const all = yield* events
          expect(files[0]?.runs.map(({ taskIds }) => taskIds)).toEqual([["otlp-talk"]])
          expect(payloads(all, "ModelFailed")).toMatchObject([{ reason: "overloaded" }])
          expect(payloads(all, "TaskClosed")).toEqual([{ outcome: "failed", reason: "overloaded" }])
          expect(files[0]?.leftOut).toEqual({
            "span: it has no ids": 1,
            "trace: no span of it is of a model, a tool or an agent": 1,
          })
          expect(Object.keys(files[0]?.remarks ?? {})).toEqual([expect.stringContaining("have no messages")])
        }),
    ),
  )
})

describe("a trace in lines of OTLP/JSON", () => {
  it("is mapped when its last line was read, so that only the conversations under way are in memory", () => {
    const runs = new MappedRuns(otlp, Prices.unknown)
    const path = "trace.jsonl"
    const mapper = otlp.open(
      {
        name: path,
        path,
        digest: "",
        now: Date.UTC(2027, 0, 1),
        isOutOfOrder: false,
        modifiedAt: 0,
        relatives: [],
        ownerOf: () => undefined,
        beside: () => undefined,
        blob: () => undefined,
      },
      runs,
    )
    const asked = (id: number, trace: string, more: object = {}) =>
      Formats.span(
        ...([id, null, id, id + 1] as const),
        { "gen_ai.operation.name": "chat", "gen_ai.request.model": "m", ...more },
        { traceId: trace.repeat(32) },
      )
    const talk = { "gen_ai.conversation.id": "talk" }
    const spans = [asked(1, "a"), asked(2, "b"), asked(3, "c", talk), asked(4, "a", talk), asked(2, "b")]
    const records = spans.map((span, line) => ({ value: Formats.exported(span), where: `${line + 1}` }))
    for (const record of records) mapper.survey?.(record)
    const opened = records.map((record) => {
      mapper.record(record)
      return runs.drain().flatMap(({ body, run }) => (body.type === "TaskOpened" ? [run.taskId] : []))
    })
    expect(opened).toEqual([[], [], [], ["otlp-talk"], [`otlp-${"b".repeat(32)}`]])
    expect([...(mapper.end() ?? [])]).toEqual([])
    expect([...runs.leftOut]).toEqual([["span: the same span again", 1]])
  })
})

describe("any document of another format", () => {
  const documents = {
    "trajectory.json": Formats.trajectory(),
    "a.traj": Formats.sweAgent(),
    "genai.json": Formats.exported(...Formats.genAi()),
    "openinference.json": Formats.exported(...Formats.openInference()),
    "aisdk.json": Formats.exported(...Formats.aiSdk()),
  }
  const formats = fc.constantFrom(...Object.entries(documents).map(([name, document]) => ({ name, document })))
  const hostile = fc.oneof(
    fc.constantFrom("__proto__", "\ud800", "\u0000\u001b[2J", "", "../../etc/passwd", -1, [], {}),
    fc.jsonValue({ maxDepth: 3 }),
  )
  const property = <A>(arbitrary: fc.Arbitrary<A>, test: (value: A) => Effect.Effect<unknown, unknown>) =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(arbitrary, (value) =>
          Effect.runPromise(Effect.asVoid(Effect.provide(test(value), TestContext.TestContext))),
        ),
        { numRuns: 25 },
      ),
    )

  /** How many places a document has. */
  const countOf = (document: unknown): number =>
    typeof document === "object" && document !== null
      ? Object.values(document).reduce<number>((sum, inner) => sum + 1 + countOf(inner), 0)
      : 0

  /** A document in which the value at the nth place is another. */
  const replaced = (document: unknown, place: number, by: unknown): unknown => {
    let at = -1
    const walk = (value: unknown, depth: number): unknown => {
      if (depth > 0) at += 1
      if (depth > 0 && at === place) return by
      if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1))
      if (typeof value !== "object" || value === null) return value
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner, depth + 1)]))
    }
    return walk(document, 0)
  }

  it.effect("with a value that is nested deeper than any stack, at any place of a line, is imported", () => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`
    const everywhere = (record: unknown): ReadonlyArray<string> =>
      Array.from({ length: countOf(record) }, (_, place) =>
        JSON.stringify(replaced(record, place, "[deep]")).replace('"[deep]"', deep),
      )
    const logs = {
      "p.jsonl": Formats.piaAvt().slice(0, 2),
      "old.jsonl": Formats.olderPiaAvt().slice(0, 1),
      "events.jsonl": Formats.openHands().slice(1, 6),
      "t.jsonl": [Formats.exported(...Formats.aiSdk().slice(1, 2))],
      [`${SESSION}.jsonl`]: session().slice(0, 3),
      [ROLLOUT]: rollout().slice(3, 9),
    }
    const files = Object.entries(logs).map(([name, records]) => {
      const all = [...records.map((record) => JSON.stringify(record)), ...records.flatMap(everywhere)]
      return [name, all.join("\n")] as const
    })
    return withFiles(Object.fromEntries(files), (directory) =>
      Effect.gen(function* () {
        const { files, refused, unknown } = yield* importing(directory)
        expect([files.length, refused, unknown]).toEqual([6, [], []])
      }),
    )
  })

  it.live("with a hostile value anywhere is imported or passed over, and the same the second time", () =>
    property(fc.record({ format: formats, place: fc.nat(150), by: hostile }), ({ format, place, by }) =>
      withFiles({ [format.name]: JSON.stringify(replaced(format.document, place, by), null, 1) }, (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const before = yield* head
          expect(payloads(yield* events, "TaskOpened").length).toBe(payloads(yield* events, "TaskClosed").length)
          yield* importing(directory)
          expect(yield* head).toEqual(before)
          expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
        }),
      ),
    ),
  )

  it.live("that was cut is refused whole, and a copy of it adds nothing but its own record", () =>
    property(fc.record({ format: formats, cut: fc.double({ min: 0.3, max: 0.99, noNaN: true }) }), ({ format, cut }) =>
      withFiles({}, (directory) =>
        Effect.gen(function* () {
          const text = JSON.stringify(format.document, null, 1)
          write(directory, { [format.name]: text.slice(0, Math.floor(cut * text.length)) })
          const { files } = yield* importing(directory)
          expect(files).toEqual([])
          expect((yield* head).position).toBe(0)
          write(directory, { [format.name]: text, [`copy/${format.name}`]: `${text}\n` })
          const { files: copies } = yield* importing(directory)
          expect(copies.map(({ added }) => added).sort((a, b) => a - b)[0]).toBeLessThanOrEqual(1)
        }),
      ),
    ),
  )
})
