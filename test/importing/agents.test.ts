import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import type { FileReport } from "../../src/importing/ImportReport.ts"
import { events, importing, lines, payloads, typesOf, withFiles } from "./given.ts"

const session = (name: string): string =>
  fs.readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), "sessions", name), "utf8")

/** Imports a file, twice: the second time adds nothing. */
const imported = (
  name: string,
  text: string,
  test: (all: ReadonlyArray<Event>, file: FileReport | undefined) => void,
) =>
  withFiles({ [name]: text }, (directory) =>
    Effect.gen(function* () {
      const { files, refused } = yield* importing(directory)
      expect(refused).toEqual([])
      test(yield* events, files[0])
      expect((yield* importing(directory)).added).toBe(0)
    }),
  )

const usage = (all: ReadonlyArray<Event>) => payloads(all, "ModelResponded").map((payload) => payload.usage)
const said = (all: ReadonlyArray<Event>) => payloads(all, "InputReceived").map(({ content }) => content)
const spoken = (all: ReadonlyArray<Event>) => payloads(all, "MessageSent").map(({ content }) => content)
const taskOf = (all: ReadonlyArray<Event>) => all.find(({ type }) => type === "TaskOpened")?.taskId ?? ""

describe("a session of Gemini CLI", () => {
  it.effect("has each answer once, with its calls and what came of them, and the file that one wrote", () =>
    imported("session.jsonl", session("gemini-session-simple.jsonl"), (all) => {
      const used = { inputTokens: 100, outputTokens: 20, cachedTokens: 40, reasoningTokens: 5 }
      expect(said(all)).toEqual(["first prompt"])
      expect(spoken(all)).toEqual(["done"])
      expect(usage(all)).toEqual([used, used])
      expect(payloads(all, "ModelCalled").map(({ provider, model }) => [provider, model])).toEqual([
        ...[
          ["google", "gemini-2.5-pro"],
          ["google", "gemini-2.5-pro"],
        ],
      ])
      expect(typesOf(all, taskOf(all)).filter((type) => /^Command(?:Succeeded|Failed|Denied)/.test(type))).toHaveLength(
        2,
      )
      expect(payloads(all, "EnvironmentChanged")).toMatchObject([
        { patch: [{ path: "/files/~1project~1s1.txt", value: "hey" }] },
      ])
      expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
    }),
  )

  it.effect("is read from a document too, and a cancelled call is neither refused nor done", () =>
    imported(
      "session-1.json",
      JSON.stringify(
        {
          sessionId: "s1",
          projectHash: "p",
          startTime: "2026-01-01T00:00:00.000Z",
          messages: [
            { id: "1", timestamp: "2026-01-01T00:00:01.000Z", type: "user", content: "Go" },
            {
              id: "2",
              timestamp: "2026-01-01T00:00:02.000Z",
              type: "gemini",
              content: "",
              model: "gemini-3",
              toolCalls: [{ id: "c", name: "shell", args: {}, status: "cancelled", timestamp: "2026-01-01T00:00:03Z" }],
            },
            { id: "3", timestamp: "2026-01-01T00:00:04.000Z", type: "info", content: "Request cancelled." },
          ],
        },
        undefined,
        2,
      ),
      (all, file) => {
        expect(said(all)).toEqual(["Go"])
        expect(payloads(all, "CommandOutcomeUnknown")).toHaveLength(1)
        expect(usage(all)).toMatchObject([{ unknown: ["inputTokens", "outputTokens"] }])
        expect(file?.kept).toEqual({ info: 1 })
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "abandoned" }])
      },
    ),
  )
})

describe("a session of Copilot CLI", () => {
  it.effect("has its answers with the tokens of their requests, and calls with results", () =>
    imported("events.jsonl", session("copilot-session-events.jsonl"), (all, file) => {
      const used = { inputTokens: 100, outputTokens: 20, cachedTokens: 40, cacheWriteTokens: 0 }
      expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "secretprompt", agent: "copilot-cli@1.0.102" }])
      expect(said(all)).toEqual(["secretprompt"])
      expect(spoken(all)).toEqual(["ANSMARK"])
      expect(usage(all)).toEqual([used, used])
      expect(payloads(all, "CommandSucceeded")).toMatchObject([
        { result: "ARGMARK\n<shellId: 0 completed with exit code 0>" },
      ])
      expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
      expect(file?.kept).toMatchObject({ "hook.start": 7 })
    }),
  )
})

