/** Runs in the formats of other programs, with the traps of each. */

const stamp = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString()

/** A trajectory in ATIF: parts as content, a copied step, a result without an id, a subagent's trajectory. */
export const trajectory = (more: object = {}) => ({
  schema_version: "ATIF-v1.7",
  session_id: "0b5f3f3e-7a52-4a4e-9d57-0d7c6c1c2a02",
  agent: { name: "terminus-2", version: "2.0", model_name: "anthropic/claude" },
  steps: [
    { step_id: 1, timestamp: stamp(1), source: "system", message: "You mend." },
    { step_id: 2, timestamp: stamp(1), source: "user", message: "An earlier prompt", is_copied_context: true },
    { step_id: 3, timestamp: stamp(2), source: "user", message: [{ type: "text", text: "Mend the build" }] },
    {
      step_id: 4,
      timestamp: stamp(4),
      source: "agent",
      message: "I look.",
      reasoning_content: "Hm.",
      tool_calls: [{ tool_call_id: "c1", function_name: "bash", arguments: { command: "make" } }],
      observation: { results: [{ content: "error" }] },
      metrics: { prompt_tokens: 100, completion_tokens: 20, cached_tokens: 7, cost_usd: 0.1 },
    },
    {
      step_id: 5,
      source: "agent",
      message: "",
      llm_call_count: 1,
      tool_calls: [
        { tool_call_id: "c1", function_name: "bash", arguments: { command: "make fix" } },
        { tool_call_id: "c2", function_name: "bash", arguments: { command: "make" } },
      ],
      observation: {
        results: [
          { source_call_id: "c2", content: "ok", extra: { is_error: false } },
          { source_call_id: "c1", content: "broken", extra: { is_error: true } },
          { source_call_id: "nobody", content: "?" },
        ],
      },
    },
    { step_id: 6, timestamp: stamp(9), source: "agent", message: "It builds." },
    { step_id: 7, timestamp: stamp(9), source: "from-the-future", message: "?" },
  ],
  final_metrics: { total_steps: 7 },
  subagent_trajectories: [
    {
      schema_version: "ATIF-v1.7",
      trajectory_id: "sub",
      agent: { name: "helper" },
      steps: [{ source: "user", message: "Look" }],
    },
  ],
  ...more,
})

const oh = (kind: string, source: string, second: number, more: object) => ({
  id: `event-${kind}-${second}`,
  kind,
  source,
  timestamp: stamp(second).replace("Z", "123"),
  ...more,
})
const ohText = (text: string) => [{ type: "text", text }]
const stats = (second: number, prompt: number, completion: number) =>
  oh("ConversationStateUpdateEvent", "environment", second, {
    key: "stats",
    value: {
      usage_to_metrics: {
        default: {
          accumulated_token_usage: { prompt_tokens: prompt, completion_tokens: completion },
          accumulated_cost: prompt / 1000,
        },
        condenser: { accumulated_token_usage: { prompt_tokens: 1, completion_tokens: 0 } },
      },
    },
  })

/** A conversation of OpenHands: two calls of one answer, a refusal, an edit, tokens that are counted up. */
export const openHands = (): ReadonlyArray<object> => [
  oh("SystemPromptEvent", "agent", 1, { system_prompt: { type: "text", text: "You code." }, tools: [] }),
  oh("MessageEvent", "user", 2, { llm_message: { role: "user", content: ohText("Add a note") } }),
  stats(3, 99, 20),
  oh("ActionEvent", "agent", 4, {
    thought: ohText("First I look."),
    reasoning_content: "Hm.",
    tool_name: "terminal",
    tool_call_id: "c1",
    tool_call: { id: "c1", name: "terminal", arguments: '{"command":"ls"}' },
    llm_response_id: "r1",
    action: { kind: "TerminalAction", command: "ls", timeout: null },
  }),
  oh("ActionEvent", "agent", 5, {
    tool_name: "terminal",
    tool_call_id: "c2",
    llm_response_id: "r1",
    tool_call: { arguments: "{no json" },
    action: { kind: "TerminalAction", command: "rm -rf /", timeout: null },
  }),
  oh("ObservationEvent", "environment", 6, {
    tool_name: "terminal",
    tool_call_id: "c1",
    action_id: "event-ActionEvent-4",
    observation: { kind: "TerminalObservation", content: ohText("a.txt"), is_error: false, exit_code: 1 },
  }),
  oh("UserRejectObservation", "user", 7, { tool_call_id: "c2", rejection_reason: "Not that" }),
  stats(8, 300, 50),
  oh("ActionEvent", "agent", 9, {
    tool_name: "file_editor",
    tool_call_id: "c3",
    llm_response_id: "r2",
    action: { command: "create", path: "/n", file_text: "one\n" },
  }),
  oh("ObservationEvent", "environment", 10, {
    tool_name: "file_editor",
    tool_call_id: "c3",
    action_id: "event-ActionEvent-9",
    observation: {
      content: ohText("done"),
      is_error: false,
      path: "/n",
      prev_exist: false,
      old_content: null,
      new_content: "one\n",
    },
  }),
  oh("ObservationEvent", "environment", 11, { action_id: "nobody", observation: { content: ohText("?") } }),
  oh("FromTheFutureEvent", "agent", 12, { n: 1 }),
  oh("ActionEvent", "agent", 13, {
    tool_name: "finish",
    tool_call_id: "c4",
    llm_response_id: "r3",
    action: { message: "It is there." },
  }),
  oh("ObservationEvent", "environment", 14, { tool_call_id: "c4", observation: { content: ohText("It is there.") } }),
  oh("ConversationStateUpdateEvent", "environment", 15, { key: "execution_status", value: "finished" }),
]

