/** The directory that a template is written into, and where this package is installed for it. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import { inPackage } from "../command/PackageFiles.ts"

export class NotEmpty extends Data.TaggedError("NotEmpty")<{ readonly directory: string; readonly found: string }> {
  override get message() {
    return `${this.directory}: expected a new or an empty directory, found ${this.found}. Nothing was written.`
  }
}

export const checkEmpty = (target: string): Effect.Effect<void, NotEmpty> => {
  const found = fs.statSync(target, { throwIfNoEntry: false })
  if (found === undefined) return Effect.void
  if (!found.isDirectory()) return new NotEmpty({ directory: target, found: "a file" })
  const [first] = fs.readdirSync(target)
  return first === undefined ? Effect.void : new NotEmpty({ directory: target, found: `${first} in it` })
}

/** The directory of this package as a module in `target` would resolve it, if it would. */
export const installed = (target: string): string | undefined => {
  if (isBelow(target, inPackage())) return inPackage()
  for (let above = path.dirname(target); ; above = path.dirname(above)) {
    const candidate = path.join(above, "node_modules", "hindcast")
    if (fs.existsSync(candidate)) return candidate
    if (above === path.dirname(above)) return undefined
  }
}

const isBelow = (candidate: string, directory: string): boolean => candidate.startsWith(directory + path.sep)
