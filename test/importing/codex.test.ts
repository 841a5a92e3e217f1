import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Projector from "../../src/projections/projector/Projector.ts"
import * as EnvironmentState from "../../src/projections/state/EnvironmentState.ts"
import { event, FILE, ID, item, message, meta, other, output, patch, rollout, tokens } from "./codexRollout.ts"
import { events, importing, lines, payloads, typesOf, withFiles } from "./given.ts"

const TASK = `codex-${ID}`

describe("a rollout of Codex", () => {
  it.effect("is a task, in which nothing that was told twice is twice", () =>
    withFiles({ [FILE]: lines(rollout()) }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "TaskOpened")[0]).toMatchObject({ goal: "Write a note", agent: "codex@0.80.0" })
        expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["Write a note"])
        expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["It is written."])
        expect(payloads(all, "ModelResponded").map(({ usage }) => usage)).toEqual([
          { inputTokens: 100, outputTokens: 20, cachedTokens: 7, reasoningTokens: 2 },
          { inputTokens: 120, outputTokens: 30, cachedTokens: 7, reasoningTokens: 2 },
          { inputTokens: 130, outputTokens: 10, cachedTokens: 7, reasoningTokens: 2 },
          { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] },
        ])
        expect(typesOf(all, TASK).filter((type) => /Command(?:Succeeded|Failed)/.test(type))).toEqual([
          ...["CommandFailed", "CommandSucceeded", "CommandSucceeded"],
        ])
        expect(payloads(all, "ActuatorCommanded")[0]).toMatchObject({
          actuator: "codex/shell",
          args: { command: ["ls"] },
          callId: "c1",
        })
        expect(payloads(all, "TaskClosed")[0]).toMatchObject({ outcome: "achieved" })
        expect(JSON.stringify(all)).not.toContain("secret")
        expect(Object.keys(files[0]?.leftOut ?? {}).sort()).toEqual([
          "agent_reasoning: it repeats an item of reasoning",
          "message: it repeats what an event of the person's words holds",
          "task_complete: the end of a turn, which its last answer shows",
          "token_count: it is of no answer, or repeats the one before",
        ])
      }),
    ),
  )

  it.effect("shows the files that its patches made, changed and moved", () =>
    withFiles({ [FILE]: lines(rollout()) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const state = yield* Effect.flatMap(Projector.Projector, (projector) =>
          projector.current(EnvironmentState.projection),
        ).pipe(Effect.provide(Projector.layer))
        expect(EnvironmentState.taskScope(state, TASK).environment).toEqual({
          codex: { files: { "notes.md": "one\nthree\n" } },
        })
      }),
    ),
  )

  it.effect("has a content that is not known where a patch is of a file that nobody has seen", () =>
    withFiles(
      {
        [FILE]: lines([meta(), message("user", "Go"), patch("c", "*** Update File: a\n@@\n-x\n+y"), output("c", "ok")]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          expect(payloads(yield* events, "EnvironmentChanged")).toEqual([
            { plugin: "codex", patch: [{ op: "add", path: "/files/a", value: null }] },
          ])
        }),
    ),
  )

  it.effect("keeps arguments that are no JSON as text, refusals as denials, and results without a call", () =>
    withFiles(
      {
        [FILE]: lines([
          meta(),
          message("user", "Go"),
          item({ type: "function_call", name: "shell", call_id: "c", arguments: "{not json" }),
          output("c", "exec command rejected by user"),
          output("nobody", "x"),
          other("from-the-future", { n: 1 }),
          event({ type: "turn_aborted", reason: "interrupted" }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "ActuatorCommanded")[0]).toMatchObject({ args: "{not json" })
          expect(payloads(all, "CommandDenied")).toHaveLength(1)
          expect(typesOf(all, TASK)).not.toContain("CommandAllowed")
          expect(files[0]?.kept).toEqual({ result: 1, "from-the-future": 1, turn_aborted: 1 })
          expect(payloads(all, "TaskClosed")[0]).toMatchObject({
            outcome: "abandoned",
            reason: "its turn was aborted: interrupted",
          })
        }),
    ),
  )

  it.effect("of the first versions has items without envelopes", () =>
    withFiles(
      {
        [FILE]: lines([
          { id: ID, timestamp: "2025-05-01T00:00:00Z", instructions: null },
          { record_type: "state" },
          { type: "message", role: "user", content: [{ type: "input_text", text: "ok" }] },
          { type: "function_call", name: "shell", call_id: "c", arguments: "{}" },
          { type: "function_call_output", call_id: "c", output: "fine" },
          { type: "message", role: "assistant", content: [{ type: "output_text", text: "ok" }] },
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(typesOf(all, TASK)).toEqual([
            ...["TaskOpened", "InputReceived", "ModelCalled", "ModelResponded", "ActuatorCommanded", "CommandAllowed"],
            ...["CommandDispatched", "CommandSucceeded", "ModelCalled", "ModelResponded", "MessageSent", "TaskClosed"],
          ])
        }),
    ),
  )

  it.effect("of a subagent names its parent", () => {
    const [first, ...rest] = rollout()
    const source = { subagent: { thread_spawn: { parent_thread_id: "the-parent", depth: 1 } } }
    const child = { ...first, payload: { ...first?.payload, source } }
    return withFiles({ [FILE]: lines([child, ...rest]) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        expect(payloads(yield* events, "TaskOpened")).toMatchObject([
          { environment: { codex: { parent: "codex-the-parent" } } },
        ])
      }),
    )
  })

  it.effect("has the agent's words also where only an event tells them", () =>
    withFiles(
      {
        [FILE]: lines([
          meta(),
          event({ type: "user_message", message: "Hi" }),
          event({ type: "agent_message", message: "Hello" }),
          tokens(1, 1),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          expect(payloads(yield* events, "MessageSent").map(({ content }) => content)).toEqual(["Hello"])
        }),
    ),
  )
})

