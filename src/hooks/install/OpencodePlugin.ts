/** Hindcast's plugin for opencode, which has no hooks by command: a module that passes its events to the hook's command. */

import * as path from "node:path"
import { type HookCommand, type Installer, placed } from "./Installer.ts"
import * as OwnFile from "./OwnFile.ts"

/** The plugin's text. opencode drops a plugin that fails to load, so it uses only Node's own modules. */
const textOf = ([
  program,
  ...args
]: HookCommand): string => `// Written by \`hindcast hooks install opencode\`. \`hindcast hooks uninstall opencode\` removes it.
import { spawn } from "node:child_process"

const PROGRAM = ${JSON.stringify(program)}
const ARGS = ${JSON.stringify(args)}

/** Passes one event to the hook's command. */
const told = (payload) =>
  new Promise((resolve) => {
    const child = spawn(PROGRAM, ARGS, { stdio: ["pipe", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    child.stdout.on("data", (piece) => (stdout += piece))
    child.stderr.on("data", (piece) => (stderr += piece))
    child.on("error", (error) => resolve({ code: 2, stdout, stderr: String(error) }))
    child.on("close", (code) => resolve({ code, stdout, stderr }))
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(payload))
  })

/** The reason why a call is refused; undefined if it may run. Every failure refuses. */
const refusalOf = ({ code, stdout, stderr }) => {
  if (code !== 0) return stderr.trim() || "Hindcast's hook failed, so nothing was let pass"
  if (stdout.trim() === "") return undefined
  try {
    const { permissionDecision, permissionDecisionReason } = JSON.parse(stdout).hookSpecificOutput
    return permissionDecision === "allow" ? undefined : String(permissionDecisionReason)
  } catch {
    return "Hindcast's hook answered something else than JSON, so nothing was let pass"
  }
}

export const Hindcast = async ({ directory }) => {
  // The last answer of each session, which opencode sends piece by piece.
  const answers = new Map()
  const event = (hook_event_name, session_id, more) => told({ hook_event_name, session_id, cwd: directory, ...more })
  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, { args }) => {
      const refusal = refusalOf(
        await event("PreToolUse", sessionID, { tool_name: tool, tool_input: args, tool_use_id: callID }),
      )
      if (refusal !== undefined) throw new Error(refusal)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, { output }) => {
      await event("PostToolUse", sessionID, {
        tool_name: tool,
        tool_input: args ?? {},
        tool_use_id: callID,
        tool_response: output,
      })
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\\n")
      await event("UserPromptSubmit", sessionID, { prompt })
    },
    event: async ({ event: { type, properties } }) => {
      const part = type === "message.part.updated" ? properties.part : undefined
      // A part of an answer has an end; a part of a prompt has none.
      if (part?.type === "text" && part.time?.end !== undefined) answers.set(part.sessionID, part.text)
      if (type === "session.idle" && answers.has(properties.sessionID)) {
        const last_assistant_message = answers.get(properties.sessionID)
        answers.delete(properties.sessionID)
        await event("Stop", properties.sessionID, { last_assistant_message })
      }
      // \`tool.execute.after\` is not called for a call that failed.
      if (part?.type === "tool" && part.state?.status === "error") {
        const { tool, sessionID, callID, state } = part
        await event("PostToolUseFailure", sessionID, {
          tool_name: tool,
          tool_input: state.input ?? {},
          tool_use_id: callID,
          error: state.error,
        })
      }
    },
  }
}
`

export const installer: Installer = {
  name: "opencode",
  file: (place) => {
    if (place.project !== undefined) return placed(place, ".opencode", "plugin", "hindcast.js")
    const config = place.env("XDG_CONFIG_HOME")
    return config === undefined
      ? placed(place, ".config", "opencode", "plugin", "hindcast.js")
      : path.join(config, "opencode", "plugin", "hindcast.js")
  },
  ...OwnFile.of(textOf),
  limits: [
    "opencode drops a plugin that fails to load, and says nothing.",
    "opencode reports no end of a session: Hindcast closes it after an hour of silence.",
  ],
}
