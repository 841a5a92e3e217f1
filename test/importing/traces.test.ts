import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import { events, importing, lines, payloads, withFiles } from "./given.ts"

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString()

/** An observation as the button of Langfuse's trace downloads it. */
const one = (id: string, type: string, second: number, more: object = {}) => ({
  id,
  traceId: "t",
  projectId: "p",
  type,
  environment: "default",
  parentObservationId: "root",
  startTime: at(second),
  endTime: at(second + 1),
  name: id,
  metadata: {},
  level: "DEFAULT",
  statusMessage: null,
  model: type === "GENERATION" ? "gpt-5" : null,
  usageDetails: {},
  costDetails: {},
  input: null,
  output: null,
  ...more,
})

const document = (observations: ReadonlyArray<object>, trace: object = {}) =>
  JSON.stringify(
    {
      trace: { id: "t", name: "weather", sessionId: "s", input: '"\\"Weather?\\""', scores: [], ...trace },
      observations: [one("root", "AGENT", 0, { parentObservationId: null }), ...observations],
    },
    undefined,
    2,
  )

const imported = <A>(file: string, content: string, read: (all: ReadonlyArray<Event>, leftOut: object) => A) =>
  withFiles({ [file]: content }, (directory) =>
    Effect.gen(function* () {
      const { files, refused, unknown } = yield* importing(directory)
      expect([refused, unknown]).toEqual([[], []])
      return read(yield* events, { ...files[0]?.leftOut, ...files[0]?.remarks })
    }),
  )

const AGENT = { "agent span: its inner spans say what was done": 1 }

/** What every form of the same run comes to: a prompt, a call with its result, and an answer. */
const expectWeather = (
  all: ReadonlyArray<Event>,
  { args = { in: "Oslo" } as object, result = "snow" as unknown } = {},
) => {
  expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Weather?" }])
  expect(payloads(all, "InputReceived").map(({ content }) => content)).toEqual(["Weather?"])
  expect(payloads(all, "ActuatorCommanded").map((command) => [command.actuator, command.args])).toEqual([
    [expect.stringMatching(/\/weather$/), args],
  ])
  expect(payloads(all, "CommandSucceeded").map((outcome) => outcome.result)).toEqual([result])
  expect(payloads(all, "MessageSent").map(({ content }) => content)).toEqual(["It snows."])
  expect(payloads(all, "ModelResponded")).toHaveLength(2)
}