/** A trajectory of SWE-agent. */
export const sweAgent = (more: object = {}) => ({
  environment: "swe_main",
  trajectory: [
    {
      action: "open a.py\n",
      observation: "1: x",
      response: "I open it.\n```\nopen a.py\n```",
      thought: "I open it.",
      state: '{"open_file":"a.py","working_dir":"/repo"}',
    },
    { action: "submit\n", observation: "", response: "Done.", thought: "Done.", state: "{no json" },
  ],
  history: [
    { role: "system", content: "You are a programmer." },
    { role: "user", content: "A demonstration", is_demo: true },
    { role: "assistant", content: "A demonstrated answer", is_demo: true },
    { role: "user", content: [{ type: "text", text: "Mend the issue" }], message_type: "observation" },
    { role: "assistant", content: "I open it.\n```\nopen a.py\n```", thought: "I open it.", action: "open a.py\n" },
    { role: "user", content: "1: x", message_type: "observation" },
  ],
  info: {
    exit_status: "submitted",
    submission: "diff",
    model_stats: { api_calls: 2, tokens_sent: 70, tokens_received: 9, instance_cost: 0.25 },
  },
  ...more,
})

const pia = (event_type: string, second: number, event_data: object) => ({
  timestamp: stamp(second),
  simulation_run_id: "sim1",
  experiment_id: "e",
  agent_id: "pia",
  log_level: "INFO",
  source_component_id: "core",
  event_type,
  event_data,
})

/** Lines of PiaAVT, in the newer dialect. */
export const piaAvt = (): ReadonlyArray<object> => [
  pia("GOAL_CREATED", 1, { goal_id: "g", description: "Tidy the room", initial_status: "ACTIVE" }),
  pia("AGENT_ACTION_EXECUTED", 2, {
    action_details: { type: "lift", parameters: { thing: "cup" } },
    outcome: { status: "FAILURE", message: "too heavy" },
  }),
  pia("EMOTION_UPDATED", 3, { joy: 0.5 }),
  pia("GOAL_STATUS_CHANGED", 4, { new_state: "FAILED" }),
]

/** The same in the older dialect. */
export const olderPiaAvt = (): ReadonlyArray<object> => [
  { timestamp: stamp(1), source: "core", event_type: "task_started", data: { task_name: "Tidy" } },
  { timestamp: stamp(2), source: "core", event_type: "TASK_STATUS_UPDATE", data: { status: "COMPLETED" } },
]

type Attribute = string | number | object
const value = (of: Attribute): object =>
  typeof of === "string" ? { stringValue: of } : typeof of === "number" ? { intValue: String(of) } : of
const nanos = (second: number) => `${Date.UTC(2026, 0, 1, 12, 0, second)}000000`

/** A span of OTLP/JSON. Ids are counted from a number. */
export const span = (
  id: number,
  parent: number | null,
  from: number,
  to: number,
  attributes: Readonly<Record<string, Attribute>>,
  more: object = {},
) => ({
  traceId: "5B8EFFF798038103D269B633813FC60C",
  spanId: id.toString(16).padStart(16, "0"),
  parentSpanId: parent === null ? "" : parent.toString(16).padStart(16, "0"),
  name: `span-${id}`,
  startTimeUnixNano: nanos(from),
  endTimeUnixNano: nanos(to),
  attributes: Object.entries(attributes).map(([key, of]) => ({ key, value: value(of) })),
  ...more,
})

export const exported = (...spans: ReadonlyArray<object>) => ({
  resourceSpans: [
    {
      resource: { attributes: [{ key: "service.name", value: { stringValue: "shop" } }] },
      scopeSpans: [{ scope: {}, spans }],
    },
  ],
})

const asked = [{ role: "user", parts: [{ type: "text", content: "What is 2 + 2?" }] }]
const called = { role: "assistant", parts: [{ type: "tool_call", id: "c1", name: "add", arguments: { a: 2, b: 2 } }] }
const told = { role: "tool", parts: [{ type: "tool_call_response", id: "c1", response: "4" }] }

