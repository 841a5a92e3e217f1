/** Which files of tests need the built program: the two projects of `vitest.config.ts`. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const BUILT = path.join(root, "test", "built.ts")

/** The files of tests, from the repository's root: `program` are those that import `built.ts`, themselves or through others. */
export const projects = (): { readonly source: ReadonlyArray<string>; readonly program: ReadonlyArray<string> } => {
  const found: { readonly [project: string]: Array<string> } = { source: [], program: [] }
  for (const name of fs.readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" }).sort()) {
    const file = path.join("test", name)
    if (!file.endsWith(".test.ts") || file.startsWith(LONG)) continue
    found[modulesOf(file).has(BUILT) ? "program" : "source"]?.push(file.replaceAll(path.sep, "/"))
  }
  return { source: found.source ?? [], program: found.program ?? [] }
}

/** The modules below `test/` that a file there comes to, itself among them, as absolute paths. */
export const modulesOf = (file: string): ReadonlySet<string> => {
  const modules = new Set([path.join(root, file)])
  for (const module of modules) {
    for (const imported of importsOf(module)) modules.add(imported)
  }
  return modules
}

/** Long trials have a configuration of their own. */
const LONG = path.join("test", "long") + path.sep

/** Static imports begin a line, or end one of several lines; what is imported for its types alone is not loaded. Other imports are calls. */
const IMPORT = /(?:^(?:import (?!type )|export (?!type )|\} )[^\n]*?|\bimport\()"(?<path>\.[^"]*\.ts)"/gm

const importsOf = (module: string): ReadonlyArray<string> => {
  const known = imports.get(module)
  if (known !== undefined) return known
  const within = path.join(root, "test") + path.sep
  const found = [...textOf(module).matchAll(IMPORT)]
    .map(({ groups }) => path.join(path.dirname(module), groups?.path ?? ""))
    .filter((imported) => imported.startsWith(within))
  imports.set(module, found)
  return found
}

const imports = new Map<string, ReadonlyArray<string>>()

/** What cannot be read is an error of whoever loads it. */
const textOf = (module: string): string => (fs.existsSync(module) ? fs.readFileSync(module, "utf8") : "")
