/**
 * Copies files that snapshots leave out, such as `node_modules`, because a command needs them. Only reads the
 * originals.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { visitInSlices } from "../../platform/yieldToEventLoop.ts"
import type { Contents } from "../history/Content.ts"
import type { Entry, Tree } from "../model/Entry.ts"
import * as RestorablePaths from "../restore/RestorablePaths.ts"
import * as ReadFile from "../scan/ReadFile.ts"
import { digestOf } from "../store/ContentStore.ts"
import * as LeadingOut from "./LeadingOut.ts"

export class NotCopyable extends Data.TaggedError("NotCopyable")<{ readonly path: string; readonly found: string }> {
  override get message() {
    return `--copy ${this.path}: expected a file or directory of the workspace that snapshots leave out, found ${this.found}.`
  }
}

export interface CopiedFiles {
  readonly tree: Tree
  readonly contents: Contents
  /** Links that lead out of the workspace. */
  readonly leadingOut: ReadonlyArray<string>
  /** Files that cannot be read, or that change during the reading. */
  readonly left: ReadonlyArray<string>
}

/**
 * Reads the files at paths below the root. Follows a link that is such a path itself; links below it stay links.
 *
 * @param root an absolute path without links
 * @param recorded all files of the recorded states, which are never copied
 */
export const of = (
  root: string,
  paths: ReadonlyArray<string>,
  recorded: Tree,
): Effect.Effect<CopiedFiles, NotCopyable> =>
  Effect.gen(function* () {
    const found: Array<{ readonly file: string; readonly place: string }> = []
    for (const one of paths) {
      const place = yield* placeOf(root, one)
      const files = yield* Effect.try({
        try: () => filesIn(place),
        catch: (cause) => new NotCopyable({ path: one, found: cause instanceof Error ? cause.message : String(cause) }),
      })
      for (const file of files)
        found.push({ file: file === "" ? one : `${one}/${file}`, place: path.join(place, file) })
    }
    const tree = new Map<string, Entry>()
    const places = new Map<string, string>()
    const left: Array<string> = []
    const leadingOut: Array<string> = []
    yield* visitInSlices(found, ({ file, place }) => {
      const known = recorded.get(file)
      if (known !== undefined && known.omitted === undefined) return
      const stats = fs.lstatSync(place, { throwIfNoEntry: false })
      if (stats === undefined || !(stats.isFile() || stats.isSymbolicLink())) return
      const read = ReadFile.read(place, stats, MAX_BYTES)
      if (read.kind !== "content") return void left.push(file)
      const digest = digestOf(read.bytes)
      const kind = stats.isSymbolicLink() ? "link" : "file"
      if (kind === "link" && LeadingOut.leadsOut(file, read.bytes.toString())) leadingOut.push(file)
      tree.set(file, { kind, mode: stats.mode & 0o777, size: read.bytes.length, digest })
      places.set(digest, place)
    })
    const get = (digest: string) => {
      const place = places.get(digest)
      const stats = place === undefined ? undefined : fs.lstatSync(place, { throwIfNoEntry: false })
      if (place === undefined || stats === undefined) return undefined
      const read = ReadFile.read(place, stats, MAX_BYTES)
      return read.kind === "content" && digestOf(read.bytes) === digest ? read.bytes : undefined
    }
    return { tree, contents: { get }, leadingOut, left }
  })

/** Above any file that a build leaves. */
const MAX_BYTES = 512 * 1024 * 1024

const placeOf = (root: string, one: string): Effect.Effect<string, NotCopyable> =>
  Effect.suspend(() => {
    const refusal = RestorablePaths.refused(new Map([[one, { kind: "file", mode: 0, size: 0 }]])).get(one)
    if (refusal === "repository") return new NotCopyable({ path: one, found: "Git's own files" })
    if (refusal !== undefined) return new NotCopyable({ path: one, found: "a path that leads out of it" })
    try {
      return Effect.succeed(fs.realpathSync(path.join(root, one)))
    } catch {
      return new NotCopyable({ path: one, found: `none in ${root}` })
    }
  })

/** The files and links below a directory, without Git's own; for a file, an empty path. */
const filesIn = (place: string): ReadonlyArray<string> => {
  if (!fs.statSync(place).isDirectory()) return [""]
  const files: Array<string> = []
  const pending = [""]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of fs.readdirSync(path.join(place, next), { withFileTypes: true })) {
      const file = next === "" ? entry.name : `${next}/${entry.name}`
      if (entry.isDirectory()) pending.push(file)
      else files.push(file)
    }
  }
  return files
}
