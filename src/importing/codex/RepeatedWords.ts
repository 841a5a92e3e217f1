/** Finds repetitions in rollouts, which tell some things twice: as a conversation item and as a screen event. */

export const TOLD_TWICE = new Map([
  ["agent_reasoning", "it repeats an item of reasoning"],
  ["agent_reasoning_raw_content", "it repeats an item of reasoning"],
  ["agent_reasoning_section_break", "it holds nothing"],
  ["exec_command_begin", "it repeats a call"],
  ["exec_command_output_delta", "it repeats a part of a result"],
  ["exec_command_end", "it repeats a result"],
  ["mcp_tool_call_begin", "it repeats a call"],
  ["mcp_tool_call_end", "it repeats a result"],
  ["patch_apply_begin", "it repeats a call"],
  ["patch_apply_end", "it repeats a result"],
  ["web_search_begin", "it repeats a call"],
  ["web_search_end", "it repeats a call"],
])

/** Screen items (since 0.170) that repeat a conversation item. */
export const ITEMS_TOLD_TWICE = new Map([
  ["Reasoning", "it repeats an item of reasoning"],
  ["CommandExecution", "it repeats a result"],
  ["FileChange", "it repeats a result"],
  ["McpToolCall", "it repeats a result"],
  ["DynamicToolCall", "it repeats a result"],
  ["CollabAgentToolCall", "it repeats a result"],
  ["WebSearch", "it repeats a call"],
])

export interface Words {
  readonly text: string
  readonly by: "event" | "item"
  readonly key: string
  readonly at: number | null
}

/** Remembers the last text of the person and of the agent. */
export class RepeatedWords {
  readonly #last = new Map<"user" | "agent", Words>()

  /** Whether the text repeats the last one in the other form. */
  isRepeated(who: "user" | "agent", words: Words): boolean {
    const last = this.#last.get(who)
    if (last !== undefined && last.by !== words.by && last.text === words.text) {
      this.#last.delete(who)
      return true
    }
    this.#last.set(who, words)
    return false
  }

  /** Takes the agent's last text if only an event has contained it so far. */
  takeOfEvent(): Words | undefined {
    const words = this.#last.get("agent")
    if (words?.by !== "event") return undefined
    this.#last.delete("agent")
    return words
  }
}
