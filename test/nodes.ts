/**
 * Which files of tests come out alike on every Node: those that come, by all that they import, only to plain JavaScript and to the parts of
 * Node below. SQLite, processes, threads, servers, files, a build and browsers are no such parts. CI runs those files once, on one Node.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { projects } from "./projects.ts"
import { inRepository } from "./repository.ts"
import { SOURCES } from "./sources.ts"

/** Set, these files are left out: they ran on another Node. */
export const OTHER_NODE = "HINDCAST_TEST_OTHER_NODE"

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

/** A file of tests and the modules that it comes to. */
const modulesOf = (file: string): ReadonlyArray<string> => {
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