describe("a trace of Langfuse", () => {
  const TOOL = one("weather", "TOOL", 3, { input: { in: "Oslo" }, output: "snow" })
  const forms: ReadonlyArray<readonly [name: string, asked: object, called: object, again: object, answered: unknown]> =
    [
      [
        "parts of OpenTelemetry, with ids that are lists",
        [{ role: "user", parts: [{ type: "text", content: "Weather?" }] }],
        [
          {
            role: "assistant",
            parts: [{ type: "tool_call", id: ["r", "c"], name: "weather", arguments: { in: "Oslo" } }],
          },
        ],
        [{ role: "tool", parts: [{ type: "tool_call_response", id: ["r", "c"], response: "snow" }] }],
        [{ role: "assistant", parts: [{ type: "text", content: "It snows." }], finish_reason: "stop" }],
      ],
      [
        "parts of OpenTelemetry, whose results a person has",
        [{ role: "user", parts: [{ type: "text", content: "Weather?" }] }],
        [{ role: "assistant", parts: [{ type: "tool_call", id: "c", name: "weather", arguments: { in: "Oslo" } }] }],
        [{ role: "user", parts: [{ type: "tool_call_response", id: "c", name: "weather", result: "snow" }] }],
        [{ role: "assistant", parts: [{ type: "text", content: "It snows." }] }],
      ],
      [
        "requests and answers of Gemini",
        {
          model: "g",
          contents: [{ role: "user", parts: [{ text: "Weather?" }] }],
          config: { system_instruction: "Be brief." },
        },
        { content: { role: "model", parts: [{ function_call: { name: "weather", args: { in: "Oslo" } } }] } },
        {
          contents: [
            { role: "user", parts: [{ function_response: { name: "weather", response: { result: "snow" } } }] },
          ],
        },
        { candidates: [{ content: { role: "model", parts: [{ text: "It snows." }] } }] },
      ],
      [
        "items of OpenAI's responses",
        [{ role: "user", content: "Weather?" }],
        {
          object: "response",
          output: [
            { type: "reasoning", summary: [] },
            { type: "function_call", id: "fc", call_id: "c", name: "weather", arguments: { in: "Oslo" } },
          ],
        },
        [{ type: "function_call_output", call_id: "c", output: "snow" }],
        {
          object: "response",
          output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "It snows." }] }],
        },
      ],
      [
        "blocks of Anthropic",
        { system: "Be brief.", messages: [{ role: "user", content: [{ type: "text", text: "Weather?" }] }] },
        { role: "assistant", content: [{ type: "tool_use", id: "c", name: "weather", input: { in: "Oslo" } }] },
        [{ role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "snow" }] }],
        { role: "assistant", type: "message", content: [{ type: "text", text: "It snows." }] },
      ],
      [
        "calls in the content, and definitions of tools among the messages",
        [{ role: "user", content: "Weather?" }, definition()],
        [
          {
            role: "assistant",
            content: [{ type: "function", id: "c", function: { name: "weather", arguments: '{"in":"Oslo"}' } }],
          },
        ],
        [{ role: "tool", tool_call_id: "c", content: "snow" }, definition()],
        [{ role: "assistant", content: "It snows." }],
      ],
      [
        "messages as Python shows them",
        { messages: ["role='user' content='Weather?' name=None tool_call_id=None"] },
        {
          choices: [
            {
              message: {
                role: "assistant",
                content: null,
                tool_calls: [{ id: "c", function: { name: "weather", arguments: { in: "Oslo" } } }],
              },
            },
          ],
        },
        {
          messages: [
            "role='assistant' content=None name=None tool_calls=[{}]",
            "role='tool' content='snow' name=None tool_call_id='c'",
          ],
        },
        { choices: [{ message: { role: "assistant", content: "It snows." } }] },
      ],
    ]
  for (const [name, asked, called, again, answered] of forms)
    it.effect(`has requests, calls and answers in ${name}`, () =>
      Effect.gen(function* () {
        const asks = one("a", "GENERATION", 1, {
          input: asked,
          output: called,
          usageDetails: { input: 10, output: 2, total: 12 },
        })
        const tells = (second: number) => one("b", "GENERATION", second, { input: again, output: answered })
        yield* imported("trace.json", document([tells(5), asks, TOOL]), (all, leftOut) => {
          expectWeather(all)
          expect(leftOut).toEqual(AGENT)
          expect(all.find(({ type }) => type === "TaskOpened")?.taskId).toBe("langfuse-s")
        })
      }),
    )

  it.effect("has tokens once, whether the cache's are in the input or beside it", () => {
    const usage = (usageDetails: object) =>
      one("a", "GENERATION", 1, { input: "Weather?", output: "It snows.", usageDetails })
    const cases: ReadonlyArray<readonly [object, object]> = [
      [
        { input: 10, output: 2, input_cached_tokens: 5, total: 17 },
        { inputTokens: 15, outputTokens: 2, cachedTokens: 5 },
      ],
      [
        { input: 10, output: 2, input_cache_read: 5, output_reasoning: 1, total: 18 },
        { inputTokens: 15, outputTokens: 3, cachedTokens: 5 },
      ],
      [
        { input: 10, output: 2, input_cache_read: 5, total: 12 },
        { inputTokens: 10, outputTokens: 2, cachedTokens: 5 },
      ],
      [
        { input: 10, output: 2, "prompt_details.cache_read": 5 },
        { inputTokens: 10, outputTokens: 2, cachedTokens: 5 },
      ],
      [
        { input: "10", output: "2", total: "12" },
        { inputTokens: 10, outputTokens: 2 },
      ],
    ]
    return Effect.forEach(cases, ([details, expected]) =>
      imported("t.json", document([usage(details)]), (all) =>
        expect(payloads(all, "ModelResponded")).toMatchObject([{ usage: expected }]),
      ),
    )
  })

  it.effect("has tools that are spans, and a request that two programs wrote once", () => {
    const observations = [
      one("outer", "GENERATION", 1, {
        input: [{ role: "user", content: "Weather?" }],
        output: callOf("c"),
        costDetails: { total: "0.25" },
      }),
      one("inner", "GENERATION", 1, { parentObservationId: "outer", input: "user: Weather?", output: "None" }),
      one("running tool: weather", "SPAN", 3, {
        metadata: JSON.stringify({ attributes: { "tool.name": "weather" } }),
        input: { in: "Oslo" },
        output: { type: "tool", tool_call_id: "c", content: "snow" },
      }),
      one("last", "GENERATION", 5, {
        input: [{ role: "tool", tool_call_id: "c", content: "snow" }],
        output: "It snows.",
      }),
      one("nothing", "GENERATION", 6, { model: null }),
      one("odd", "GENERATION", 7, { output: { role: "assistant", content: [{ type: "image_url", image_url: {} }] } }),
    ]
    return imported("t.json", document(observations, { scores: [{ id: "s", value: 1 }] }), (all, leftOut) => {
      expect(payloads(all, "ModelResponded")[0]).toMatchObject({ cost: { usd: 0.25, prices: "source" } })
      expect(payloads(all, "CommandSucceeded")).toMatchObject([{ result: "snow" }])
      expect(leftOut).toEqual({
        ...AGENT,
        "span: another one, within it or around it, is of the same request or call": 1,
        "span: its inner spans say what was done": 1,
        "score: scores of Langfuse are not read; export them and use a mapping": 1,
        "content of the type image_url: messages are read as text, reasoning, calls and results": 1,
      })
    })
  })
})

