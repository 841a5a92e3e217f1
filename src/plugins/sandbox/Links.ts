/**
 * Checks that no symbolic link leads out of a plugin's grants. Deno checks a link's path, not its target, so the tier
 * `flags` needs this.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { realpathOfExisting } from "../../platform/realpath.ts"
import type { Grants } from "../manifest/Grants.ts"
import { isInside, isInsideAny } from "../manifest/paths.ts"
import { STREAMS } from "./layers/Skeleton.ts"

/** Remove the link, or grant its target: the link would lead the plugin to files without a grant. */
export class LinkLeaves extends Data.TaggedError("LinkLeaves")<{
  readonly plugin: string
  /** A link in a granted directory, or the granted path itself. */
  readonly link: string
  /** The link's real path. */
  readonly target: string
  readonly advice: string
}> {
  override get message() {
    return `Plugin ${this.plugin} is not started: expected no symbolic link out of its grants, found ${this.link}, which leads to ${this.target}. ${this.advice}`
  }
}

/** Grant fewer files, or use the other tier: there are too many files to check their links. */
export class TooManyFiles extends Data.TaggedError("TooManyFiles")<{
  readonly plugin: string
  readonly directory: string
  readonly most: number
}> {
  override get message() {
    return `Plugin ${this.plugin} is not started: expected at most ${this.most} files in ${this.directory}, whose links are checked, and found more. Grant a smaller directory, or install bubblewrap (\`apt-get install bubblewrap\`), which needs no such check.`
  }
}

/** Maximum number of checked files in granted directories. */
const MAX_FILES = 500_000

/** Fails if a granted path is a symbolic link or below one: the plugin would reach another path. */
export const assertRealGrants = (plugin: string, { read, write }: Grants): Effect.Effect<void, LinkLeaves> =>
  Effect.forEach(
    [...new Set([...read, ...write])],
    (place) =>
      Effect.flatMap(real(place), (target) =>
        target === place
          ? Effect.void
          : new LinkLeaves({
              plugin,
              link: place,
              target,
              advice: `To allow it, import the plugin again with \`--grant-read ${target}\` or \`--grant-write ${target}\`.`,
            }),
      ),
    { discard: true },
  )

/** An unresolvable path (missing rights, a cycle of links) counts as real: nobody can read through it. */
const real = (place: string): Effect.Effect<string> =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => realpathOfExisting(place)),
    () => place,
  )

/** Readable paths, and hidden paths inside them. Absolute, real paths. */
export interface ReadPaths {
  readonly readable: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
}

/**
 * Fails if a link in the readable paths leads out of them or into a hidden path. A dangling link, or one to a place
 * that this user may not see, counts as the path in it.
 */
export const assertLinksInside = (
  plugin: string,
  { readable, hidden }: ReadPaths,
): Effect.Effect<void, LinkLeaves | TooManyFiles> =>
  Effect.gen(function* () {
    const roots = readable.filter((place) => !readable.some((other) => other !== place && isInside(place, other)))
    for (const root of roots) {
      // No link leaves the whole disk, but hidden paths on it still need the check.
      if (root === path.parse(root).root && hidden.length === 0) continue
      const found = yield* Effect.promise(() => firstLeaving(root, { readable, hidden }))
      if (found === undefined) continue
      if (found === "too many") return yield* new TooManyFiles({ plugin, directory: root, most: MAX_FILES })
      return yield* new LinkLeaves({
        plugin,
        ...found,
        advice: `Remove it, grant ${found.target} as well, or install bubblewrap (\`apt-get install bubblewrap\`), which makes it harmless.`,
      })
    }
  })

const firstLeaving = async (root: string, { readable, hidden }: ReadPaths) => {
  const waiting = [root]
  let files = 0
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    // Fails for granted files and unlistable directories, which contain no links to follow.
    const entries = await fs.readdir(directory, { withFileTypes: true }).catch(() => [])
    files += entries.length
    if (files > MAX_FILES) return "too many" as const
    for (const entry of entries) {
      const place = path.join(directory, entry.name)
      if (entry.isDirectory() && !hidden.includes(place)) waiting.push(place)
      if (!entry.isSymbolicLink() || (await isOwnStream(place))) continue
      const target = await realpathOfExisting(place).catch(() => firstStep(place))
      if (!isInsideAny(target, readable) || isHidden(target, { readable, hidden })) return { link: place, target }
    }
  }
  return undefined
}

/**
 * Whether Hindcast made this link in a log's `.plugins`, for `/dev` in the layer `unshare`. It leads to descriptors of
 * the process that follows it, so a stranger's link of this name and target is harmless too.
 */
const isOwnStream = async (link: string): Promise<boolean> => {
  const target = OWN_PLACE.test(link) ? STREAMS[path.basename(link)] : undefined
  return target !== undefined && (await fs.readlink(link).catch(() => undefined)) === target
}

const OWN_PLACE = /\.plugins[\\/][^\\/]+\.deno[\\/]dev[\\/][^\\/]+$/

/** The path in a link. A target that is a leaving link itself is found at its own place. */
const firstStep = async (link: string) => path.resolve(path.dirname(link), await fs.readlink(link))

/** Whether a path is hidden, except in a readable directory inside the hidden one (the plugin's own). */
const isHidden = (target: string, { readable, hidden }: ReadPaths): boolean =>
  hidden.some(
    (place) => isInside(target, place) && !readable.some((other) => isInside(other, place) && isInside(target, other)),
  )
