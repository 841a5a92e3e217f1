/**
 * The files that the page may edit: scenarios and rubrics below the directories that Studio was started with. A file's
 * name is the number of its directory and its path there. A path that leaves the directory, by `..` or by a symbolic
 * link, is not found.
 */

import * as fs from "node:fs"
import * as path from "node:path"
import { Data, Effect } from "effect"
import * as AtomicFile from "../../platform/AtomicFile.ts"
import * as OwnerOnly from "../../platform/OwnerOnly.ts"
import { yieldToEventLoop } from "../../platform/yieldToEventLoop.ts"
import { sha256 } from "../../values/Digest.ts"
import * as Scenarios from "../../worlds/scenario/Scenario.ts"
import { MAX_LENGTH } from "../../worlds/scenario/source.ts"
import type { FileKind, Saved, ScenarioFile, ScenarioText, TextToSave } from "../wire/Scenarios.ts"

/** There is no such file among those that `/api/scenarios` lists. */
export class FileNotFound extends Data.TaggedError("FileNotFound")<{ readonly file: string; readonly found: string }> {
  override get message() {
    return `Expected a scenario or a rubric below the directories that Studio was started with, found ${this.found}: ${JSON.stringify(this.file.slice(0, MAX_SHOWN))}.`
  }
}

/** Another program wrote the file since it was read. */
export class FileChanged extends Data.TaggedError("FileChanged")<{ readonly file: string; readonly found: string }> {
  override get message() {
    return `${this.file} ${this.found} since it was read, so nothing was written. Read it again; you can still copy your text from here.`
  }
}

/** The operating system refused to write the file. */
export class FileNotWritten extends Data.TaggedError("FileNotWritten")<{
  readonly file: string
  readonly reason: string
}> {
  override get message() {
    return `${this.file} was not written: ${this.reason}. The previous file is unchanged.`
  }
}

const MAX_SHOWN = 200

const MAX_FILES = 1_000
const MAX_DEPTH = 4

/** Names that a shell, a page and a terminal show unchanged. */
const NAME = /^[\w][\w .+-]{0,99}$/

const EXTENSION = /\.(?:yaml|yml|json)$/

const MAX_LOOKED_INTO = 10_000