describe("a session of opencode", () => {
  it.effect("has an answer for each step, with its tokens and the cost that the source says", () =>
    imported("export.json", session("opencode-export.json"), (all) => {
      expect(said(all)).toEqual(["go", "again"])
      expect(spoken(all)).toEqual(["done"])
      expect(usage(all)).toMatchObject([
        { inputTokens: 100, outputTokens: 20, cachedTokens: 40 },
        { inputTokens: 100, outputTokens: 20, cachedTokens: 40 },
      ])
      expect(payloads(all, "ModelResponded").map(({ cost }) => cost)).toEqual([
        { usd: 0.0001, prices: "source" },
        { usd: 0.0001, prices: "source" },
      ])
      expect(payloads(all, "CommandSucceeded")).toMatchObject([{ result: "(no output)" }])
      expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "abandoned" }])
    }),
  )
})

describe("a trajectory of mini-swe-agent", () => {
  const trajectory = (messages: ReadonlyArray<object>, info: object = {}) =>
    JSON.stringify(
      {
        info: {
          model_stats: { instance_cost: 0.5, api_calls: 2 },
          mini_version: "2.3.0",
          exit_status: "Submitted",
          config: { model: { model_name: "deepseek/deepseek-chat" } },
          ...info,
        },
        messages,
        trajectory_format: "mini-swe-agent-1.1",
      },
      undefined,
      2,
    )

  it.effect("has the calls of its answers with what commands returned, the costs and times of each", () =>
    imported(
      "repo-1.traj.json",
      trajectory([
        { role: "system", content: "You are helpful." },
        { role: "user", content: "Mend it" },
        {
          role: "assistant",
          content: "I look.",
          tool_calls: [{ id: "c1", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } }],
          extra: {
            cost: 0.25,
            timestamp: 1_767_225_600,
            response: { usage: { prompt_tokens: 10, completion_tokens: 2 } },
          },
        },
        {
          role: "tool",
          tool_call_id: "c1",
          content: "<returncode>1</returncode>",
          extra: { returncode: 1, timestamp: 1_767_225_601 },
        },
        { role: "exit", content: "diff", extra: { exit_status: "Submitted" } },
      ]),
      (all, file) => {
        expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Mend it", agent: "mini-swe-agent@2.3.0" }])
        expect(payloads(all, "ActuatorCommanded")).toMatchObject([
          { actuator: "mini-swe-agent/bash", args: { command: "ls" } },
        ])
        expect(payloads(all, "CommandFailed")).toHaveLength(1)
        expect(usage(all)).toEqual([{ inputTokens: 10, outputTokens: 2 }])
        expect(payloads(all, "ModelResponded")).toMatchObject([{ cost: { usd: 0.25 } }])
        expect(payloads(all, "ModelCalled")).toMatchObject([{ provider: "deepseek", model: "deepseek-chat" }])
        expect(payloads(all, "SourceStated")).toEqual([])
        expect(file?.kept).toEqual({ exit: 1, info: 1 })
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved", reason: "Submitted" }])
      },
    ),
  )

  it.effect("of the first versions has commands in the text of its answers, and a cost of the whole", () =>
    imported(
      "repo-2.traj.json",
      trajectory(
        [
          { role: "system", content: "You are helpful." },
          { role: "user", content: "Mend it" },
          { role: "assistant", content: "I look.\n\n```bash\nls\n```" },
          { role: "user", content: "<returncode>0</returncode>\n<output>a.py</output>" },
          { role: "assistant", content: "No command." },
          { role: "user", content: "Please always provide EXACTLY ONE action." },
        ],
        { exit_status: "LimitsExceeded" },
      ),
      (all) => {
        expect(payloads(all, "ActuatorCommanded").map(({ args }) => args)).toEqual([{ command: "ls" }])
        expect(payloads(all, "CommandSucceeded")).toHaveLength(1)
        expect(said(all)).toEqual(["Mend it"])
        expect(payloads(all, "SourceStated")).toMatchObject([{ used: { usd: 0.5 } }])
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "truncated" }])
      },
    ),
  )
})

