/**
 * Finds the files of the modules that run in Deno. A program that bundles Hindcast has no such files beside it, so they are
 * written to disk from the embedded text.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { EMBEDDED } from "../Embedded.ts"
import * as LastUse from "./LastUse.ts"

/** The modules of Hindcast that run in Deno: the runner of plugins, and the module that computes `precomputed` bytes. */
export type Name = "runner" | "precompute"

/**
 * The file of a module that runs in Deno. It lies beside the modules of Hindcast. A program that Hindcast was bundled into has only
 * its text: there the text is written to a directory (`writtenIn`).
 *
 * @param directory of Hindcast's own, that nobody else may write
 */
export const fileIn = (directory: string, name: Name): string => {
  const beside = besideModules(name)
  if (EMBEDDED === undefined) {
    if (beside !== undefined) return beside
    throw new Error(
      `expected the ${name} beside Hindcast's modules or embedded in them, found neither. Install Hindcast again`,
    )
  }
  // A bundle may lie anywhere: a file of that name beside it is not the runner because of its name.
  if (beside !== undefined && holds(beside, EMBEDDED[name])) return beside
  return writtenIn(directory, name, EMBEDDED[name])
}

/**
 * The file of a module in a directory of Hindcast's own. It is written unless a file with exactly this text is there already. Its place
 * is named by the text's digest: a program with another version of Hindcast, which may run on the same log, keeps a file of its own.
 * Files that no program used for 30 days are removed when another one is written.
 */
export const writtenIn = (directory: string, name: Name, text: string): string => {
  const own = path.join(directory, digestOf(text))
  const written = path.join(own, FOLDER, `${name}.js`)
  if (holds(written, text)) {
    // The directory's time, since modules are compiled again where the file's is another one (`DenoCache`).
    LastUse.note(own)
    return written
  }
  write(written, text)
  LastUse.note(own)
  LastUse.removeUnused(directory, DIGEST)
  return written
}

const DIGEST = /^[0-9a-f]{64}$/

/** The directory name in the runner's path, by which `OrphanProcesses` recognises the processes of plugins. */
const FOLDER = "runner"

/**
 * The one file that `npm run build` makes of the module and what it imports (`scripts/runner.mjs`). It lies beside the compiled
 * modules; where the sources run, it is in `dist` all the same.
 */
const besideModules = (name: Name): string | undefined => {
  // In a bundle of CommonJS there is none.
  const module: string | undefined = import.meta.url
  if (module === undefined) return undefined
  const built = path.extname(module) === ".ts" ? "../../../dist/plugins" : ".."
  return fileURLToPath(new URL(`${built}/${FOLDER}/${name}.js`, module))
}

const digestOf = (text: string): string => crypto.createHash("sha256").update(text).digest("hex")

const holds = (file: string, text: string): boolean => {
  try {
    return fs.lstatSync(file).isFile() && fs.readFileSync(file, "utf8") === text
  } catch {
    return false
  }
}

const write = (file: string, text: string): void => {
  const directory = path.dirname(file)
  OwnerOnly.makeDirectory(directory)
  OwnerOnly.restrictDirectory(directory)
  AtomicFile.removeAbandonedIn(directory)
  const whole = AtomicFile.nameFor(file)
  fs.writeFileSync(whole, text, { flag: "wx", mode: OwnerOnly.FILE_MODE })
  fs.renameSync(whole, file)
}
