/** Finds who wrote the lines of files: of a commit, by its content, or of the recorded files at a moment. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { isInside } from "../../plugins/manifest/paths.ts"
import * as Time from "../../values/Time.ts"
import type { AttributedFile } from "../../workspace/attributions/AttributedFiles.ts"
import * as AttributedFiles from "../../workspace/attributions/AttributedFiles.ts"
import * as WrittenLines from "../../workspace/attributions/WrittenLines.ts"
import * as CommitFiles from "../../workspace/git/CommitFiles.ts"
import * as Git from "../../workspace/git/Git.ts"
import * as Content from "../../workspace/history/Content.ts"
import * as FileVersions from "../../workspace/history/FileVersions.ts"
import * as RecordedContent from "../../workspace/questions/RecordedContent.ts"
import type { RecordedFiles } from "../../workspace/questions/RecordedFiles.ts"
import { reading } from "../../workspace/questions/RecordedFiles.ts"
import * as Text from "../terminal/Text.ts"

export interface Attributed {
  readonly files: ReadonlyArray<AttributedFile>
  readonly commit: string | undefined
  /** RFC 3339: of the commit, else of the last recorded change. */
  readonly timestamp: string
  /** Files whose lines nobody can attribute. */
  readonly leftOut: ReadonlyArray<{ readonly path: string; readonly why: string }>
}

/** The lines that a commit added. */
export const ofCommit = (recorded: RecordedFiles, git: Git.Git, revision: string) =>
  Effect.gen(function* () {
    const { root, looks, entryIn } = recorded
    // Elsewhere, in another clone, the recorded directory was the repository's root.
    const prefix = isInside(root, git.root) ? path.relative(git.root, root).split(path.sep).join("/") : ""
    const inWorkspace = (file: string) =>
      prefix === "" ? file : file.startsWith(`${prefix}/`) ? file.slice(prefix.length + 1) : undefined
    const isRecorded = (file: string) => {
      const own = inWorkspace(file)
      return own !== undefined && FileVersions.hasPath(looks, own, entryIn)
    }
    const { commit, committedAt, files, leftOut } = yield* CommitFiles.of(git, revision, isRecorded)
    const found = yield* linesOf(
      recorded,
      files.map(({ path, text }) => ({ path, own: inWorkspace(path) ?? path, text })),
    )
    return {
      files: found.map(({ path, lines }, index) => ({
        path,
        lines: lines.filter(({ line }) => files[index]?.added.has(line)),
      })),
      commit,
      timestamp: committedAt ?? (yield* lastOf(looks)),
      leftOut,
    } satisfies Attributed
  })

/** The time of the last look at the files. */
const lastOf = (looks: RecordedFiles["looks"]): Effect.Effect<string> => {
  const at = looks.at(-1)?.event.occurredAt
  return at === undefined
    ? Effect.dieMessage("recorded files have a look at their start")
    : Effect.succeed(Time.dateOf(at).toISOString())
}

/** All lines of the files that changed while they were recorded. */
export const atMoment = (recorded: RecordedFiles) =>
  Effect.gen(function* () {
    const { looks, treeOf, store } = recorded
    const tree = yield* RecordedContent.treeAfter(recorded, looks)
    const changed = FileVersions.pathsIn(
      looks.filter(({ base }) => base === undefined),
      treeOf,
    )
    const texts: Array<{ readonly path: string; readonly own: string; readonly text: Uint8Array }> = []
    const leftOut: Array<{ readonly path: string; readonly why: string }> = []
    for (const file of [...changed].sort()) {
      const entry = tree.get(file)
      if (entry?.kind !== "file") continue
      const content = yield* reading(() => Content.of(entry, store))
      if (content.kind === "text") texts.push({ path: file, own: file, text: content.bytes })
      else leftOut.push({ path: file, why: content.kind === "unknown" ? Content.WHY[content.why] : content.kind })
    }
    return {
      files: yield* linesOf(recorded, texts),
      commit: undefined,
      timestamp: yield* lastOf(looks),
      leftOut,
    } satisfies Attributed
  })

const linesOf = (
  { log, looks, entryIn, store }: RecordedFiles,
  files: ReadonlyArray<{ readonly path: string; readonly own: string; readonly text: Uint8Array }>,
) => {
  const written = WrittenLines.finder(log)
  return Effect.forEach(files, ({ path, own, text }) =>
    Effect.gen(function* () {
      const versions = yield* reading(() => FileVersions.of(looks, own, entryIn))
      return { path, lines: yield* written(versions, text, store) }
    }),
  )
}

/** The numbers of exported and left-out parts. */
export const summaryOf = (
  { files, commit, leftOut: notCompared }: Attributed,
  leftOut: ReadonlyArray<AttributedFiles.LeftOut>,
) => {
  const lines = AttributedFiles.countsOf(files)
  return {
    ...(commit === undefined ? {} : { commit }),
    files: files.filter((file) => file.lines.some(({ by }) => AttributedFiles.isWriter(by))).length,
    lines,
    leftOut: [
      ...leftOut,
      { what: "lines from before the recording, or after its last snapshot", count: lines.older },
      ...notCompared.map(({ path, why }) => ({ what: `${path}: ${why}`, count: 1 })),
    ].filter(({ count }) => count > 0),
  }
}

export const summaryLine = ({ files, lines, leftOut }: ReturnType<typeof summaryOf>, place: string): string =>
  [
    `Attributed ${Text.count(lines.agent, "line")} of ${Text.count(files, "file")} to agents${place}.`,
    ...(leftOut.length === 0
      ? []
      : [`Left out: ${leftOut.map(({ what, count }) => `${count} × ${what}`).join("; ")}.`]),
  ].join(" ")

/** The repository around the working directory: a log from elsewhere names no other one. */
export const repository = Effect.suspend(() => Git.around(fs.realpathSync(process.cwd())))
