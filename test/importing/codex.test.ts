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
          { inputTokens: 0, outputTokens: 0 },
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
