/**
 * Which files of tests CI runs on another Node than the machine's own, which runs all of them.
 *
 * - Files come out alike on every Node that come, by all that they import, only to plain JavaScript and to the parts of Node below. SQLite,
 *   processes, threads, servers, files, a build and browsers are no such parts. They run once.
 * - Files that try what differs by Node, or by user and sandbox (`nodeDependent.ts`), run on both, each time.
 * - All others come to SQLite or a process as well, but what they try is made of what the files above try: the same state machines,
 *   projections, pages and texts. They take turns: each commit has one, and a share of them runs on both.
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { NODE_DEPENDENT } from "./nodeDependent.ts"
import { projects } from "./projects.ts"
import { inRepository } from "./repository.ts"
import { SOURCES } from "./sources.ts"

/** Set to a turn, as 3/8, the files are left out that ran on another Node and need not run on this one. */
export const OTHER_NODE = "HINDCAST_TEST_OTHER_NODE"

/** A share of the files that take turns: `of` of them are all, and the first is 0. */
export interface Turn {
  readonly turn: number
  readonly of: number
}

/** Reads a turn, as 3/8. Throws if it is none: a run that left out all of its tests would be green. */
export const parseTurn = (text: string): Turn => {
  const [, turn, of] = /^(\d{1,3})\/(\d{1,3})$/.exec(text)?.map(Number) ?? []
  if (turn !== undefined && of !== undefined && turn < of) return { turn, of }
  throw new Error(`${OTHER_NODE}: expected a turn, from 0/8 to 7/8 say, found ${JSON.stringify(text)}`)
}

/** The files of tests that another Node leaves out in a turn, from the repository's root. */
export const leftOut = ({ turn, of }: Turn): ReadonlyArray<string> => {
  ranOnce ??= new Set([...onOneNode(), ...ofPython()])
  const once = ranOnce
  const { source, program } = projects()
  return [...source, ...program].filter(
    (file) => once.has(file) || (!isNodeDependent(file) && turnOf(file, of) !== turn),
  )
}

/** To follow all imports takes seconds. */
let ranOnce: ReadonlySet<string> | undefined

/** Whether a file tries what differs by Node, or by user and sandbox. */
export const isNodeDependent = (file: string): boolean =>
  NODE_DEPENDENT.some(({ files }) =>
    files.some((name) => file === name || (name.endsWith("/") && file.startsWith(name))),
  )

/** The turn of a file. It stays the same while others come and go. */
const turnOf = (file: string, of: number): number => createHash("sha256").update(file).digest().readUInt32BE() % of

/** What may be imported by a file that runs once. A part or a package that is not here may differ by Node. */
const ALIKE = new Set([
  ...["assert/strict", "buffer", "crypto", "path", "timers/promises", "url", "util"].map((name) => `node:${name}`),
  ...["vitest", "@effect/vitest", "effect", "fast-check", "@pydantic/genai-prices", "@ai-sdk/provider"],
  ...["@marcbachmann/cel-js", "ajv", "ajv-formats", "canonicalize", "d3-scale", "d3-shape", "marked", "pure-rand"],
  ...["preact", "@preact/signals", "re2js", "rfc6902", "simple-statistics", "string-width", "uuidv7", "yaml", "zod"],
])

/** The files of tests that run once, from the repository's root. */
export const onOneNode = (): ReadonlyArray<string> =>
  projects().source.filter((file) => differencesOf(file).length === 0)

/** The files of tests that need Python, from the repository's root. */
export const ofPython = (): ReadonlyArray<string> => {
  const { source, program } = projects()
  return [...source, ...program].filter((file) => modulesOf(file).includes(inRepository("test/python/interpreter.ts")))
}

/** What a file of tests comes to that may differ by Node: names of packages and parts of Node, and modules that are chosen while it runs. */
export const differencesOf = (file: string): ReadonlyArray<string> => {
  const imported = modulesOf(file).flatMap(importsOf)
  return [...new Set(imported.filter((name) => !path.isAbsolute(name) && !ALIKE.has(packageOf(name))))]
}

/** A file of tests and the modules that it comes to, as absolute paths. */
export const modulesOf = (file: string): ReadonlyArray<string> => {
  const modules = new Set([inRepository(file)])
  for (const module of modules) for (const name of importsOf(module)) if (path.isAbsolute(name)) modules.add(name)
  return [...modules]
}

/** Static imports begin a line, or end one of several lines; what is imported for its types alone is not loaded. Other imports are calls. */
const IMPORT =
  /(?:^(?:import(?! type )|export(?! type )|\}) [^\n]*?\bfrom |^import |\bimport\()"(?<name>[^"\n]*)"|\bimport\((?!")|\bgetBuiltinModule\b/gm

const importsOf = (module: string): ReadonlyArray<string> => {
  const known = imports.get(module)
  if (known !== undefined) return known
  // What cannot be read may be anything.
  const text = fs.existsSync(module) ? fs.readFileSync(module, "utf8") : 'import "a module that is missing"'
  const found = [...text.matchAll(IMPORT)].map(({ groups }) => {
    const name = groups?.name ?? "a module that is chosen while it runs"
    if (name.startsWith(".")) return path.join(path.dirname(module), name)
    const source = SOURCES[name]
    return source === undefined ? name : inRepository(source)
  })
  imports.set(module, found)
  return found
}

const imports = new Map<string, ReadonlyArray<string>>()

const packageOf = (name: string): string => {
  if (name.startsWith("node:")) return name
  return name.split("/", name.startsWith("@") ? 2 : 1).join("/")
}
