import * as fs from "node:fs"
import * as path from "node:path"
import * as ClaudeCode from "../../../src/hooks/clients/ClaudeCode.ts"
import * as Sessions from "../../../src/hooks/Sessions.ts"
import type { GateConfig } from "../../../src/kernel/gate/Gate.ts"
import type { Json } from "../../../src/values/Json.ts"
import { eventsOf, temporary } from "../../record/recorded.ts"
import * as FromSource from "../fromSource.ts"

/** A project whose sessions hooks record, and the command line in it. */
export const project = async (
  gate?: GateConfig,
  { root = temporary("project"), log = temporary("files.db") }: { readonly root?: string; readonly log?: string } = {},
) => {
  fs.mkdirSync(root, { recursive: true })
  const open = () => Sessions.open({ log, gate: async () => gate })
  let sessions = await open()
  const at = (file: string) => path.join(root, file)
  const write = (file: string, content: string | Uint8Array) => {
    fs.mkdirSync(path.dirname(at(file)), { recursive: true })
    fs.writeFileSync(at(file), content)
  }
  const session = (session_id = "s-1", cwd = root) => {
    const take = (hook_event_name: string, more: object) => {
      const payload: Json = { session_id, cwd, hook_event_name, ...more }
      const moment = ClaudeCode.client.read(payload)
      if (moment === undefined) throw new Error("not read")
      return sessions.take(ClaudeCode.client, moment)
    }
    let calls = 0
    return {
      prompt: (prompt: string) => take("UserPromptSubmit", { prompt }),
      /** A call during which `work` happens. */
      call: async (tool_name: string, tool_input: object, work: () => unknown = () => {}) => {
        const tool_use_id = `${session_id}-${++calls}`
        const asked = take("PreToolUse", { tool_use_id, tool_name, tool_input })
        const verdict = await asked
        await work()
        await take("PostToolUse", { tool_use_id, tool_name, tool_input, tool_response: "done" })
        return verdict
      },
      begin: (tool_use_id: string, tool_name: string, tool_input: object) =>
        take("PreToolUse", { tool_use_id, tool_name, tool_input }),
      finish: (tool_use_id: string, tool_name: string, tool_input: object) =>
        take("PostToolUse", { tool_use_id, tool_name, tool_input, tool_response: "done" }),
      end: () => take("SessionEnd", { reason: "exit" }),
    }
  }
  const files = async (...words: ReadonlyArray<string>) => {
    const before = process.cwd()
    process.chdir(root)
    try {
      const end = words.includes("--") ? words.indexOf("--") : words.length
      return await FromSource.run(["files", ...words.slice(0, end), "--log", log, ...words.slice(end)])
    } finally {
      process.chdir(before)
    }
  }
  return {
    root,
    log,
    at,
    write,
    session,
    /** Closes the recorder, as at the end of its process. */
    close: () => sessions.close(),
    reopen: async () => {
      sessions = await open()
    },
    files,
    /** The document of a command that has to succeed. */
    json: async (...words: ReadonlyArray<string>) => {
      const said = await files(...words, "--json")
      if (said.code !== 0) throw new Error(said.error)
      return JSON.parse(said.stdout)
    },
  }
}

export type Project = Awaited<ReturnType<typeof project>>

/** A session that changes files by a shell, and the moments before and after. */
export const worked = async (
  files: Readonly<Record<string, string | Uint8Array>>,
  work: (project: Project) => unknown,
) => {
  const made = await project()
  for (const [file, content] of Object.entries(files)) made.write(file, content)
  const { prompt, call } = made.session()
  await prompt("improve it")
  await call("Bash", { command: "work" }, () => work(made))
  await made.close()
  const events = await eventsOf(made.log)
  const start = events.find(({ type }) => type === "EnvironmentReset")
  return { ...made, before: `@${start?.position}`, after: `@${events.at(-1)?.position}` }
}

/** All that is below a directory: the reference. */
export const onDisk = (root: string, directory = ""): ReadonlyArray<string> =>
  fs.readdirSync(path.join(root, directory), { withFileTypes: true }).flatMap((entry): ReadonlyArray<string> => {
    const file = path.posix.join(directory, entry.name)
    if (entry.isDirectory()) return onDisk(root, file)
    const place = path.join(root, file)
    const { mode } = fs.lstatSync(place)
    if (entry.isFIFO()) return [`${file} fifo`]
    const bytes = entry.isSymbolicLink() ? fs.readlinkSync(place, { encoding: "buffer" }) : fs.readFileSync(place)
    return [`${file} ${entry.isSymbolicLink()} ${(mode & 0o7777).toString(8)} ${bytes.toString("hex")}`]
  })