/** All scenarios and rubrics below these directories. Yields to other requests between two files. */
export const list = (directories: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<ScenarioFile>> =>
  Effect.gen(function* () {
    const found: Array<ScenarioFile> = []
    let lookedInto = 0
    for (const [number, directory] of directories.entries()) {
      for (const { file, path: at } of candidatesIn(`${number}`, directory)) {
        if (found.length >= MAX_FILES || lookedInto++ >= MAX_LOOKED_INTO) return found
        const kind = kindIn(directory, at)
        if (kind !== undefined) found.push({ file, kind })
        yield* yieldToEventLoop
      }
    }
    return found
  })

/** Files at any depth whose names may be those of scenarios. */
function* candidatesIn(name: string, directory: string): Generator<{ readonly file: string; readonly path: string }> {
  if (name.split("/").length > MAX_DEPTH) return
  for (const entry of entriesOf(directory)) {
    if (!NAME.test(entry.name) || entry.name === "node_modules") continue
    const [file, inside] = [`${name}/${entry.name}`, path.join(directory, entry.name)]
    if (entry.isDirectory()) yield* candidatesIn(file, inside)
    else if (EXTENSION.test(entry.name)) yield { file, path: inside }
  }
}

const entriesOf = (directory: string): ReadonlyArray<fs.Dirent> => {
  try {
    return fs.readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch {
    return []
  }
}

/** The kind of a file; undefined if it is neither, leads elsewhere, or cannot be read. */
const kindIn = (root: string, file: string): FileKind | undefined => {
  try {
    return isInside(root, file) ? kindOf(textOf(file) ?? "") : undefined
  } catch {
    // For example, a dangling link.
    return undefined
  }
}

/** The kind of a text by its fields. */
const kindOf = (text: string): FileKind | undefined =>
  Scenarios.isText(text) ? "scenario" : MEASURES.test(text) ? "rubric" : undefined

/** A rubric's field. JSON may have it on any line. */
const MEASURES = /^(?:[ \t{]*"measures"|measures)[ \t]*:/m

/** Maximum size of a text of `MAX_LENGTH` characters. */
const MAX_BYTES = 4 * MAX_LENGTH

/** The text of a file; undefined for a pipe or device, which could block, and for a file that is too large. */
const textOf = (file: string): string | undefined => {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
  try {
    const found = fs.fstatSync(handle)
    return found.isFile() && found.size <= MAX_BYTES ? fs.readFileSync(handle, "utf8") : undefined
  } finally {
    fs.closeSync(handle)
  }
}

export const read = (directories: ReadonlyArray<string>, file: string): Effect.Effect<ScenarioText, FileNotFound> =>
  Effect.gen(function* () {
    const at = yield* placeOf(directories, file)
    if (at.text === undefined) return yield* new FileNotFound({ file, found: "none" })
    const kind = kindOf(at.text) ?? (/measures/.test(at.text) ? "rubric" : "scenario")
    return { file, kind, text: at.text, digest: sha256(at.text) }
  })

/** Replaces or creates a file, unless it changed since it was read. */
export const save = (
  directories: ReadonlyArray<string>,
  { file, text, digest }: TextToSave,
): Effect.Effect<Saved, FileNotFound | FileChanged | FileNotWritten> =>
  Effect.gen(function* () {
    const at = yield* placeOf(directories, file)
    if (digest === null && at.text !== undefined) return yield* new FileChanged({ file, found: "was made" })
    if (digest !== null && at.text === undefined) return yield* new FileChanged({ file, found: "was removed" })
    if (digest !== null && sha256(at.text ?? "") !== digest)
      return yield* new FileChanged({ file, found: "was changed" })
    yield* Effect.try({
      try: () => replace(at, text),
      catch: (cause) => new FileNotWritten({ file, reason: cause instanceof Error ? cause.message : String(cause) }),
    })
    return { file, digest: sha256(text) }
  })

interface FilePlace {
  readonly path: string
  /** Undefined if the file does not exist. */
  readonly text: string | undefined
}

/** Resolves a file's name. The file's directory must exist, within one of the root directories. */
const placeOf = (directories: ReadonlyArray<string>, file: string): Effect.Effect<FilePlace, FileNotFound> =>
  Effect.suspend((): Effect.Effect<FilePlace, FileNotFound> => {
    const [number = "", ...names] = file.split("/")
    const root = /^\d{1,3}$/.test(number) ? directories[Number(number)] : undefined
    const last = names.at(-1)
    if (root === undefined || last === undefined || names.length > MAX_DEPTH || !names.every((name) => NAME.test(name)))
      return new FileNotFound({ file, found: "another name" })
    if (!EXTENSION.test(last))
      return new FileNotFound({ file, found: "a name that does not end with .yaml, .yml or .json" })
    const at = path.join(root, ...names)
    try {
      if (!isInside(root, path.dirname(at))) return new FileNotFound({ file, found: "a file elsewhere" })
      const found = fs.lstatSync(at, { throwIfNoEntry: false })
      if (found === undefined) return Effect.succeed({ path: at, text: undefined })
      if (!isInside(root, at)) return new FileNotFound({ file, found: "a file elsewhere" })
      // Replace the target of a link within the directory, not the link.
      const real = fs.realpathSync(at)
      const text = textOf(real)
      if (text === undefined) return new FileNotFound({ file, found: `no file of at most ${MAX_BYTES} bytes` })
      return Effect.succeed({ path: real, text })
    } catch (cause) {
      return new FileNotFound({ file, found: cause instanceof Error ? cause.message : String(cause) })
    }
  })

/**
 * Whether a path is the directory or within it, with all symbolic links resolved. A directory that became a link
 * contains nothing.
 */
const isInside = (root: string, at: string): boolean => {
  const inside = path.relative(root, fs.realpathSync(at))
  return inside !== ".." && !inside.startsWith(`..${path.sep}`) && !path.isAbsolute(inside)
}

/** Writes next to the file and renames. A replaced file keeps its permissions. */
const replace = ({ path: file, text: before }: FilePlace, text: string): void => {
  AtomicFile.removeAbandonedFile(file)
  const partial = AtomicFile.nameFor(file)
  const mode = before === undefined ? OwnerOnly.FILE_MODE : fs.statSync(file).mode & 0o777
  const handle = fs.openSync(partial, "wx", OwnerOnly.FILE_MODE)
  try {
    fs.writeFileSync(handle, text)
    fs.fchmodSync(handle, mode)
    fs.fsyncSync(handle)
    if (before === undefined) AtomicFile.moveNew(partial, file)
    else fs.renameSync(partial, file)
  } finally {
    fs.closeSync(handle)
    fs.rmSync(partial, { force: true })
  }
}
