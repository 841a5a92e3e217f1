/** The import of 1,000,000 lines of other agents' sessions by the command line, in a process of its own. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const SESSIONS = 100
const LINES_OF_SESSION = 10_000

const PROGRAM = fileURLToPath(new URL("../programs/measured.mjs", import.meta.url))

export const run = async (directory, _rounds, say) => {
  const sessions = path.join(directory, "sessions")
  fs.mkdirSync(sessions)
  say(`writing ${(SESSIONS * LINES_OF_SESSION).toLocaleString("en")} lines of ${SESSIONS} sessions`)
  for (let session = 0; session < SESSIONS; session++) writeSession(sessions, session)
  say("importing them")
  const args = ["import", sessions, "--log", path.join(directory, "imported.db"), "--json"]
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], { encoding: "utf8" })
  if (status !== 0) throw new Error(`hindcast ${args.join(" ")} ended with ${status}: ${stderr}`)
  const { added } = JSON.parse(stdout)
  const { ms, cpuMs, peakMiB } = JSON.parse(stderr.trim().split("\n").at(-1))
  return [
    {
      what: "import 1,000,000 lines of sessions: events",
      unit: "k/s",
      ours: added / ms,
      bound: { at: "least", value: 20, of: "ours" },
    },
    {
      what: "the same, by processor time",
      unit: "k/s",
      ours: added / cpuMs,
      bound: { at: "least", value: 20, of: "ours" },
    },
    {
      what: "most memory while importing them",
      unit: "MiB",
      ours: peakMiB,
      bound: { at: "most", value: 250, of: "ours" },
    },
  ]
}

const writeSession = (directory, session) => {
  const sessionId = `0b5f3f3e-7a52-4a4e-9d57-${String(session).padStart(12, "0")}`
  let text = ""
  for (let line = 0; line < LINES_OF_SESSION; line++) text += `${JSON.stringify(record(sessionId, line))}\n`
  fs.writeFileSync(path.join(directory, `${sessionId}.jsonl`), text)
}

/** A prompt, then calls and their results by turns, then an answer. */
const record = (sessionId, line) => {
  const content = contentOf(line)
  const role = line % 2 === 1 ? "assistant" : "user"
  return {
    ...{
      type: role,
      uuid: `${sessionId}-${line}`,
      parentUuid: line === 0 ? null : `${sessionId}-${line - 1}`,
      sessionId,
    },
    ...{ cwd: "/repo", version: "2.1.0", timestamp: new Date(Date.UTC(2026, 0, 1) + line * 1_000).toISOString() },
    message:
      role === "user"
        ? { role, content }
        : {
            ...{ id: `message-${line}`, role, model: "claude-opus-4", content },
            usage: { input_tokens: 100, output_tokens: 20 },
          },
  }
}

const contentOf = (line) => {
  if (line === 0) return "Make the tests pass"
  if (line === LINES_OF_SESSION - 1) return [{ type: "text", text: "They pass." }]
  return line % 2 === 1
    ? [{ type: "tool_use", id: `call-${line}`, name: "Bash", input: { command: `npm test -- ${line}` } }]
    : [{ type: "tool_result", tool_use_id: `call-${line - 1}`, content: "ok ".repeat(20) }]
}
