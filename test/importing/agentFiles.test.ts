import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { events, importing, lines, payloads, withFiles, write } from "./given.ts"

const START = Date.UTC(2026, 0, 2, 3, 4)

const contents = (all: ReadonlyArray<Event>, type: string) => payloads(all, type).map(({ content }) => content)

const usages = (all: ReadonlyArray<Event>) => payloads(all, "ModelResponded").map(({ usage }) => usage)

const costs = (all: ReadonlyArray<Event>) =>
  payloads(all, "ModelResponded").map(({ cost }) => (cost as { readonly usd: number } | undefined)?.usd)

describe("a session of Cline", () => {
  const used = (inputTokens: number, cacheReadTokens: number, cost: number) => ({
    modelInfo: { id: "claude-sonnet-4-6", provider: "anthropic", family: "claude-sonnet-4" },
    metrics: { inputTokens, outputTokens: 8, cacheReadTokens, cacheWriteTokens: 0, cost },
  })
  const message = (id: string, role: string, second: number, content: ReadonlyArray<object>, more: object = {}) => ({
    id,
    role,
    content,
    ts: START + second * 1_000,
    ...more,
  })
  const messages = [
    message("u1", "user", 0, [{ type: "text", text: '<user_input mode="act">Look</user_input>' }]),
    message(
      "a1",
      "assistant",
      1,
      [
        { type: "thinking", thinking: "I read it." },
        { type: "tool_use", id: "c1", name: "read_files", input: { path: "a" } },
      ],
      used(30, 20, 0.25),
    ),
    message("u2", "user", 2, [
      { type: "tool_result", tool_use_id: "c1", name: "read_files", content: "text", is_error: false },
    ]),
    message("a2", "assistant", 3, [{ type: "text", text: "It is text." }], used(40, 0, 0.5)),
  ]
  const own = [
    message("u3", "user", 10, [{ type: "text", text: "Now edit" }]),
    message("a3", "assistant", 11, [{ type: "text", text: "Edited." }], used(50, 0, 1)),
  ]
  const session = (sessionId: string, of: ReadonlyArray<object>, more: object = {}) =>
    JSON.stringify(
      {
        version: 1,
        updated_at: "2026-01-02T03:05:00Z",
        agent: "lead",
        sessionId,
        messages: of,
        system_prompt: "Be brief.",
        ...more,
      },
      undefined,
      "\t",
    )
  const FIRST = "1767323040000_aaaaa"
  const FORK = "1767323050000_bbbbb"

  it.effect("has its calls, tokens and costs, grows, and is known again", () =>
    withFiles({ [`${FIRST}/${FIRST}.messages.json`]: session(FIRST, messages.slice(0, 2)) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        write(directory, { [`${FIRST}/${FIRST}.messages.json`]: session(FIRST, messages) })
        yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "TaskOpened")[0]).toMatchObject({ goal: "Look" })
        expect(payloads(all, "GuideApplied")).toMatchObject([{ systemPrompt: "Be brief." }])
        expect(contents(all, "InputReceived")).toEqual(["Look"])
        expect(contents(all, "MessageSent")).toEqual(["It is text."])
        expect(usages(all)).toMatchObject([{ inputTokens: 30, cachedTokens: 20 }, { inputTokens: 40 }])
        expect(costs(all)).toEqual([0.25, 0.5])
        expect(payloads(all, "ModelCalled")[0]).toMatchObject({ provider: "anthropic", model: "claude-sonnet-4-6" })
        expect((yield* importing(directory)).added).toBe(0)
      }),
    ),
  )

  it.effect("that is a fork begins where it leaves the other one; copies that a compaction made are none", () =>
    withFiles(
      {
        [`${FORK}/${FORK}.messages.json`]: session(FORK, [...messages, ...own]),
        [`${FIRST}/${FIRST}.messages.json`]: session(FIRST, messages),
        [`${FIRST}/basic.compaction.json`]: session(FIRST, messages.slice(2)),
      },
      (directory) =>
        Effect.gen(function* () {
          const promised = yield* importing(directory, { dryRun: true })
          const { files, added, unknown } = yield* importing(directory)
          expect([added, unknown]).toEqual([promised.added, []])
          expect(files.map(({ leftOut }) => leftOut)).toContainEqual({
            "message of another session: it was copied from the one that this one was forked from": 4,
          })
          expect(files.map(({ leftOut }) => leftOut)).toContainEqual({
            "document: a copy of a session's messages that a compaction made": 1,
          })
          const all = yield* events
          expect(payloads(all, "TaskOpened").map(({ goal }) => goal)).toEqual(["Look", "Now edit"])
          expect(payloads(all, "TaskOpened")[1]).toMatchObject({ environment: { cline: { parent: `cline-${FIRST}` } } })
          expect(costs(all)).toEqual([0.25, 0.5, 1])
          expect((yield* importing(directory)).added).toBe(0)
        }),
    ),
  )

  it.effect("has what it compacted as a compaction", () => {
    const compacted = message("u0", "user", 5, [{ type: "text", text: "Earlier context was compacted." }], {
      metadata: { kind: "compaction", reason: "auto", messagesRemoved: 22, usageBefore: { inputTokens: 9 } },
    })
    return withFiles({ "s.messages.json": session(FIRST, [compacted, ...own]) }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        const all = yield* events
        expect(payloads(all, "MemoryCompacted")).toMatchObject([{ messages: 22 }])
        expect(contents(all, "InputReceived")).toEqual(["Now edit"])
      }),
    )
  })
})

