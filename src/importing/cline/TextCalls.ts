/** Calls that models write as XML elements in text, as Cline and Roo Code requested before providers had tool calls. */

export interface TextCall {
  readonly tool: string
  readonly args: Readonly<Record<string, string>>
}

const TOOLS = [
  ...[
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_files",
  ],
  ...["list_files", "list_code_definition_names", "browser_action", "use_mcp_tool", "access_mcp_resource", "new_task"],
  ...["ask_followup_question", "attempt_completion", "plan_mode_respond", "load_mcp_documentation", "switch_mode"],
  ...[
    "search_and_replace",
    "fetch_instructions",
    "codebase_search",
    "update_todo_list",
    "web_fetch",
    "new_rule",
    "condense",
  ],
]

const CALL = new RegExp(`<(${TOOLS.join("|")})>([\\s\\S]*?)</\\1>`, "g")

export const callsInText = (text: string): ReadonlyArray<TextCall> =>
  [...text.matchAll(CALL)].map(([, tool = "", inner = ""]) => ({ tool, args: argumentsIn(inner) }))

/** A call's child elements, whose content may be anything. */
const argumentsIn = (inner: string): TextCall["args"] =>
  Object.fromEntries(
    [...inner.matchAll(/<(\w+)>\n?([\s\S]*?)\n?<\/\1>/g)].map(([, name = "", value = ""]) => [name, value]),
  )
