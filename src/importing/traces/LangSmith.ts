/** Runs of LangSmith: one per line, a document that lists them, or one with `runs`. A trace or thread becomes a run. */

import { defined } from "../../values/defined.ts"
import { spanMapper } from "../otlp/Otlp.ts"
import type { Span } from "../otlp/Span.ts"
import { APPROVALS, UNTRACED, WORLD } from "../runs/FormatCapture.ts"
import { timeOf } from "../runs/SourceTimes.ts"
import { at, field, isObject, listOf, numberOf, numericOf, textOf } from "../runs/Untrusted.ts"
import type { FileHead, Source } from "../Source.ts"
import { given, unreadIn } from "./Attributes.ts"
import { answerIn, askedIn, toldIn } from "./ChatParts.ts"
import type { Unread } from "./ContentParts.ts"

const isRun = (value: unknown): boolean => textOf(value, "run_type") !== undefined && textOf(value, "id") !== undefined

export const langSmith: Source = {
  name: "langsmith",
  title: "export of LangSmith's runs",
  form: "either",
  capture: { pairing: "call-id", lacks: [UNTRACED, APPROVALS, WORLD] },
  recognizes: ({ lines, text }: FileHead) =>
    runsIn(lines[0]).some(isRun) ||
    (lines.length === 0 && /"run_type"\s*:/.test(text) && /"(?:trace_id|dotted_order)"\s*:/.test(text)),
  open: (file, runs) =>
    spanMapper(file, runs, {
      spans: (record) =>
        runsIn(record).map((run) => {
          if (isElsewhere(run))
            runs.remark("runs whose inputs or outputs are in files of LangSmith: they are not known")
          return spanOf(run, unreadIn(runs))
        }),
      traces: (record) => runsIn(record).map((run) => ({ traceId: traceOf(run), conversation: threadOf(run) })),
    }),
}

/** Includes nested `child_runs`. */
const runsIn = (record: unknown): ReadonlyArray<unknown> => {
  const list = Array.isArray(record)
    ? record
    : (["runs", "data"].map((name) => field(record, name)).find(Array.isArray) ?? [record])
  return list.flatMap((run) => [run, ...runsIn(listOf(run, "child_runs")).filter(isRun)])
}

/** Whether inputs or outputs are stored in a separate file. */
const isElsewhere = (run: unknown): boolean =>
  ["inputs", "outputs"].some((name) => {
    const [own, url] = [field(run, name), at(run, `${name}_s3_urls`, "ROOT")]
    return url !== undefined && (!isObject(own) || Object.keys(own).length === 0)
  })

const traceOf = (run: unknown): string => textOf(run, "trace_id") ?? textOf(run, "id") ?? "unknown"

const threadOf = (run: unknown): string | undefined =>
  ["thread_id", "session_id", "conversation_id"]
    .map((name) => textOf(at(run, "extra", "metadata"), name))
    .find((id) => id !== undefined)

const spanOf = (run: unknown, unread: Unread): Span | undefined => {
  const spanId = textOf(run, "id")
  if (spanId === undefined || !isRun(run)) return undefined
  const [type, thread] = [textOf(run, "run_type") ?? "chain", threadOf(run)]
  const error = textOf(run, "error")
  return {
    traceId: traceOf(run),
    spanId,
    parentSpanId: textOf(run, "parent_run_id"),
    isEntry: false,
    name: textOf(run, "name") ?? type,
    start: timeOf(field(run, "start_time")),
    end: timeOf(field(run, "end_time")),
    attributes: {
      ...defined({ "gen_ai.conversation.id": thread }),
      ...(type === "llm" || type === "chat_model"
        ? modelOf(run, unread)
        : type === "tool"
          ? toolOf(run)
          : agentOf(run)),
    },
    events: [],
    error,
    service: undefined,
  }
}

const modelOf = (run: unknown, unread: Unread): Readonly<Record<string, unknown>> => {
  const metadata = at(run, "extra", "metadata")
  const parameters = at(run, "extra", "invocation_params")
  const [inputs, outputs] = [field(run, "inputs"), field(run, "outputs")]
  const usage = usageIn(run)
  const details = field(usage, "input_token_details") ?? field(run, "prompt_token_details")
  return given({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": textOf(metadata, "ls_provider"),
    "gen_ai.request.model":
      textOf(metadata, "ls_model_name") ??
      textOf(parameters, "model") ??
      textOf(parameters, "model_name") ??
      textOf(outputs, "model") ??
      textOf(inputs, "model") ??
      "unknown",
    "gen_ai.input.messages": toldIn(inputs, unread),
    "gen_ai.output.messages": isObject(outputs) ? answerIn(outputs, unread) : [],
    "gen_ai.usage.input_tokens":
      numberOf(run, "prompt_tokens") ?? numberOf(usage, "input_tokens") ?? numberOf(usage, "prompt_tokens"),
    "gen_ai.usage.output_tokens":
      numberOf(run, "completion_tokens") ?? numberOf(usage, "output_tokens") ?? numberOf(usage, "completion_tokens"),
    "gen_ai.usage.cache_read.input_tokens": numberOf(details, "cache_read"),
    "gen_ai.usage.cache_creation.input_tokens": numberOf(details, "cache_creation"),
    "gen_ai.usage.cost": numericOf(run, "total_cost") ?? numericOf(usage, "total_cost"),
  })
}

/** Usage by LangSmith's own count, in the message, or from the provider. */
const usageIn = (run: unknown): unknown => {
  const outputs = field(run, "outputs")
  const [generation] = listOf(outputs, "generations").flat()
  const message = at(generation, "message", "kwargs") ?? field(generation, "message")
  return [
    field(outputs, "usage_metadata"),
    at(run, "extra", "metadata", "usage_metadata"),
    field(message, "usage_metadata"),
    at(outputs, "llm_output", "token_usage"),
    at(outputs, "llm_output", "usage"),
    field(outputs, "usage"),
  ].find(isObject)
}

const toolOf = (run: unknown): Readonly<Record<string, unknown>> => {
  const [inputs, outputs] = [field(run, "inputs"), field(run, "outputs")]
  const [input, output] = [field(inputs, "input") ?? inputs, field(outputs, "output") ?? outputs]
  return given({
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": textOf(run, "name") ?? "unknown",
    "gen_ai.tool.call.id": textOf(output, "tool_call_id") ?? textOf(at(output, "kwargs"), "tool_call_id"),
    "gen_ai.tool.call.arguments": input,
    "gen_ai.tool.call.result": field(output, "content") ?? at(output, "kwargs", "content") ?? output,
  })
}

/** A chain surrounds requests and calls. */
const agentOf = (run: unknown): Readonly<Record<string, unknown>> => ({
  "gen_ai.operation.name": "invoke_agent",
  "gen_ai.agent.name": textOf(run, "name") ?? "chain",
  ...asked(run),
})

const asked = (run: unknown): Readonly<Record<string, unknown>> => {
  const content = askedIn(field(run, "inputs"))
  return content === undefined
    ? {}
    : { "gen_ai.input.messages": [{ role: "user", parts: [{ type: "text", content }] }] }
}