describe("a task of Roo Code", () => {
  const shown = (second: number, more: object) => ({
    ts: START + second * 1_000,
    type: "say",
    say: "api_req_started",
    text: JSON.stringify({
      apiProtocol: "anthropic",
      tokensIn: 30,
      tokensOut: 3,
      cacheReads: 20,
      cacheWrites: 5,
      cost: 0.25,
      ...more,
    }),
  })
  const told = (second: number, role: string, content: unknown, more: object = {}) => ({
    role,
    content,
    ts: START + second * 1_000,
    ...more,
  })

  it.effect("has tokens as it counts them, no request twice, and condensed history", () =>
    withFiles(
      {
        "tasks/t1/api_conversation_history.json": JSON.stringify([
          told(1, "user", [
            { type: "text", text: "<user_message>\nMend it\n</user_message>" },
            { type: "text", text: "<environment_details>…</environment_details>" },
          ]),
          told(9, "assistant", [
            { type: "reasoning", text: "Hm", summary: [] },
            { type: "tool_use", id: "c", name: "read_file", input: { path: "a" } },
          ]),
          told(10, "user", [{ type: "tool_result", tool_use_id: "c", content: "x" }]),
          { type: "reasoning", summary: [], encrypted_content: "…", role: "assistant", ts: START + 11_000 },
          told(12, "user", [{ type: "text", text: "What was done so far" }], { isSummary: true, condenseId: "k" }),
          told(20, "assistant", [{ type: "tool_use", id: "d", name: "attempt_completion", input: { result: "Done" } }]),
        ]),
        "tasks/t1/ui_messages.json": JSON.stringify([
          { ts: START, type: "say", say: "text", text: "Mend it" },
          shown(2, { cancelReason: "streaming_failed", cost: 0.125 }),
          shown(5, {}),
          shown(15, { cost: 0.5 }),
        ]),
        "tasks/t1/history_item.json": JSON.stringify({
          id: "t1",
          parentTaskId: "t0",
          number: 1,
          ts: START,
          task: "Mend it",
          workspace: "/w",
        }),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files, unknown } = yield* importing(directory)
          expect(unknown).toEqual([])
          expect(files[0]?.remarks).toMatchObject({
            "requests that have no answer, and used tokens: these are not counted": 1,
          })
          const all = yield* events
          expect(payloads(all, "TaskOpened")[0]).toMatchObject({
            agent: "roo-code@unknown",
            environment: { cline: { cwd: "/w", parent: "cline-t0" } },
          })
          expect(contents(all, "InputReceived")).toEqual(["Mend it"])
          expect(usages(all)).toMatchObject([
            { inputTokens: 30, outputTokens: 3, cachedTokens: 20, cacheWriteTokens: 5 },
            { inputTokens: 30 },
          ])
          expect(costs(all)).toEqual([0.25, 0.5])
          expect(payloads(all, "MemoryCompacted")).toMatchObject([{ summary: "What was done so far" }])
          expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
        }),
    ),
  )
})