describe("conversations in messages", () => {
  const call = { id: "c", type: "function", function: { name: "add", arguments: '{"a":1}' } }
  const chat = [
    { role: "system", content: "Be exact." },
    { role: "user", content: "Add" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "2" },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c", content: "3" },
    { role: "assistant", content: "It is 3." },
  ]

  it.effect("have commands with every digit of the ids that their model wrote", () => {
    const written = { ...call, function: { name: "add", arguments: '{"a":12345678901234567890}' } }
    const messages = chat.map((message) =>
      message.tool_calls === undefined ? message : { ...message, tool_calls: [written] },
    )
    return imported("chat.jsonl", lines([{ messages }]), (all) => {
      const args = { a: "12345678901234567890" }
      expect(payloads(all, "ActuatorCommanded").map((one) => one.args)).toEqual([args, args])
    })
  })

  it.effect(
    "of OpenAI's chat are a task for each line, with calls of one id apart, scores, and the rest as it is",
    () =>
      imported(
        "chat.jsonl",
        lines([
          { messages: chat, tools: [] },
          { prompt: chat.slice(0, 2), completion: chat.slice(2), reward: 0.5, metrics: { steps: 2 }, model: "gpt-5" },
        ]),
        (all, file) => {
          expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Add" }, { goal: "Add" }])
          expect(payloads(all, "GuideApplied")).toMatchObject([{ systemPrompt: "Be exact." }, {}])
          expect(payloads(all, "CommandSucceeded").map(({ result }) => result)).toEqual(["2", "3", "2", "3"])
          expect(spoken(all)).toEqual(["It is 3.", "It is 3."])
          expect(payloads(all, "RewardGiven")).toMatchObject([{ amount: 0.5 }, { amount: 2 }])
          expect(usage(all)[0]).toMatchObject({ unknown: ["inputTokens", "outputTokens"] })
          expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }, { outcome: "achieved" }])
          expect(file?.kept).toEqual({ record: 2 })
        },
      ),
  )

  it.effect("of Anthropic have their calls and results", () =>
    imported(
      "anthropic.json",
      JSON.stringify(
        [
          { role: "user", content: "Look" },
          { role: "assistant", content: [{ type: "tool_use", id: "t", name: "look", input: { at: 1 } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "dark", is_error: true }] },
          { role: "assistant", content: [{ type: "text", text: "It is dark." }] },
        ],
        undefined,
        2,
      ),
      (all) => {
        expect(said(all)).toEqual(["Look"])
        expect(payloads(all, "CommandFailed")).toHaveLength(1)
        expect(spoken(all)).toEqual(["It is dark."])
      },
    ),
  )

  it.effect("of the AI SDK have an answer for each step, and what came of its tools", () =>
    imported(
      "chat.json",
      JSON.stringify({
        id: "chat-1",
        messages: [
          {
            id: "u",
            role: "user",
            parts: [{ type: "text", text: "Weather?" }],
            metadata: { createdAt: "2026-01-01T00:00:00Z" },
          },
          {
            id: "a",
            role: "assistant",
            metadata: { totalUsage: { inputTokens: 30, outputTokens: 4 }, model: "openai/gpt-5" },
            parts: [
              { type: "step-start" },
              {
                type: "tool-weather",
                toolCallId: "w",
                state: "output-available",
                input: { in: "Oslo" },
                output: "snow",
              },
              {
                type: "dynamic-tool",
                toolName: "ask",
                toolCallId: "q",
                state: "output-error",
                input: {},
                errorText: "no",
              },
              { type: "step-start" },
              { type: "text", text: "It snows." },
            ],
          },
          { role: "assistant", content: [{ type: "tool-call", toolCallId: "m", toolName: "add", input: { a: 1 } }] },
          {
            role: "tool",
            content: [
              { type: "tool-result", toolCallId: "m", toolName: "add", output: { type: "json", value: { sum: 2 } } },
            ],
          },
        ],
      }),
      (all) => {
        expect(taskOf(all)).toBe("messages-chat-1")
        expect(said(all)).toEqual(["Weather?"])
        expect(payloads(all, "ActuatorCommanded").map(({ actuator }) => actuator)).toEqual([
          ...["messages/weather", "messages/ask", "messages/add"],
        ])
        expect(payloads(all, "CommandSucceeded").map(({ result }) => result)).toEqual(["snow", { sum: 2 }])
        expect(payloads(all, "CommandFailed")).toHaveLength(1)
        expect(spoken(all)).toEqual(["It snows."])
        expect(usage(all)[0]).toMatchObject({ inputTokens: 30, outputTokens: 4 })
        expect(payloads(all, "ModelCalled")[0]).toMatchObject({ provider: "openai", model: "gpt-5" })
      },
    ),
  )
})