describe("a rollout that goes on from another one", () => {
  const v7 = (at: number) =>
    `${at
      .toString(16)
      .padStart(12, "0")
      .replace(/^(.{8})/, "$1-")}-7000-8000-000000000001`
  const CREATED = Date.UTC(2026, 4, 1, 10)
  const at = (ms: number, type: string, payload: object) => ({
    timestamp: new Date(CREATED + ms).toISOString(),
    type,
    payload,
  })
  const said = (role: string, text: string) => ({ type: "message", role, content: [{ type: "text", text }] })
  const total = (input: number, last: number) => ({
    type: "token_count",
    info: {
      total_token_usage: { input_tokens: input, output_tokens: 0 },
      last_token_usage: { input_tokens: last, output_tokens: 0 },
    },
  })
  const head = (more: object) => ({ id: ID, timestamp: new Date(CREATED).toISOString(), ...more })
  const imported = (records: ReadonlyArray<object>) =>
    withFiles({ [FILE]: lines(records) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const all = yield* events
        return {
          goals: payloads(all, "TaskOpened").map(({ goal }) => goal),
          inputs: payloads(all, "InputReceived").map(({ content, source }) => [source, content]),
          tokens: payloads(all, "ModelResponded").map(({ usage }) => (usage as { inputTokens: number }).inputTokens),
        }
      }),
    )

  it.effect("as an agent of its own at once leaves out the turns that are older than it", () =>
    Effect.gen(function* () {
      const spawned = { source: { subagent: { thread_spawn: { parent_thread_id: "p" } } } }
      const result = yield* imported([
        at(0, "session_meta", head(spawned)),
        at(1, "session_meta", { id: "p" }),
        at(1, "event_msg", { type: "task_started", turn_id: v7(CREATED - 60_000) }),
        at(1, "response_item", said("user", "Do all")),
        at(2, "response_item", said("assistant", "I start one.")),
        at(2, "event_msg", total(100, 100)),
        at(3, "event_msg", { type: "task_started", turn_id: v7(CREATED + 2) }),
        at(3, "response_item", said("user", "Do a part")),
        at(4, "response_item", said("assistant", "Done.")),
        at(5, "event_msg", total(150, 50)),
      ])
      expect(result).toEqual({ goals: ["Do a part"], inputs: [["agent", "Do a part"]], tokens: [50] })
    }),
  )

  it.effect("has its own first prompt where a pause comes after it alone", () =>
    Effect.gen(function* () {
      const result = yield* imported([
        at(0, "session_meta", head({ forked_from_id: "p" })),
        at(1, "session_meta", { id: "p" }),
        at(1, "response_item", said("user", "One")),
        at(1, "response_item", said("assistant", "1")),
        at(2, "turn_context", { model: "gpt-5" }),
        at(2, "response_item", said("user", "Two")),
        at(5_000, "response_item", said("assistant", "2")),
      ])
      expect(result).toMatchObject({ goals: ["Two"], inputs: [["user", "Two"]] })
    }),
  )

  it.effect("without copies has what it used, and not what its parent did", () =>
    Effect.gen(function* () {
      const result = yield* imported([
        at(0, "session_meta", head({ forked_from_id: "p", forked_from_ordinal_exclusive: 7 })),
        at(1, "response_item", said("user", "Go on")),
        at(2, "response_item", said("assistant", "Yes")),
        at(3, "event_msg", total(1_100, 100)),
        at(4, "response_item", said("user", "And on")),
        at(5, "response_item", said("assistant", "Yes")),
        at(6, "event_msg", total(1_250, 150)),
      ])
      expect(result).toMatchObject({ tokens: [100, 150] })
    }),
  )

  it.effect("is no run as long as all of it is copied", () =>
    withFiles(
      {
        [FILE]: lines([
          at(0, "session_meta", head({ forked_from_id: "p" })),
          at(1, "session_meta", { id: "p" }),
          at(1, "response_item", said("user", "One")),
          at(1, "response_item", said("assistant", "1")),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          expect(files[0]?.runs).toEqual([])
          expect(yield* events).toEqual([])
        }),
    ),
  )
})
