import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Effect, TestContext } from "effect"
import fc from "fast-check"
import { describe, expect } from "vitest"
import { SEED } from "../events/faults/random.ts"
import { events, importing, withFiles } from "./given.ts"

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString()

const chat = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Weather?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c", type: "function", function: { name: "w", arguments: '{"in":"Oslo"}' } }],
  },
  { role: "tool", tool_call_id: "c", content: "snow" },
  { role: "assistant", content: "It snows." },
]

const blocks = [
  {
    id: "u1",
    role: "user",
    content: [{ type: "text", text: "<user_message>Mend it</user_message>" }],
    ts: Date.parse(at(1)),
  },
  {
    id: "a1",
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm" },
      { type: "tool_use", id: "c", name: "read_file", input: { path: "a" } },
    ],
    ts: Date.parse(at(2)),
    metrics: { inputTokens: 3, outputTokens: 1, tokens: { prompt: 1, completion: 2 }, cost: 0.5 },
    modelInfo: { id: "m", provider: "p" },
  },
  { id: "u2", role: "user", content: [{ type: "tool_result", tool_use_id: "c", content: "x" }], ts: Date.parse(at(3)) },
  { id: "a2", role: "assistant", content: [{ type: "text", text: "Mended." }], ts: Date.parse(at(4)) },
]

const observation = (id: string, type: string, second: number, more: object) => ({
  id,
  traceId: "t",
  type,
  name: id,
  parentObservationId: null,
  startTime: at(second),
  endTime: at(second + 1),
  metadata: { attributes: { "tool.name": "w" } },
  usageDetails: { input: 1, output: 2, total: 3 },
  ...more,
})

const run = (id: string, type: string, second: number, more: object) => ({
  id,
  trace_id: "t",
  run_type: type,
  name: type,
  start_time: at(second),
  end_time: at(second + 1),
  extra: { metadata: { ls_model_name: "m" } },
  ...more,
})

const trace = {
  id: "t1",
  task: { type: "Sum", data: {}, key: "k" },
  agent: { name: "a" },
  nodes: chat.map((message, index) => ({
    parent: index === 0 ? null : index - 1,
    message,
    sampled: message.role === "assistant",
    timestamp: 1_767_323_045,
  })),
  calls: [{ node: 2, model: "m", usage: { prompt_tokens: 1, completion_tokens: 2 }, time: { start: 1, end: 2 } }],
  rewards: { r: { score: 1, weight: 1 } },
  metrics: { m: 1 },
  errors: [{ type: "E", message: "m" }],
}

const orca = (seq: number, type: string, more: object) => ({
  seq,
  ts: at(seq),
  mono_us: seq,
  turn: 1,
  type,
  actor: "agent",
  ...more,
})

/** A file of each format, as lines or as one document. */
const FILES: Readonly<Record<string, { readonly lines: ReadonlyArray<unknown> } | { readonly document: unknown }>> = {
  "t/api_conversation_history.json": { document: blocks },
  "s.messages.json": { document: { version: 1, agent: "lead", sessionId: "s", messages: blocks } },
  "langfuse.json": {
    document: {
      trace: { id: "t", sessionId: "s" },
      observations: [
        observation("a", "GENERATION", 1, { input: chat.slice(0, 2), output: chat[2], model: "m" }),
        observation("b", "TOOL", 2, { input: { in: "Oslo" }, output: "snow" }),
        observation("d", "GENERATION", 3, {
          input: { contents: [{ role: "user", parts: [{ text: "x" }] }] },
          output: { content: { parts: [{ text: "y" }] } },
        }),
      ],
    },
  },
  "langsmith.jsonl": {
    lines: [
      run("t", "chain", 0, { inputs: { messages: chat.slice(0, 2) } }),
      run("a", "llm", 1, {
        inputs: { messages: [chat.slice(0, 2)] },
        outputs: {
          generations: [
            [{ text: "", message: { type: "ai", content: "", tool_calls: [{ id: "c", name: "w", args: {} }] } }],
          ],
        },
      }),
      run("b", "tool", 2, { inputs: { input: "x" }, outputs: { output: { content: "snow", tool_call_id: "c" } } }),
    ],
  },
  "traces.jsonl": { lines: [{ id: "e", env: { id: "x" }, task: {}, traces: [trace] }, trace] },
  "run_abcdef/events.jsonl": {
    lines: [
      orca(0, "run.start", { attrs: {} }),
      orca(1, "model.request", {
        attrs: { path: "/v1/chat/completions" },
        payload: JSON.stringify({ model: "m", messages: chat.slice(0, 2) }),
      }),
      orca(2, "model.response", {
        attrs: { input_tokens: 1 },
        payload: JSON.stringify({ choices: [{ message: chat[2] }] }),
      }),
      orca(3, "tool.call", { attrs: { tool_use_id: "c", name: "w", input: {} } }),
      orca(4, "tool.result", { attrs: { tool_use_id: "c" }, causes: [3], payload: "snow" }),
      orca(5, "run.end", { attrs: { exit_code: 0 } }),
    ],
  },
  "chat.jsonl": { lines: [{ id: "x", messages: chat, reward: 1, metrics: { m: 1 } }] },
  "m.traj.json": {
    document: {
      info: {
        mini_version: "1",
        exit_status: "Submitted",
        model_stats: { instance_cost: 1 },
        config: { model: { model_name: "m" } },
      },
      messages: chat.map((message) => ({
        ...message,
        extra: { timestamp: 1_767_323_045, cost: 1, actions: [{ command: "ls" }] },
      })),
    },
  },
  ...Object.fromEntries(
    [
      "copilot-session-events.jsonl",
      "gemini-session-simple.jsonl",
      "opencode-export.json",
      "codex-session-simple.jsonl",
      "codex-session-denied.jsonl",
      "1-tools-deny-subagent.jsonl",
    ].map((name) => {
      const text = fs.readFileSync(path.join(import.meta.dirname, "sessions", name), "utf8")
      return [
        name,
        name.endsWith(".json")
          ? { document: JSON.parse(text) }
          : {
              lines: text
                .trim()
                .split("\n")
                .map((line) => JSON.parse(line)),
            },
      ]
    }),
  ),
}