const definition = () => ({
  role: "tool",
  content: { type: "function", function: { name: "weather", description: "…", parameters: { type: "object" } } },
})

const callOf = (id: string) => ({
  role: "assistant",
  content: "",
  additional_kwargs: {
    tool_calls: [{ id, type: "function", function: { name: "weather", arguments: { in: "Oslo" } } }],
  },
})

describe("runs of LangSmith", () => {
  /** A run as `list_runs` gives it: costs and times as Python's database writes them. */
  const run = (id: string, type: string, second: number, more: object = {}) => ({
    id,
    name: type === "tool" ? "weather" : "ChatOpenAI",
    run_type: type,
    start_time: at(second).replace("T", " ").replace("Z", "000"),
    end_time: at(second + 1)
      .replace("T", " ")
      .replace("Z", "000"),
    error: null,
    serialized: null,
    parent_run_id: id === "t" ? null : "t",
    session_id: "the-project",
    child_run_ids: null,
    trace_id: "t",
    dotted_order: `20260102T030405000000Z${id}`,
    status: "success",
    extra: { metadata: { ls_provider: "openai", ls_model_name: "gpt-5" }, runtime: {} },
    ...more,
  })
  const human = { content: "Weather?", additional_kwargs: {}, type: "human", id: "h" }
  const call = {
    content: "",
    type: "ai",
    tool_calls: [{ name: "weather", args: { in: "Oslo" }, id: "c", type: "tool_call" }],
  }
  const told = { content: "snow", type: "tool", name: "weather", tool_call_id: "c", status: "success" }

  it.effect("have messages as LangGraph and wrapped clients write them, and costs in text", () =>
    imported(
      "runs.jsonl",
      lines([
        run("t", "chain", 0, {
          name: "LangGraph",
          inputs: { messages: [human] },
          outputs: { messages: [human, call] },
        }),
        run("a", "llm", 1, {
          inputs: { messages: [[human]] },
          outputs: {
            generations: [
              [
                {
                  text: "",
                  type: "ChatGeneration",
                  message: { ...call, usage_metadata: { input_tokens: 10, output_tokens: 2 } },
                },
              ],
            ],
          },
          total_cost: "0.00052065",
          prompt_token_details: { cache_read: 4 },
        }),
        run("b", "tool", 3, { inputs: { input: "{'in': 'Oslo'}" }, outputs: { output: told } }),
        run("c", "llm", 5, {
          inputs: {
            model: "gpt-5",
            messages: [
              { role: "user", content: "Weather?" },
              callOf("c"),
              { role: "tool", tool_call_id: "c", content: "snow" },
            ],
          },
          outputs: {
            choices: [{ message: { role: "assistant", content: "It snows." } }],
            usage_metadata: { input_tokens: 20, output_tokens: 3 },
          },
        }),
      ]),
      (all, leftOut) => {
        expectWeather(all)
        expect(leftOut).toEqual(AGENT)
        expect(payloads(all, "ModelResponded")).toMatchObject([
          { usage: { inputTokens: 10, outputTokens: 2, cachedTokens: 4 }, cost: { usd: 0.00052065, prices: "source" } },
          { usage: { inputTokens: 20, outputTokens: 3 } },
        ])
      },
    ),
  )

  it.effect("whose inputs are elsewhere say so", () =>
    imported(
      "hook.json",
      JSON.stringify(
        { rule_id: "r", runs: [run("t", "llm", 0, { inputs_s3_urls: { ROOT: { presigned_url: "x" } } })] },
        undefined,
        2,
      ),
      (_, leftOut) =>
        expect(leftOut).toMatchObject({
          "runs whose inputs or outputs are in files of LangSmith: they are not known": 1,
        }),
    ),
  )
})
