/** Sessions of Claude Code. */
import { OUTPUT, stamp, uuid, writeLines } from "./lines.mjs"

const SESSIONS = 100
const LINES = 10_000

export const what = "1,000,000 lines of sessions of Claude Code"

export const write = (directory) => {
  for (let session = 0; session < SESSIONS; session++)
    writeLines(
      directory,
      `${uuid(session)}.jsonl`,
      Array.from({ length: LINES }, (_, line) => record(uuid(session), line)),
    )
}

/** A prompt, alternating calls and results, and an answer. */
const record = (sessionId, line) => {
  const content = contentOf(line)
  const role = line % 2 === 1 ? "assistant" : "user"
  return {
    type: role,
    uuid: `${sessionId}-${line}`,
    parentUuid: line === 0 ? null : `${sessionId}-${line - 1}`,
    sessionId,
    cwd: "/repo",
    version: "2.1.0",
    timestamp: stamp(line),
    message:
      role === "user"
        ? { role, content }
        : {
            id: `message-${line}`,
            role,
            model: "claude-opus-4",
            content,
            usage: { input_tokens: 100, output_tokens: 20 },
          },
  }
}

const contentOf = (line) => {
  if (line === 0) return "Make the tests pass"
  if (line === LINES - 1) return [{ type: "text", text: "They pass." }]
  return line % 2 === 1
    ? [{ type: "tool_use", id: `call-${line}`, name: "Bash", input: { command: `npm test -- ${line}` } }]
    : [{ type: "tool_result", tool_use_id: `call-${line - 1}`, content: OUTPUT }]
}
