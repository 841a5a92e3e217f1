/** The files of a session's directory, as its calls change them. */

import { is } from "../events/vocabulary/Vocabulary.ts"
import type { BegunRun } from "../record/log/OpenedLog.ts"
import type { RunLog } from "../record/log/RunLog.ts"
import * as Root from "../workspace/Root.ts"
import type { RunningCall } from "../workspace/Suspects.ts"
import * as TaskFiles from "../workspace/TaskFiles.ts"
import type { Workspaces } from "../workspace/Workspaces.ts"

/** Does nothing for tools that only read. */
export interface SessionFiles {
  readonly before: (tool: string, call: RunningCall) => Promise<void>
  /** The client says that it begins a call, and does not wait. */
  readonly announced: (tool: string, call: RunningCall) => Promise<void>
  readonly after: (tool: string, end: TaskFiles.CallEnd) => Promise<void>
  /** A call that no hook was asked about. */
  readonly unexpected: (tool: string, call: RunningCall) => Promise<void>
  /** Calls that did not run, or whose end nobody will tell. */
  readonly withdrawn: (...commandIds: ReadonlyArray<string>) => Promise<void>
  readonly look: () => Promise<void>
  readonly leave: () => void
}

interface SessionFilesOptions {
  /** Undefined if files are not recorded; `nowhere` if the log is on a server, next to which no contents can be kept. */
  readonly workspaces: Workspaces | "nowhere" | undefined
  /** Where the session began; empty if the client did not say. */
  readonly cwd: string
  readonly begun: BegunRun
  readonly source: string
  readonly tell: RunLog["tell"]
}

/** The session's task says once if its directory's files cannot be recorded. */
export const make = ({ workspaces, cwd, begun, source, tell }: SessionFilesOptions): SessionFiles => {
  if (workspaces === undefined) return NONE
  const found = rootOf(cwd, workspaces)
  const { past, openedBy } = begun
  if ("refused" in found) {
    let isSaid = past.some(
      (event) => is(event, "CaptureNoted") && event.payload.unseen.some(({ what }) => what === WHAT),
    )
    const say = async () => {
      if (isSaid) return
      isSaid = true
      await tell({
        type: "CaptureNoted",
        payload: { source, unseen: [{ what: WHAT, target: found.refused, count: 1 }] },
      })
    }
    return { ...NONE, before: say, unexpected: say }
  }
  const files = TaskFiles.make({ workspaces: found.workspaces, root: found.root, past, openedBy, source, tell })
  const announced = new Set<string>()
  const isReader = (tool: string) => READERS.has(tool.toLowerCase())
  /** Handles a call unless its tool only reads, as clients may tell of a call that they announced as another. */
  const unlessReader = async (tool: string, commandId: string, handle: () => Promise<void>): Promise<void> => {
    const isAnnounced = announced.delete(commandId)
    if (!isReader(tool)) await handle()
    else if (isAnnounced) await files.withdrawn(commandId)
  }
  return {
    before: (tool, call) => unlessReader(tool, call.commandId, () => files.before(call)),
    announced: async (tool, call) => {
      if (isReader(tool)) return
      announced.add(call.commandId)
      await files.announced(call)
    },
    after: (tool, end) => unlessReader(tool, end.commandId, () => files.after(end)),
    unexpected: async (tool, call) => {
      // The editor's part of a call that the agent announced changes nothing by itself.
      if (EDITORS.test(tool) && announced.size > 0) return
      await unlessReader(tool, call.commandId, () => files.unexpected(call))
    },
    withdrawn: async (...commandIds) => {
      for (const commandId of commandIds) announced.delete(commandId)
      await files.withdrawn(...commandIds)
    },
    look: files.look,
    leave: files.leave,
  }
}

const rootOf = (cwd: string, workspaces: Workspaces | "nowhere") => {
  if (workspaces === "nowhere") return { refused: "their contents would be next to the log, which is on a server" }
  if (cwd === "") return { refused: "the client names no directory" }
  const root = Root.around(cwd)
  return "refused" in root ? root : { ...root, workspaces }
}

const WHAT = "the files of the session's directory"

const nothing = async () => {}

const NONE: SessionFiles = {
  before: nothing,
  announced: nothing,
  after: nothing,
  unexpected: nothing,
  withdrawn: nothing,
  look: nothing,
  leave: () => {},
}

/** Requests of an agent that its editor carries out (ACP). */
const EDITORS = /^(fs|terminal)\//

/** Tools of the clients that change no file, in lower case. Any other tool may. */
const READERS: ReadonlySet<string> = new Set(
  [
    // Claude Code, Qwen Code, opencode
    ["read", "grep", "glob", "ls", "list", "webfetch", "websearch", "todowrite", "todoread", "notebookread"],
    ["askuserquestion", "exitplanmode", "enterplanmode", "taskoutput", "bashoutput", "toolsearch"],
    // Gemini CLI
    ["read_file", "read_many_files", "list_directory", "search_file_content", "grep_search", "google_web_search"],
    ["web_fetch", "write_todos"],
    // Codex, Copilot, Cursor
    ["view_image", "update_plan", "web_search", "view", "read_bash", "report_intent"],
    // Kinds of ACP
    ["search", "think", "fetch", "switch_mode", "fs/read_text_file"],
  ].flat(),
)
