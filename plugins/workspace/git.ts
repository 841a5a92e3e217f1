/** Reads the workspace's git status. */
import type { Json, JsonObject, PluginContext } from "hindcast/plugin"

/** Maximum number of entries in a reading; beyond it, the reading is `truncated`. */
export const MAX_STATUS_ENTRIES = 1_000

/**
 * A `git status` without side effects: takes no lock and starts no file system monitor (a program that the repository's
 * configuration names).
 */
const STATUS = [
  "--no-optional-locks",
  ...["-c", "core.fsmonitor=false"],
  ...["status", "--porcelain=v2", "--branch", "--untracked-files=normal", "-z", "--", "."],
]

/**
 * Branch, head and status of the workspace's repository, or `{ repository: false, reason }` if there is none or git
 * fails.
 */
export const readGit = async ({ run }: Pick<PluginContext, "run">): Promise<JsonObject> => {
  try {
    const { code, stdout, stderr } = await run("git", STATUS)
    return code === 0
      ? parseStatus(stdout)
      : noRepository(stderr.trim().split("\n")[0] || `git ended with code ${code}`)
  } catch (error) {
    return noRepository(error instanceof Error ? error.message : String(error))
  }
}

const noRepository = (reason: string): JsonObject => ({ repository: false, reason })

/**
 * Parses `status --porcelain=v2 --branch -z` (https://git-scm.com/docs/git-status#_porcelain_format_version_2).
 * `status` is git's pair of letters for index and work tree: `.` for unchanged, `??` for untracked. Paths start at the
 * repository's root.
 */
export const parseStatus = (output: string): JsonObject => {
  const lines = output.split("\0")
  const headers = new Map<string, string>()
  const entries: Array<JsonObject> = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    const header = /^# (\S+) (.*)$/s.exec(line)
    if (header?.[1] !== undefined) headers.set(header[1], header[2] ?? "")
    // A renamed file's old path follows.
    else if (line.startsWith("2 ")) entries.push({ ...entryOf(line), from: lines[++index] ?? "" })
    else if (line !== "") entries.push(entryOf(line))
  }
  const [, ahead, behind] = /^\+(\d+) -(\d+)$/.exec(headers.get("branch.ab") ?? "") ?? []
  return {
    repository: true,
    branch: nullIf("(detached)", headers.get("branch.head")),
    head: nullIf("(initial)", headers.get("branch.oid")),
    upstream: headers.get("branch.upstream") ?? null,
    ahead: ahead === undefined ? null : Number(ahead),
    behind: behind === undefined ? null : Number(behind),
    entries: entries.slice(0, MAX_STATUS_ENTRIES),
    truncated: entries.length > MAX_STATUS_ENTRIES,
  }
}

const nullIf = (nothing: string, value: string | undefined): Json =>
  value === undefined || value === nothing ? null : value

/** Number of fields before the path, by kind of line. */
const FIELDS_BEFORE_PATH = new Map([
  ["1", 8],
  ["2", 9],
  ["u", 10],
])

const entryOf = (line: string): JsonObject => {
  const fields = line.split(" ")
  const before = FIELDS_BEFORE_PATH.get(fields[0] ?? "")
  if (before === undefined) return { path: line.slice(2), status: "??" }
  return { path: fields.slice(before).join(" "), status: fields[1] ?? "" }
}