/** A trace by OpenTelemetry's conventions. The agent's span is the last that is written, though it began first. */
export const genAi = (): ReadonlyArray<object> => [
  span(2, 1, 1, 2, {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.usage.input_tokens": 10,
    "gen_ai.usage.output_tokens": 5,
    "gen_ai.system_instructions": JSON.stringify([{ type: "text", content: "You add." }]),
    "gen_ai.input.messages": JSON.stringify(asked),
    "gen_ai.output.messages": JSON.stringify([called]),
  }),
  span(3, 1, 2, 3, {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": "add",
    "gen_ai.tool.call.id": "c1",
    "gen_ai.tool.call.result": "4",
  }),
  span(4, 1, 3, 4, {
    "gen_ai.operation.name": "chat",
    "gen_ai.system": "openai",
    "gen_ai.request.model": "gpt-5",
    "gen_ai.usage.prompt_tokens": 20,
    "gen_ai.usage.completion_tokens": 6,
    "gen_ai.input.messages": JSON.stringify([...asked, called, told]),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "It is 4." }] }]),
  }),
  span(1, null, 0, 5, { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "adder" }),
]

/** The same by OpenInference: messages as numbered attributes. */
export const openInference = (): ReadonlyArray<object> => [
  span(2, 1, 1, 2, {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-5",
    "llm.provider": "openai",
    "llm.token_count.prompt": 10,
    "llm.token_count.completion": 5,
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "You add.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": "What is 2 + 2?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "add",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"a":2,"b":2}',
  }),
  span(3, 1, 2, 3, {
    "openinference.span.kind": "TOOL",
    "tool.name": "add",
    "input.value": '{"a":2,"b":2}',
    "output.value": "4",
  }),
  span(4, 1, 3, 4, {
    "openinference.span.kind": "LLM",
    "llm.model_name": "gpt-5",
    "llm.provider": "openai",
    "llm.token_count.prompt": 20,
    "llm.token_count.completion": 6,
    "llm.input_messages.0.message.role": "system",
    "llm.input_messages.0.message.content": "You add.",
    "llm.input_messages.1.message.role": "user",
    "llm.input_messages.1.message.content": "What is 2 + 2?",
    "llm.input_messages.2.message.role": "assistant",
    "llm.input_messages.2.message.tool_calls.0.tool_call.id": "c1",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.name": "add",
    "llm.input_messages.2.message.tool_calls.0.tool_call.function.arguments": '{"a":2,"b":2}',
    "llm.input_messages.3.message.role": "tool",
    "llm.input_messages.3.message.content": "4",
    "llm.input_messages.3.message.tool_call_id": "c1",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.content": "It is 4.",
  }),
  span(1, null, 0, 5, { "openinference.span.kind": "AGENT", "agent.name": "adder", "input.value": "What is 2 + 2?" }),
]

/** The same by the AI SDK: the outer span repeats the inner ones. */
export const aiSdk = (): ReadonlyArray<object> => {
  const system = { role: "system", content: "You add." }
  const user = { role: "user", content: [{ type: "text", text: "What is 2 + 2?" }] }
  const call = { type: "tool-call", toolCallId: "c1", toolName: "add", input: { a: 2, b: 2 } }
  return [
    span(2, 1, 1, 2, {
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.model.id": "gpt-5",
      "ai.model.provider": "openai.responses",
      "ai.usage.inputTokens": 10,
      "ai.usage.outputTokens": 5,
      "gen_ai.request.model": "gpt-5",
      "ai.prompt.messages": JSON.stringify([system, user]),
      "ai.response.toolCalls": JSON.stringify([{ toolCallId: "c1", toolName: "add", input: '{"a":2,"b":2}' }]),
    }),
    span(3, 1, 2, 3, {
      "ai.operationId": "ai.toolCall",
      "ai.toolCall.name": "add",
      "ai.toolCall.id": "c1",
      "ai.toolCall.args": '{"a":2,"b":2}',
      "ai.toolCall.result": '"4"',
    }),
    span(4, 1, 3, 4, {
      "ai.operationId": "ai.generateText.doGenerate",
      "ai.model.id": "gpt-5",
      "ai.model.provider": "openai.responses",
      "ai.usage.promptTokens": 20,
      "ai.usage.completionTokens": 6,
      "ai.prompt.messages": JSON.stringify([
        ...[system, user, { role: "assistant", content: [call] }],
        {
          role: "tool",
          content: [{ type: "tool-result", toolCallId: "c1", toolName: "add", output: { type: "text", value: "4" } }],
        },
      ]),
      "ai.response.text": "It is 4.",
    }),
    span(1, null, 0, 5, {
      "ai.operationId": "ai.generateText",
      "ai.telemetry.functionId": "adder",
      "ai.prompt": JSON.stringify({ prompt: "What is 2 + 2?" }),
    }),
  ]
}