describe("a task of Cline", () => {
  it.effect("has the calls in the text of its answers, with the tokens and costs that the person was shown", () => {
    const tell = (text: string) => ({ role: "user", content: [{ type: "text", text }] })
    const answer = (text: string) => ({ role: "assistant", content: [{ type: "text", text }] })
    const request = (ts: number, cost: number) => ({
      ts,
      type: "say",
      say: "api_req_started",
      text: JSON.stringify({ request: "…", tokensIn: 10, tokensOut: 3, cacheWrites: 2, cacheReads: 5, cost }),
    })
    const files = {
      "tasks/1767225600000/api_conversation_history.json": JSON.stringify([
        tell("<task>\nMend it\n</task>\n<environment_details>cwd</environment_details>"),
        answer("I look.\n<execute_command>\n<command>ls</command>\n</execute_command>"),
        tell("[execute_command for 'ls'] Result:\na.ts\n<feedback>\nBe quick\n</feedback>"),
        answer("<write_to_file><path>a.ts</path><content>x</content></write_to_file>"),
        tell("The user denied this operation."),
        answer("<attempt_completion><result>Done</result></attempt_completion>"),
      ]),
      "tasks/1767225600000/ui_messages.json": JSON.stringify([
        { ts: 1_767_225_600_000, type: "say", say: "text", text: "Mend it" },
        ...[request(1_767_225_601_000, 0.25), request(1_767_225_602_000, 0.5), request(1_767_225_603_000, 0.125)],
      ]),
      "tasks/1767225600000/task_metadata.json": JSON.stringify({ model_usage: [{ model_id: "m" }] }),
    }
    return withFiles(files, (directory) =>
      Effect.gen(function* () {
        const { files: found, unknown } = yield* importing(directory)
        expect([found.length, unknown]).toEqual([1, []])
        const all = yield* events
        expect(taskOf(all)).toBe("cline-1767225600000")
        expect(said(all)).toEqual(["Mend it", "Be quick"])
        expect(payloads(all, "ActuatorCommanded")).toMatchObject([
          { actuator: "cline/execute_command", args: { command: "ls" } },
          { actuator: "cline/write_to_file" },
          { actuator: "cline/attempt_completion" },
        ])
        expect(payloads(all, "CommandSucceeded")).toHaveLength(1)
        expect(payloads(all, "CommandDenied")).toHaveLength(1)
        expect(usage(all)[0]).toEqual({ inputTokens: 17, outputTokens: 3, cachedTokens: 5, cacheWriteTokens: 2 })
        expect(payloads(all, "ModelResponded").map(({ cost }) => (cost as { usd: number }).usd)).toEqual([
          0.25, 0.5, 0.125,
        ])
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
        expect((yield* importing(directory)).added).toBe(0)
      }),
    )
  })
})

