/** The command that coding agents run as their hook, and payloads of Claude Code for it. */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { MAIN } from "../built.ts"

/** The program of the hook's command, as it is shipped. */
export const HOOK = path.join(path.dirname(MAIN), "..", "hook.js")

/** Starts the hook's command as a client does. */
export const startHook = (payload: unknown, env: NodeJS.ProcessEnv, args: ReadonlyArray<string> = ["claude-code"]) => {
  const child = spawn(process.execPath, [HOOK, ...args], {
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  })
  child.stdin.on("error", () => {})
  child.stdin.end(typeof payload === "string" || Buffer.isBuffer(payload) ? payload : JSON.stringify(payload))
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
    })
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text
    })
    child.on("error", reject)
    child.on("close", (code) => resolve({ code, stdout, stderr }))
  })
  return { child, ended }
}

/** Runs the hook's command to its end. */
export const hook = (...parts: Parameters<typeof startHook>) => startHook(...parts).ended

export const at = (hook_event_name: string, more: object = {}) => ({
  session_id: "s",
  cwd: "/p",
  hook_event_name,
  ...more,
})
export const bash = (command: string, tool_use_id: string) => ({
  tool_name: "Bash",
  tool_input: { command },
  tool_use_id,
})
