/** Reads many blobs of a repository in few runs of Git. */

import { Effect } from "effect"
import { type Git, GitFailed } from "./Git.ts"

/** Sizes of blobs in bytes by id, without those that the repository lacks. */
export type Sizes = ReadonlyMap<string, number>

/** Looks up the sizes of blobs in one run. */
export const sizes = (git: Git, ids: ReadonlyArray<string>): Effect.Effect<Sizes, GitFailed> =>
  ids.length === 0
    ? Effect.succeed(new Map())
    : Effect.map(git.run(["cat-file", "--batch-check"], { input: asLines(ids) }), (said) => {
        const found = said.toString("latin1").matchAll(/^([0-9a-f]+) blob (\d+)$/gm)
        return new Map([...found].map(([, id = "", size]) => [id, Number(size)]))
      })

/** Maximum size of the contents that one run reads, unless a single file is larger. */
const GROUP_BYTES = 32 * 1024 * 1024

/** Divides files into groups whose contents fit into memory together. */
export function* grouped<File extends { readonly blobs: ReadonlyArray<string> }>(
  files: ReadonlyArray<File>,
  known: Sizes,
): Iterable<ReadonlyArray<File>> {
  let group: Array<File> = []
  let bytes = 0
  for (const file of files) {
    const own = file.blobs.reduce((sum, id) => sum + (known.get(id) ?? 0), 0)
    if (group.length > 0 && bytes + own > GROUP_BYTES) {
      yield group
      group = []
      bytes = 0
    }
    group.push(file)
    bytes += own
  }
  if (group.length > 0) yield group
}

/** Reads contents by their ids in one run. Fails if one of them is missing. */
export const contents = (
  git: Git,
  ids: ReadonlyArray<string>,
  known: Sizes,
): Effect.Effect<ReadonlyMap<string, Uint8Array>, GitFailed> =>
  Effect.suspend(() => {
    const unique = [...new Set(ids)]
    if (unique.length === 0) return Effect.succeed(new Map())
    const maxBytes = unique.reduce((sum, id) => sum + (known.get(id) ?? 0) + HEADER_BYTES, 0)
    return Effect.flatMap(git.run(["cat-file", "--batch"], { input: asLines(unique), maxBytes }), (said) => {
      const found = new Map<string, Uint8Array>()
      let at = 0
      for (const id of unique) {
        const end = said.indexOf(10, at)
        const [, size] = /^[0-9a-f]+ blob (\d+)$/.exec(said.toString("latin1", at, Math.max(at, end))) ?? []
        if (size === undefined) return new GitFailed({ directory: git.root, expected: `the blob ${id}`, found: "none" })
        found.set(id, said.subarray(end + 1, end + 1 + Number(size)))
        at = end + 1 + Number(size) + 1
      }
      return Effect.succeed(found)
    })
  })

/** More than the line before a content, with its line feed. */
const HEADER_BYTES = 128

const asLines = (ids: ReadonlyArray<string>): string => ids.map((id) => `${id}\n`).join("")
