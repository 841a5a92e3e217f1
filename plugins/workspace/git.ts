/** Reads the git status of the workspace by running `git status`, and parses its output. */
import type { Json, JsonObject, PluginContext } from "hindcast/plugin"

/** Maximum number of status entries in a reading. If there are more, the reading has `truncated` set. */
export const MAX_STATUS_ENTRIES = 1_000

/**
 * Arguments of a `git status` without side effects. It takes no lock, and starts no file system monitor (a program that
 * the repository's own configuration names).
 */
const STATUS = [
  "--no-optional-locks",
  ...["-c", "core.fsmonitor=false"],
  ...["status", "--porcelain=v2", "--branch", "--untracked-files=normal", "-z", "--", "."],
]

/**
 * Branch, head and status of the repository that contains the workspace, or `{ repository: false, reason }` if there is
 * none or git fails.
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
 * Parses the output of `status --porcelain=v2 --branch -z`
 * (https://git-scm.com/docs/git-status#_porcelain_format_version_2). `status` is git's pair of letters for index and
 * work tree, with `.` for unchanged and `??` for untracked. Paths are relative to the repository's root.
 */
export const parseStatus = (output: string): JsonObject => {
  const lines = output.split("\0")
  const headers = new Map<string, string>()
  const entries: Array<JsonObject> = []
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? ""
    const header = /^# (\S+) (.*)$/s.exec(line)
    if (header?.[1] !== undefined) headers.set(header[1], header[2] ?? "")
    // The line of a renamed file is followed by its old path.
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

/** The number of fields before the path, by the kind of line. */
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