describe("an episode of verifiers", () => {
  const trace = (id: string, name: string) => ({
    version: 1,
    id,
    verifiers: { version: "0.9.0", commit: null },
    task: { type: "Sum", data: { idx: 0, prompt: "Add" }, key: "sum-0", hash: "h" },
    agent: { config: {}, runtime: null, name, trainable: true },
    tools: [],
    nodes: [
      { parent: null, message: { role: "user", content: "Add" }, sampled: false, timestamp: START / 1_000 },
      { parent: 0, message: { role: "assistant", content: "2." }, sampled: true, timestamp: START / 1_000 + 2 },
    ],
    calls: [
      {
        node: 1,
        model: "openai/gpt-5",
        finish_reason: "stop",
        usage: { prompt_tokens: 9, completion_tokens: 3, cached_input_tokens: 4, reasoning_tokens: 2, cost: 0.25 },
        time: { start: START / 1_000, end: START / 1_000 + 2 },
      },
    ],
    rewards: { right: { score: 1, weight: 1 } },
    metrics: {},
    is_completed: true,
    ok: true,
    errors: [],
    timing: { start: START / 1_000 },
  })
  const episode = (id: string, traces: ReadonlyArray<object>, more: object = {}) => ({
    id,
    env: { id: "debate+sum", name: null },
    task: { type: "Sum", data: { idx: 0 }, key: "sum-0" },
    group: null,
    run: { type: "eval", id: "r" },
    ok: traces.length > 0,
    errors: [],
    traces,
    ...more,
  })

  it.effect("has a run for each agent, with its tokens and costs, and one where no agent came to work", () =>
    withFiles(
      {
        "traces.jsonl": lines([
          episode("e1", [trace("t1", "solver"), trace("t2", "judge")]),
          episode("e2", [], { errors: [{ type: "BootError", message: "no runtime" }] }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          expect(files[0]?.leftOut).toEqual({})
          const all = yield* events
          expect(payloads(all, "TaskOpened").map(({ agent, goal }) => [agent, goal])).toEqual([
            ["solver@0.9.0", "Add"],
            ["judge@0.9.0", "Add"],
            ["verifiers@unknown", "sum-0"],
          ])
          expect(payloads(all, "TaskOpened")[1]).toMatchObject({
            environment: { verifiers: { episode: "e1", env: "debate+sum" } },
          })
          expect(usages(all)[0]).toEqual({ inputTokens: 13, outputTokens: 3, cachedTokens: 4, reasoningTokens: 2 })
          expect(costs(all)).toEqual([0.25, 0.25])
          expect(payloads(all, "TaskClosed")).toMatchObject([{}, {}, { outcome: "failed", reason: "no runtime" }])
          expect((yield* importing(directory)).added).toBe(0)
        }),
    ),
  )
})

describe("a trace of OrcaReplay without payloads", () => {
  it.effect("has the tokens of its answers, and its calls by what caused their results", () => {
    const event = (seq: number, type: string, attrs: object, more: object = {}) => ({
      seq,
      ts: new Date(START + seq * 1_000).toISOString(),
      mono_us: seq,
      turn: 1,
      type,
      actor: "orca",
      attrs,
      ...more,
    })
    return withFiles(
      {
        "run_9f2c14/events.jsonl": lines([
          event(0, "run.start", { adapter: "claude-code", cwd: "/home/dev/api" }),
          event(1, "model.request", { model: "claude-opus-5", messages: 9, tools: 9 }),
          event(
            2,
            "model.response",
            { stop_reason: "tool_use", input_tokens: 6120, output_tokens: 188 },
            { causes: [1] },
          ),
          event(3, "tool.call", { name: "read_file", path: "src/auth.ts" }, { causes: [2] }),
          event(4, "tool.result", { name: "read_file", bytes: 1 }, { causes: [3], payload: "x" }),
          event(5, "fs.change", { path: "src/auth.ts", status: "modified" }),
          event(6, "run.end", { exit_code: 1 }),
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory)
          expect(files[0]?.remarks).toMatchObject({ "answers whose text is not in the trace": 1 })
          const all = yield* events
          expect(usages(all)).toMatchObject([{ inputTokens: 6120, outputTokens: 188 }])
          expect(payloads(all, "ActuatorCommanded")).toMatchObject([{ args: { path: "src/auth.ts" } }])
          expect(payloads(all, "CommandSucceeded")).toMatchObject([{ result: "x" }])
          expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "failed" }])
        }),
    )
  })
})

describe("what a source does not say", () => {
  const traced = (response: unknown, times: boolean) => {
    const event = (seq: number, type: string, attrs: object, payload?: unknown) => ({
      ...{ seq, mono_us: seq, turn: 1, type, actor: "orca", attrs, payload },
      ...(times ? { ts: new Date(START + seq * 1_000).toISOString() } : {}),
    })
    const path = "/v1/chat/completions"
    return lines([
      event(0, "model.request", { path }, { model: "m", messages: [{ role: "user", content: "hi" }] }),
      event(1, "model.response", { status: 200 }, response),
      event(2, "run.end", { exit_code: 0 }),
    ])
  }
  const chunk = (text: string, end: object = {}) =>
    `data: ${JSON.stringify({ id: "a", model: "m", choices: [{ index: 0, delta: { content: text }, ...end }] })}\n\n`

  it.effect("stays unknown: an answer that does not reach its end is none, and its parts are kept", () =>
    withFiles(
      {
        "run_1/events.jsonl": traced(chunk("It is "), true),
        "run_2/events.jsonl": traced(
          `${chunk("It is ")}${chunk("so.", { finish_reason: "stop" })}data: [DONE]\n\n`,
          true,
        ),
      },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const all = yield* events
          expect(payloads(all, "ModelFailed")).toEqual([
            {
              kind: "cut-off",
              reason: "the recorded answer does not reach its end",
              response: [{ type: "text", text: "It is " }],
            },
          ])
          const [whole] = payloads(all, "ModelResponded")
          expect(whole).toMatchObject({ response: { parts: [{ text: "It is so." }] }, latencyMs: 1_000 })
        }),
    ),
  )

  it.effect("stays unknown: neither times nor tokens are 0", () =>
    withFiles(
      { "run_1/events.jsonl": traced(`${chunk("so.", { finish_reason: "stop" })}data: [DONE]\n\n`, false) },
      (directory) =>
        Effect.gen(function* () {
          yield* importing(directory)
          const [answer] = payloads(yield* events, "ModelResponded")
          expect(answer).not.toHaveProperty("latencyMs")
          expect(answer).toMatchObject({ usage: { unknown: ["inputTokens", "outputTokens"] } })
        }),
    ),
  )
})