describe("an export of traces", () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
  const taken = (all: ReadonlyArray<Event>) => {
    expect(payloads(all, "TaskOpened")).toHaveLength(1)
    expect(said(all)).toEqual(["Weather?"])
    expect(payloads(all, "GuideApplied")).toMatchObject([{ systemPrompt: "Be brief." }])
    expect(payloads(all, "ActuatorCommanded")).toMatchObject([{ args: { in: "Oslo" } }])
    expect(payloads(all, "CommandSucceeded")).toMatchObject([{ result: "snow" }])
    expect(spoken(all)).toEqual(["It snows."])
    expect(payloads(all, "ModelResponded")).toMatchObject([
      { usage: { inputTokens: 10, outputTokens: 2 }, cost: { usd: 0.25, prices: "source" } },
      { usage: { inputTokens: 20, outputTokens: 3 } },
    ])
  }

  it.effect("of LangSmith is a task for each thread, with its requests, calls, tokens and costs", () => {
    const message = (name: string, kwargs: object) => ({ lc: 1, type: "constructor", id: ["langchain", name], kwargs })
    const told = [message("SystemMessage", { content: "Be brief." }), message("HumanMessage", { content: "Weather?" })]
    const called = message("AIMessage", {
      content: "",
      tool_calls: [{ name: "weather", args: { in: "Oslo" }, id: "c" }],
    })
    const run = (id: string, type: string, second: number, more: object) => ({
      id,
      trace_id: "t",
      parent_run_id: id === "t" ? null : "t",
      run_type: type,
      name: type,
      dotted_order: id,
      start_time: at(second),
      end_time: at(second + 1),
      ...more,
      extra: { metadata: { ls_provider: "openai", ls_model_name: "gpt-5", thread_id: "th" } },
    })
    const records = [
      run("t", "chain", 0, { inputs: {}, outputs: {} }),
      run("a", "llm", 1, {
        inputs: { messages: [told] },
        outputs: { generations: [[{ text: "", message: called }]] },
        prompt_tokens: 10,
        completion_tokens: 2,
        total_cost: 0.25,
      }),
      run("b", "tool", 3, {
        name: "weather",
        inputs: { input: { in: "Oslo" } },
        outputs: { output: { content: "snow", tool_call_id: "c" } },
      }),
      run("d", "llm", 5, {
        inputs: { messages: [[...told, called, message("ToolMessage", { content: "snow", tool_call_id: "c" })]] },
        outputs: { generations: [[{ text: "It snows.", message: message("AIMessage", { content: "It snows." }) }]] },
        prompt_tokens: 20,
        completion_tokens: 3,
      }),
    ]
    return imported("runs.jsonl", lines(records), (all) => {
      taken(all)
      expect(taskOf(all)).toBe("langsmith-th")
    })
  })

  it.effect("of Langfuse is a task for each session, in lines of its exports and in documents of its API", () => {
    const call = { id: "c", type: "function", function: { name: "weather", arguments: '{"in":"Oslo"}' } }
    const told = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Weather?" },
    ]
    const answer = { role: "assistant", content: null, tool_calls: [call] }
    const one = (id: string, type: string, second: number, more: object) => ({
      id,
      traceId: "t",
      type,
      name: "weather",
      startTime: at(second),
      endTime: at(second + 1),
      ...more,
    })
    const observations = [
      one("a", "GENERATION", 1, {
        model: "gpt-5",
        input: told,
        output: answer,
        usageDetails: { input: 10, output: 2 },
        costDetails: { total: 0.25 },
      }),
      one("b", "TOOL", 3, { input: { in: "Oslo" }, output: "snow" }),
      one("d", "GENERATION", 5, {
        model: "gpt-5",
        input: [...told, answer, { role: "tool", tool_call_id: "c", content: "snow" }],
        output: "It snows.",
        usageDetails: { input: 20, output: 3 },
      }),
    ]
    const snake = (value: object) =>
      Object.fromEntries(
        Object.entries(value).map(([name, one]) => [
          name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
          one,
        ]),
      )
    return Effect.gen(function* () {
      yield* imported("trace.json", JSON.stringify({ id: "t", sessionId: "s", observations }, undefined, 2), (all) => {
        taken(all)
        expect(taskOf(all)).toBe("langfuse-s")
      })
      yield* imported("observations.jsonl", lines(observations.map(snake)), taken)
    })
  })
})

describe("a trace of verifiers", () => {
  const trace = (more: object) => ({
    version: 1,
    id: "abc",
    verifiers: { version: "0.4.0" },
    agent: { name: "solver" },
    task: { type: "Sum", data: { a: 1 } },
    nodes: [
      { message: { role: "system", content: "Be exact." }, parent: null, sampled: false },
      { message: { role: "user", content: "Add" }, parent: 0, sampled: false },
      {
        message: { role: "assistant", content: null, tool_calls: [{ id: "c", name: "add", arguments: '{"a":1}' }] },
        parent: 1,
        sampled: true,
      },
      { message: { role: "tool", tool_call_id: "c", content: "2" }, parent: 2, sampled: false },
      { message: { role: "assistant", content: "2." }, parent: 3, sampled: true },
      { message: { role: "user", content: "Again" }, parent: 1, sampled: false },
    ],
    calls: [
      {
        node: 2,
        model: "openai/gpt-5",
        usage: { prompt_tokens: 9, completion_tokens: 3 },
        time: { start: 1_767_225_600, end: 1_767_225_601 },
      },
      { node: 4, model: "openai/gpt-5", usage: null, time: { start: 1_767_225_602, end: 1_767_225_603 } },
    ],
    rewards: { right: { score: 0.5, weight: 2 }, style: null },
    metrics: { turns: 2 },
    errors: [],
    is_completed: true,
    ok: true,
    stop_condition: "agent_completed",
    timing: { start: 1_767_225_599, agent: { start: 1_767_225_599, end: 1_767_225_604 } },
    ...more,
  })

  it.effect("is a task with its calls, tokens and weighted rewards, in which a branch is noted", () =>
    imported("traces.jsonl", lines([trace({}), trace({ id: "def", stop_condition: "max_turns" })]), (all) => {
      expect(payloads(all, "TaskOpened")[0]).toMatchObject({ goal: "Add", agent: "solver@0.4.0" })
      expect(payloads(all, "CommandSucceeded").map(({ result }) => result)).toEqual(["2", "2"])
      expect(usage(all).slice(0, 2)).toMatchObject([
        { inputTokens: 9, outputTokens: 3 },
        { unknown: ["inputTokens", "outputTokens"] },
      ])
      expect(payloads(all, "NoteAdded")[0]).toMatchObject({ text: expect.stringContaining("message 1") })
      expect(payloads(all, "RewardGiven").map(({ name, amount }) => [name, amount])).toEqual([
        ...[
          ["right", 1],
          ["right", 1],
        ],
        ...[
          ["turns", 2],
          ["turns", 2],
        ],
      ])
      expect(payloads(all, "MeasureUnscored")).toHaveLength(2)
      expect(payloads(all, "TaskClosed").map(({ outcome }) => outcome)).toEqual(["achieved", "truncated"])
    }),
  )
})

