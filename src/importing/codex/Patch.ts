/** Applies patches of Codex's `apply_patch` to known file contents. */

/** One patched file. Content: null if unknown, undefined if the file does not exist. */
export interface PatchedFile {
  readonly path: string
  readonly before: string | null | undefined
  readonly after: string | null | undefined
}

const HEADER = /^\*\*\* (Add File|Delete File|Update File|Move to): (.+)$/

/** The files that a patch changes. A hunk that does not fit makes the content unknown. */
export const patched = (
  patch: string,
  known: (path: string) => string | null | undefined,
): ReadonlyArray<PatchedFile> => {
  const files: Array<PatchedFile> = []
  for (const { kind, path, movedTo, lines } of sectionsOf(patch)) {
    const before = known(path)
    if (kind === "Delete File") files.push({ path, before, after: undefined })
    else {
      const after = kind === "Add File" ? added(lines) : typeof before === "string" ? updated(before, lines) : null
      if (movedTo === undefined) files.push({ path, before, after })
      else files.push({ path, before, after: undefined }, { path: movedTo, before: known(movedTo), after })
    }
  }
  return files
}

interface Section {
  readonly kind: string
  readonly path: string
  movedTo: string | undefined
  readonly lines: Array<string>
}

const sectionsOf = (patch: string): ReadonlyArray<Section> => {
  const sections: Array<Section> = []
  for (const line of patch.split("\n")) {
    const [, kind, path] = HEADER.exec(line) ?? []
    const last = sections.at(-1)
    if (kind === "Move to" && last !== undefined) last.movedTo = path
    else if (kind !== undefined && path !== undefined) sections.push({ kind, path, movedTo: undefined, lines: [] })
    else if (!line.startsWith("*** ") && last !== undefined) last.lines.push(line)
  }
  return sections
}

const added = (lines: ReadonlyArray<string>): string =>
  lines.flatMap((line) => (line.startsWith("+") ? [`${line.slice(1)}\n`] : [])).join("")

/** Applies hunks: context lines begin with a space, removed ones with `-`, added ones with `+`. */
const updated = (content: string, lines: ReadonlyArray<string>): string | null => {
  let now = content.split("\n")
  let from = 0
  for (const hunk of hunksOf(lines)) {
    const old = hunk.filter((line) => !line.startsWith("+")).map((line) => line.slice(1))
    const next = hunk.filter((line) => !line.startsWith("-")).map((line) => line.slice(1))
    const at = placeOf(now, old, from)
    if (at < 0) return null
    now = [...now.slice(0, at), ...next, ...now.slice(at + old.length)]
    from = at + next.length
  }
  return now.join("\n")
}

const hunksOf = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const hunks: Array<Array<string>> = []
  for (const line of lines) {
    if (line.startsWith("@@")) hunks.push([])
    else if (/^[ +-]/.test(line)) {
      if (hunks.length === 0) hunks.push([])
      hunks.at(-1)?.push(line)
    }
  }
  return hunks.filter((hunk) => hunk.length > 0)
}

/** The index of the lines at or after `from`; -1 if they do not occur. A hunk without old lines goes to the end. */
const placeOf = (lines: ReadonlyArray<string>, old: ReadonlyArray<string>, from: number): number => {
  if (old.length === 0) return lines.at(-1) === "" ? lines.length - 1 : lines.length
  for (let at = from; at + old.length <= lines.length; at++)
    if (old.every((line, index) => lines[at + index] === line)) return at
  return -1
}
