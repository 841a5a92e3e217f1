/**
 * Checks that symbolic links do not lead out of what a plugin was granted. Deno checks the path of a link, not its
 * target, so the `flags` tier needs this check.
 */
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { realpathOfExisting } from "../../platform/realpath.ts"
import type { Grants } from "../manifest/Grants.ts"
import { isInside, isInsideAny } from "../manifest/paths.ts"
import { STREAMS } from "./layers/Skeleton.ts"

/** Remove the link, or grant its target: through the link, the plugin would reach files that it was not granted. */
export class LinkLeaves extends Data.TaggedError("LinkLeaves")<{
  readonly plugin: string
  /** The path of the link: in a granted directory, or the granted path itself. */
  readonly link: string
  /** The real path that the link leads to. */
  readonly target: string
  readonly advice: string
}> {
  override get message() {
    return `Plugin ${this.plugin} is not started: expected no symbolic link that leads out of what it was granted, found ${this.link}, which leads to ${this.target}. ${this.advice}`
  }
}

/** Grant fewer files, or use the other tier: there are too many files to check all their links. */
export class TooManyFiles extends Data.TaggedError("TooManyFiles")<{
  readonly plugin: string
  readonly directory: string
  readonly most: number
}> {
  override get message() {
    return `Plugin ${this.plugin} is not started: expected at most ${this.most} files in ${this.directory}, where no link may lead out of what it was granted, and found more. Grant a smaller directory, or install bubblewrap (\`apt-get install bubblewrap\`), under which links lead nowhere.`
  }
}

/** Maximum number of files in granted directories whose links are checked. */
const MAX_FILES = 500_000

/**
 * Fails if a granted path is a symbolic link or lies below one, because the plugin would then reach another path than
 * the granted one.
 */
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
              advice: `Import it again with --grant-read or --grant-write ${target}, if that is what you mean.`,
            }),
      ),
    { discard: true },
  )

/**
 * A path that cannot be resolved, because of missing rights or a cycle of links, counts as real: it cannot be read
 * through either.
 */
const real = (place: string): Effect.Effect<string> =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => realpathOfExisting(place)),
    () => place,
  )

/** The paths that a plugin may read, and the paths inside them that it may not read. Absolute, real paths. */
export interface ReadPaths {
  readonly readable: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
}

/**
 * Fails if a link in the readable paths leads out of them, or into a hidden path. Deno checks the path of a link, not
 * its target. A link that dangles, or leads where this user may not look, counts as the path that it points to.
 */
export const assertLinksInside = (
  plugin: string,
  { readable, hidden }: ReadPaths,
): Effect.Effect<void, LinkLeaves | TooManyFiles> =>
  Effect.gen(function* () {
    const roots = readable.filter((place) => !readable.some((other) => other !== place && isInside(place, other)))
    for (const root of roots) {
      // No link leaves the whole disk. Hidden paths on it still have to be checked.
      if (root === path.parse(root).root && hidden.length === 0) continue
      const found = yield* Effect.promise(() => firstLeaving(root, { readable, hidden }))
      if (found === undefined) continue
      if (found === "too many") return yield* new TooManyFiles({ plugin, directory: root, most: MAX_FILES })
      return yield* new LinkLeaves({
        plugin,
        ...found,
        advice: `Remove it, grant ${found.target} as well, or install bubblewrap (\`apt-get install bubblewrap\`), under which it leads nowhere.`,
      })
    }
  })

const firstLeaving = async (root: string, { readable, hidden }: ReadPaths) => {
  const waiting = [root]
  let files = 0
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    // Reading fails for a granted file, and for a directory that may not be listed. Neither contains links to follow.
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
 * Whether a link is one that Hindcast made in a log's `.plugins`, for `/dev` in the layer `unshare`. Whoever follows it
 * comes to descriptors of its own, so a stranger's link of that name and target leads nowhere else either.
 */
const isOwnStream = async (link: string): Promise<boolean> => {
  const target = OWN_PLACE.test(link) ? STREAMS[path.basename(link)] : undefined
  return target !== undefined && (await fs.readlink(link).catch(() => undefined)) === target
}

const OWN_PLACE = /\.plugins[\\/][^\\/]+\.deno[\\/]dev[\\/][^\\/]+$/

/** The path that is written in a link. Where it is a link itself that leaves, it is found at its own place. */
const firstStep = async (link: string) => path.resolve(path.dirname(link), await fs.readlink(link))

/** Whether a path is hidden, and not in a readable directory inside the hidden one (the plugin's own directory). */
const isHidden = (target: string, { readable, hidden }: ReadPaths): boolean =>
  hidden.some(
    (place) => isInside(target, place) && !readable.some((other) => isInside(other, place) && isInside(target, other)),
  )