describe("a trace of OrcaReplay", () => {
  it.effect(
    "has its requests and answers as they were sent, with payloads that are in blobs, and how the program ended",
    () => {
      const event = (seq: number, type: string, attrs: object, payload?: unknown) => ({
        seq,
        ts: `2026-01-01T00:00:0${seq}.000Z`,
        mono_us: seq,
        turn: 1,
        type,
        actor: "agent",
        attrs,
        ...(payload === undefined ? {} : { payload }),
      })
      const path = "/v1/chat/completions"
      const call = { id: "c", type: "function", function: { name: "read", arguments: '{"path":"a"}' } }
      const told = [{ role: "user", content: "Mend it" }]
      const answer = (message: object, used: number) =>
        JSON.stringify({
          object: "chat.completion",
          model: "m-1",
          choices: [{ message: { role: "assistant", ...message }, finish_reason: "stop" }],
          usage: { prompt_tokens: used, completion_tokens: 1 },
        })
      const digest = "ab".repeat(32)
      const again = [
        ...told,
        { role: "assistant", tool_calls: [call] },
        { role: "tool", tool_call_id: "c", content: "x" },
      ]
      const files = {
        "run_abcdef/events.jsonl": lines([
          event(0, "run.start", { adapter: "node" }),
          event(1, "model.request", { path }, JSON.stringify({ model: "m", messages: told })),
          event(2, "model.response", { model: "m-1", status: 200 }, answer({ content: null, tool_calls: [call] }, 5)),
          event(3, "tool.call", { tool_use_id: "c", name: "read", input: { path: "a" } }),
          event(4, "tool.result", { tool_use_id: "c", name: "read", is_error: false }, "x"),
          event(5, "model.request", { path }, { $blob: `sha256:${digest}`, bytes: 1, media_type: "application/json" }),
          event(6, "model.response", { model: "m-1", status: 200 }, answer({ content: "Mended." }, 9)),
          event(7, "run.end", { exit_code: 0 }),
        ]),
        [`run_abcdef/blobs/ab/${digest}`]: JSON.stringify({ model: "m", messages: again }),
        "run_abcdef/manifest.json": JSON.stringify({
          run_id: "run_abcdef",
          adapter: { id: "codex", harness_version: "1" },
        }),
      }
      return withFiles(files, (directory) =>
        Effect.gen(function* () {
          const { files: found, unknown } = yield* importing(directory)
          expect([found.length, unknown]).toEqual([1, []])
          const all = yield* events
          expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Mend it", agent: "codex@1" }])
          expect(said(all)).toEqual(["Mend it"])
          expect(payloads(all, "CommandSucceeded")).toMatchObject([{ result: "x" }])
          expect(spoken(all)).toEqual(["Mended."])
          expect(usage(all)).toMatchObject([{ inputTokens: 5 }, { inputTokens: 9 }])
          expect(payloads(all, "ModelCalled")).toMatchObject([{ model: "m-1" }, { model: "m-1" }])
          expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
          expect((yield* importing(directory)).added).toBe(0)
        }),
      )
    },
  )
})
