/** Traces in OTLP/JSON by OpenTelemetry's conventions, one line per export of spans. */
import { OUTPUT, writeLines } from "./lines.mjs"

const FILES = 20
const TRACES = 1_000
const TURNS = 8

export const what = "traces in OTLP/JSON"

export const write = (directory) => {
  for (let file = 0; file < FILES; file++) writeLines(directory, `traces-${file}.jsonl`, linesOf(file))
}

const hex = (number, length) => (number + 1).toString(16).padStart(length, "0")
const nanos = (second) => `${Date.UTC(2026, 0, 1) + second * 1_000}000000`

const exported = (traceId, id, parent, second, attributes) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeSpans: [
        {
          spans: [
            {
              traceId,
              spanId: hex(id, 16),
              parentSpanId: parent === null ? "" : hex(parent, 16),
              name: "span",
              startTimeUnixNano: nanos(second),
              endTimeUnixNano: nanos(second + 1),
              attributes: Object.entries(attributes).map(([key, of]) => ({
                key,
                value: typeof of === "number" ? { intValue: String(of) } : { stringValue: of },
              })),
            },
          ],
        },
      ],
    },
  ],
})

function* linesOf(file) {
  for (let trace = 0; trace < TRACES; trace++) {
    const traceId = hex(file * TRACES + trace, 32)
    const told = [{ role: "user", parts: [{ type: "text", content: "Make the tests pass" }] }]
    for (let turn = 0; turn < TURNS; turn++) {
      const id = `call-${turn}`
      const call = { type: "tool_call", id, name: "shell", arguments: { command: `npm test -- ${turn}` } }
      const answer = { role: "assistant", parts: [call] }
      yield exported(traceId, 2 * turn + 1, 0, 2 * turn, {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 20,
        "gen_ai.input.messages": JSON.stringify(told),
        "gen_ai.output.messages": JSON.stringify([answer]),
      })
      yield exported(traceId, 2 * turn + 2, 0, 2 * turn + 1, {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "shell",
        "gen_ai.tool.call.id": id,
        "gen_ai.tool.call.result": OUTPUT,
      })
      told.push(answer, { role: "tool", parts: [{ type: "tool_call_response", id, response: OUTPUT }] })
    }
    yield exported(traceId, 0, null, 0, { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "clerk" })
  }
}
