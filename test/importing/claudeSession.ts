/** Records of a session of Claude Code, as its versions 1.0 to 2.1 write them. */

export const SESSION = "0b5f3f3e-7a52-4a4e-9d57-0d7c6c1c2a01"

let count = 0

/** The envelope of a record; each is a second after the one before. */
const envelope = (more: object) => {
  count += 1
  return {
    uuid: `uuid-${count}`,
    parentUuid: count === 1 ? null : `uuid-${count - 1}`,
    sessionId: SESSION,
    isSidechain: false,
    cwd: "/repo",
    version: "2.1.0",
    timestamp: new Date(Date.UTC(2026, 0, 1, 12, 0, count)).toISOString(),
    ...more,
  }
}

/** Begins a new session. */
const begin = (): void => {
  count = 0
}

export const user = (content: unknown, more: object = {}) =>
  envelope({ type: "user", message: { role: "user", content }, ...more })

/** The first prompt of a new session. */
export const first = (content: unknown, more: object = {}) => {
  begin()
  return user(content, more)
}

export const result = (
  toolUseId: string,
  content: unknown,
  more: { readonly is_error?: boolean; readonly result?: unknown } = {},
) =>
  envelope({
    type: "user",
    message: {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: toolUseId,
          content,
          ...(more.is_error === undefined ? {} : { is_error: more.is_error }),
        },
      ],
    },
    ...(more.result === undefined ? {} : { toolUseResult: more.result }),
  })

export const assistant = (
  id: string,
  block: object,
  more: object = {},
  usage: object = { input_tokens: 10, output_tokens: 5 },
) =>
  envelope({
    type: "assistant",
    requestId: `req-${id}`,
    message: { id, role: "assistant", model: "claude-opus-4", content: [block], usage },
    ...more,
  })

export const text = (said: string) => ({ type: "text", text: said })

export const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input })

export const other = (type: string, more: object = {}) => envelope({ type, ...more })

/** A session that reads a file, edits it, runs the tests, and says so. */
export const session = () => {
  begin()
  return [
    { type: "summary", summary: "Fix the sum", leafUuid: "x" },
    user("Fix the sum in sum.ts"),
    assistant("msg-1", { type: "thinking", thinking: "I read it first." }),
    assistant("msg-1", call("read-1", "Read", { file_path: "/repo/sum.ts" })),
    assistant(
      "msg-1",
      call("bash-1", "Bash", { command: "npm test" }),
      {},
      { input_tokens: 10, output_tokens: 30, cache_read_input_tokens: 90 },
    ),
    result("read-1", "1→return a - b", {
      result: {
        type: "text",
        file: { filePath: "/repo/sum.ts", content: "return a - b\n", startLine: 1, numLines: 1, totalLines: 1 },
      },
    }),
    result("bash-1", "1 failed", { is_error: true }),
    assistant("msg-2", call("edit-1", "Edit", { file_path: "/repo/sum.ts", old_string: "a - b", new_string: "a + b" })),
    result("edit-1", "The file was updated.", { result: { filePath: "/repo/sum.ts", originalFile: "return a - b\n" } }),
    assistant("msg-3", call("write-1", "Write", { file_path: "/repo/a~b/c.ts", content: "x" })),
    result("write-1", "created", { result: { type: "create", filePath: "/repo/a~b/c.ts", originalFile: null } }),
    assistant("msg-4", text("It adds now.")),
  ]
}
