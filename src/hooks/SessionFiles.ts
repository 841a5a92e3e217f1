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
  readonly after: (tool: string, commandId: string, end: string) => Promise<void>
  /** A call that no hook was asked about. */
  readonly unexpected: (tool: string, call: RunningCall) => Promise<void>
  readonly look: () => Promise<void>
  readonly leave: () => void
}

interface SessionFilesOptions {
  /** Undefined if files are not recorded. */
  readonly workspaces: Workspaces | undefined
  /** Where the session began; empty if the client did not say. */
  readonly cwd: string
  readonly begun: BegunRun
  readonly source: string
  readonly tell: RunLog["tell"]
}

/** The session's task says once if its directory's files cannot be recorded. */
export const make = ({ workspaces, cwd, begun, source, tell }: SessionFilesOptions): SessionFiles => {
  if (workspaces === undefined) return NONE
  const found = cwd === "" ? { refused: "the client names no directory" } : Root.around(cwd)
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
  const files = TaskFiles.make({ workspaces, root: found.root, past, openedBy, source, tell })
  return {
    before: async (tool, call) => (READERS.has(tool.toLowerCase()) ? undefined : files.before(call)),
    after: async (tool, commandId, end) => (READERS.has(tool.toLowerCase()) ? undefined : files.after(commandId, end)),
    unexpected: async (tool, call) => (READERS.has(tool.toLowerCase()) ? undefined : files.unexpected(call)),
    look: files.look,
    leave: files.leave,
  }
}

const WHAT = "the files of the session's directory"

const nothing = async () => {}

const NONE: SessionFiles = { before: nothing, after: nothing, unexpected: nothing, look: nothing, leave: () => {} }

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
  ].flat(),
)