const DEEP = `${"[".repeat(30_000)}${"]".repeat(30_000)}`

/** Values as JSON that programs do not expect. */
const HOSTILE = [
  ...[
    "null",
    "true",
    "-1",
    "1e999",
    "-0",
    "12345678901234567890",
    "0.1",
    '""',
    '"\\ud800"',
    '"\\u0000"',
    '"NaN"',
    '"-5"',
    '"1e999"',
  ],
  ...[
    "[]",
    "{}",
    "[null]",
    '[{"type":"text"}]',
    '{"__proto__":{"polluted":1}}',
    '{"constructor":1,"toString":1}',
    `"${"x".repeat(1_100_000)}"`,
  ],
  ...['{"role":7}', "[[[]]]", '"2026-13-45T99:99:99Z"', "253402300800000000", DEEP],
]

type Place = readonly [parent: { [key: string]: unknown }, key: string]

const placesIn = (document: unknown): ReadonlyArray<Place> =>
  typeof document !== "object" || document === null
    ? []
    : Object.entries(document).flatMap(
        ([key, inner]): ReadonlyArray<Place> => [[Object(document), key], ...placesIn(inner)],
      )

/** The file with a value in one of its places. */
const changed = (name: string, place: number, value: string): string => {
  const file = structuredClone(FILES[name])
  const root = file === undefined ? {} : "lines" in file ? { lines: file.lines } : { document: file.document }
  const places = placesIn(root).slice(1)
  const [parent, key] = places[place % places.length] ?? []
  if (parent === undefined || key === undefined) throw new Error("the file is empty")
  parent[key] = "\u0001here"
  const json = (one: unknown) => JSON.stringify(one).replace('"\\u0001here"', () => value)
  return "lines" in root ? (root.lines ?? []).map((line) => `${json(line)}\n`).join("") : json(root.document)
}

describe("a file of any format", () => {
  it.live("with a hostile value anywhere is imported or refused without a defect, and nothing of it twice", () =>
    Effect.forEach(
      fc.sample(
        fc.record({
          name: fc.constantFrom(...Object.keys(FILES)),
          place: fc.nat(),
          value: fc.constantFrom(...HOSTILE),
        }),
        { seed: SEED, numRuns: Number(process.env.HOSTILE_RUNS ?? 20) },
      ),
      ({ name, place, value }) =>
        withFiles({ [name]: changed(name, place, value) }, (directory) =>
          Effect.gen(function* () {
            const { files, refused, unknown } = yield* importing(directory)
            expect(files.length + refused.length + unknown.length).toBe(1)
            const all = yield* events
            expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
            expect((yield* importing(directory)).added).toBe(0)
            expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false)
          }),
        ).pipe(
          Effect.catchAllDefect((cause) =>
            Effect.die(new Error(`${name} (seed ${SEED}, place ${place}, ${value.slice(0, 40)}): ${cause}`, { cause })),
          ),
        ),
      { discard: true },
    ).pipe(Effect.provide(TestContext.TestContext)),
  )
})
