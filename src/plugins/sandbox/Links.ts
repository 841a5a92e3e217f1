import * as fs from "node:fs/promises"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { realpathOfExisting } from "../../platform/realpath.ts"
import type { Grants } from "../manifest/Grants.ts"
import { isInside, isInsideAny } from "../manifest/paths.ts"

/** Remove the link, or grant where it leads: through it, a plugin would reach what it was not granted. */
export class LinkLeaves extends Data.TaggedError("LinkLeaves")<{
  readonly plugin: string
  /** The link, in a granted directory or the granted path itself. */
  readonly link: string
  /** Where it leads. */
  readonly target: string
  readonly advice: string
}> {
  override get message() {
    return `Plugin ${this.plugin} is not started: expected what it was granted to stay where it is, found the link ${this.link} that leads to ${this.target}. ${this.advice}`
  }
}

/** Grant fewer files, or use the other tier: nobody looked at all links. */
export class TooManyFiles extends Data.TaggedError("TooManyFiles")<{
  readonly plugin: string
  readonly directory: string
  readonly most: number
}> {
  override get message() {
    return `Plugin ${this.plugin} is not started: expected at most ${this.most} files in ${this.directory}, where no link may lead out of what it was granted, and found more. Grant a smaller directory, or install bubblewrap (\`apt-get install bubblewrap\`), under which links lead nowhere.`
  }
}

/** Most files of granted directories whose links are looked at. */
const MOST_FILES = 500_000

/** Fails where a granted place is a link, or has one among its parents: what was granted is not what would be reached. */
export const grantsAreReal = (plugin: string, { read, write }: Grants): Effect.Effect<void, LinkLeaves> =>
  Effect.forEach(
    [...new Set([...read, ...write])],
    (place) =>
      Effect.flatMap(real(place), (target) =>
        target === place
          ? Effect.void
          : new LinkLeaves({
              ...{ plugin, link: place, target },
              advice: `Import it again with --grant-read or --grant-write ${target}, if that is what you mean.`,
            }),
      ),
    { discard: true },
  )

/** What cannot be resolved, for want of a right or in a circle, cannot be read through either. */
const real = (place: string): Effect.Effect<string> =>
  Effect.orElseSucceed(
    Effect.tryPromise(() => realpathOfExisting(place)),
    () => place,
  )

/** What a plugin may read, and what it may not inside of that. Absolute, real paths. */
export interface Places {
  readonly readable: ReadonlyArray<string>
  readonly hidden: ReadonlyArray<string>
}

/**
 * Fails where a link in what a plugin may read leads out of that, or into what is hidden: Deno checks where a link
 * stands, not where it leads. A link to nothing counts as where it points.
 */
export const stayInside = (
  plugin: string,
  { readable, hidden }: Places,
): Effect.Effect<void, LinkLeaves | TooManyFiles> =>
  Effect.gen(function* () {
    const roots = readable.filter((place) => !readable.some((other) => other !== place && isInside(place, other)))
    for (const root of roots) {
      // Nothing leaves the whole disk; what is hidden on it is still hidden.
      if (root === path.parse(root).root && hidden.length === 0) continue
      const found = yield* Effect.promise(() => firstLeaving(root, { readable, hidden }))
      if (found === undefined) continue
      if (found === "too many") return yield* new TooManyFiles({ plugin, directory: root, most: MOST_FILES })
      return yield* new LinkLeaves({
        ...{ plugin, ...found },
        advice: `Remove it, grant ${found.target} as well, or install bubblewrap (\`apt-get install bubblewrap\`), under which it leads nowhere.`,
      })
    }
  })

const firstLeaving = async (root: string, { readable, hidden }: Places) => {
  const waiting = [root]
  let files = 0
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    // A file that was granted by itself, and what nobody may list, has no links in it that lead anywhere.
    const entries = await fs.readdir(directory, { withFileTypes: true }).catch(() => [])
    files += entries.length
    if (files > MOST_FILES) return "too many" as const
    for (const entry of entries) {
      const place = path.join(directory, entry.name)
      if (entry.isDirectory() && !hidden.includes(place)) waiting.push(place)
      if (!entry.isSymbolicLink()) continue
      const target = await realpathOfExisting(place).catch(() => place)
      if (!isInsideAny(target, readable) || isHidden(target, { readable, hidden })) return { link: place, target }
    }
  }
  return undefined
}

/** Hidden, and not in a directory inside of that which may be read: the plugin's own. */
const isHidden = (target: string, { readable, hidden }: Places): boolean =>
  hidden.some(
    (place) => isInside(target, place) && !readable.some((other) => isInside(other, place) && isInside(target, other)),
  )
