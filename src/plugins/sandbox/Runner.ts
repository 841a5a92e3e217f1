/**
 * Finds the modules that run in Deno. A program that bundles Hindcast lacks these files, so the embedded text is
 * written to the disk.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { EMBEDDED } from "../Embedded.ts"
import * as LastUse from "./LastUse.ts"

/** The runner of plugins, and the module that computes `precomputed` bytes. */
export type Name = "runner" | "precompute"

/**
 * The file of a module: next to Hindcast's modules or, in a bundled program, written to `directory`.
 *
 * @param directory of Hindcast's own, that nobody else may write
 */
export const fileIn = (directory: string, name: Name): string => {
  const beside = besideModules(name)
  if (EMBEDDED === undefined) {
    if (beside !== undefined) return beside
    throw new Error(
      `expected the ${name} next to Hindcast's modules or embedded in them, found neither. Install Hindcast again`,
    )
  }
  // A bundle may lie anywhere: a file next to it is not the runner merely by its name.
  if (beside !== undefined && holds(beside, EMBEDDED[name])) return beside
  return writtenIn(directory, name, EMBEDDED[name])
}

/**
 * The archive of Python that serves environments (`python/src/hindcast/_host`), next to Hindcast's modules. A bundled
 * program has none.
 */
export const pythonFile = (): string => {
  const module: string | undefined = import.meta.url
  const place = module === undefined ? undefined : inRunnerFolder(module, PYTHON_ARCHIVE)
  if (place !== undefined && fs.existsSync(place)) return place
  throw new Error(
    `expected ${FOLDER}/${PYTHON_ARCHIVE} next to Hindcast's modules, found none. A program that bundles Hindcast cannot run environments written in Python; install the package hindcast beside it`,
  )
}

const PYTHON_ARCHIVE = "runner.pyz"

/**
 * The file of a module in Hindcast's own directory, written unless a file with this text exists. The text's digest is
 * part of its path, so that programs with different versions of Hindcast can share a log. Writing removes files after
 * 30 days of disuse.
 */
export const writtenIn = (directory: string, name: Name, text: string): string => {
  const own = path.join(directory, digestOf(text))
  const written = path.join(own, FOLDER, `${name}.js`)
  if (holds(written, text)) {
    // The directory's time, because a new time of the file would recompile modules (`DenoCache`).
    LastUse.note(own)
    return written
  }
  write(written, text)
  LastUse.note(own)
  LastUse.removeUnused(directory, DIGEST)
  return written
}

const DIGEST = /^[0-9a-f]{64}$/

/** `OrphanProcesses` recognises plugins' processes by this directory in the runner's path. */
const FOLDER = "runner"

/**
 * The bundle that `npm run build` makes (`scripts/runner.mjs`): next to the compiled modules, and in `dist` for the
 * sources.
 */
const besideModules = (name: Name): string | undefined => {
  // Undefined in a CommonJS bundle.
  const module: string | undefined = import.meta.url
  if (module === undefined) return undefined
  return inRunnerFolder(module, `${name}.js`)
}

const inRunnerFolder = (module: string, file: string): string => {
  const built = path.extname(module) === ".ts" ? "../../../dist/plugins" : ".."
  return fileURLToPath(new URL(`${built}/${FOLDER}/${file}`, module))
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
