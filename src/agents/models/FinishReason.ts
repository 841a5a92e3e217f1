/** Maps the finish reasons of providers, and of the servers that imitate them, to their meanings. */

export type Meaning = "stop" | "length" | "content-filter" | "error"

/** Ignores case; undefined for a reason that no known provider gives. */
export const meaningOf = (reason: string): Meaning | undefined => MEANINGS.get(reason.toLowerCase())

const MEANINGS: ReadonlyMap<string, Meaning> = new Map([
  ...["stop", "end_turn", "eos", "eos_token", "stop_sequence", "end", "complete", "completed", "finished", "done"].map(
    (reason) => [reason, "stop"] as const,
  ),
  ...["tool_calls", "tool_call", "tool_use", "function_call"].map((reason) => [reason, "stop"] as const),
  ...["length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"].map(
    (reason) => [reason, "length"] as const,
  ),
  ...["content_filter", "content_filtered", "refusal", "safety", "recitation", "blocklist", "prohibited_content"].map(
    (reason) => [reason, "content-filter"] as const,
  ),
  ...["spii", "image_safety", "guardrail_intervened", "sensitive", "error_toxic"].map(
    (reason) => [reason, "content-filter"] as const,
  ),
  ...["error", "malformed_function_call", "unexpected_tool_call", "malformed_model_output", "malformed_tool_use"].map(
    (reason) => [reason, "error"] as const,
  ),
])
