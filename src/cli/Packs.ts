/**
 * Runs the packs of the built command line (`scripts/packs.mjs`): each is a script of many chunks, and each chunk a function that runs
 * when it is first asked for.
 *
 * Node compiles a script with a cache of compiled code on every version, and modules only from 22.1 on: compiling is a fifth of the
 * processor time of a short command. A pack's cache has the code that ran in the commands that wrote it. A command that loads a part
 * that none of them loaded writes it again with its own.
 */
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as vm from "node:vm"
import * as OwnerOnly from "../platform/OwnerOnly.ts"

/** The packs of one bundle. */
export interface Packs {
  /** The URL of a file beside them. */
  readonly url: string
  /** The numbers of the chunks in each pack, by its file's name. */
  readonly contents: Readonly<Record<string, ReadonlyArray<number>>>
  /** A directory that belongs to the user alone, for compiled code. */
  readonly caches: string | undefined
}

/** What a chunk exports. */
type Exported = Readonly<Record<string, unknown>>

/** A chunk, as a pack has it. */
type Chunk = (
  chunk: (number: number) => Exported,
  later: (number: number) => Promise<Exported>,
  module: (specifier: string) => Promise<unknown>,
  require: NodeJS.Require,
  url: string,
) => Exported

/** Scripts have no `import()` of their own. */
const module = (specifier: string): Promise<unknown> => import(specifier)

/** Runs a chunk and what it needs. Returns what it exports. */
export const run = ({ url, contents, caches }: Packs, entry: number): Exported => {
  const directory = path.dirname(fileURLToPath(url))
  const require = createRequire(url)
  const packOf = new Map(
    Object.entries(contents).flatMap(([name, numbers]) => numbers.map((number) => [number, name] as const)),
  )
  const loaded = new Map<string, Readonly<Record<number, Chunk>>>()
  const exported = new Map<number, Exported>()
  const parts = new Set<number>()
  const scripts: Compiled[] = []

  const functionsOf = (name: string) => {
    const known = loaded.get(name)
    if (known !== undefined) return known
    const compiled = compile(path.join(directory, name), caches)
    scripts.push(compiled)
    const functions: Readonly<Record<number, Chunk>> = compiled.script.runInThisContext()
    loaded.set(name, functions)
    return functions
  }
  const chunk = (number: number): Exported => {
    const known = exported.get(number)
    if (known !== undefined) return known
    const name = packOf.get(number)
    const found = name === undefined ? undefined : functionsOf(name)[number]
    if (found === undefined) throw new Error(`expected a chunk ${number} in the packs in ${directory}, found none`)
    const made = found(chunk, later, module, require, url)
    exported.set(number, made)
    return made
  }
  const later = async (number: number) => {
    parts.add(number)
    return chunk(number)
  }
  if (caches !== undefined)
    process.on("exit", () => {
      for (const compiled of scripts) keep(compiled, parts)
    })
  return chunk(entry)
}

/** A pack that was compiled. */
interface Compiled {
  readonly script: vm.Script
  /** The file of its cache and, if its code was used, the parts of the program that had been loaded when it was written. */
  readonly cache: { readonly file: string; readonly parts: ReadonlySet<number> | undefined } | undefined
}

/** Compiling less than this takes no longer than to read what was compiled. */
const SMALL = 4096

const compile = (file: string, caches: string | undefined): Compiled => {
  // Packs have no character above 127, so that their bytes are their characters.
  const text = fs.readFileSync(file, "latin1")
  const cacheFile = caches === undefined || text.length < SMALL ? undefined : path.join(caches, cacheName(file))
  const found = cacheFile === undefined ? undefined : read(cacheFile)
  const script = new vm.Script(text, { filename: file, cachedData: found?.code })
  if (cacheFile === undefined) return { script, cache: undefined }
  return { script, cache: { file: cacheFile, parts: script.cachedDataRejected === false ? found?.parts : undefined } }
}

/** A pack's name says what is in it. Code that was compiled otherwise, as with other flags, is refused by Node. */
const cacheName = (pack: string) => `${path.basename(pack, ".cjs")}-${process.version}-${process.arch}`

const DIGEST = 32

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest()

/** A cache's file: the digest of what follows, the number of parts, the number of each part, the code. */
const read = (file: string) => {
  try {
    const bytes = fs.readFileSync(file)
    const kept = bytes.subarray(DIGEST)
    // Node would run code of which some bytes had changed on the disk.
    if (!digest(kept).equals(bytes.subarray(0, DIGEST))) return undefined
    const count = kept.readUInt32LE(0)
    const parts = new Set(Array.from({ length: count }, (_, index) => kept.readUInt32LE(4 * (index + 1))))
    return { parts, code: kept.subarray(4 * (count + 1)) }
  } catch {
    return undefined
  }
}

/** Writes a pack's cache if there is none, or if it lacks a part that this process loaded. */
const keep = ({ script, cache }: Compiled, loaded: ReadonlySet<number>) => {
  if (cache === undefined) return
  if (cache.parts !== undefined && [...loaded].every((part) => cache.parts?.has(part) === true)) return
  const parts = [...new Set([...(cache.parts ?? []), ...loaded])]
  const partial = `${cache.file}.${randomUUID()}.partial`
  try {
    const head = Buffer.alloc(4 * (parts.length + 1))
    for (const [index, number] of [parts.length, ...parts].entries()) head.writeUInt32LE(number, 4 * index)
    const kept = Buffer.concat([head, script.createCachedData()])
    fs.writeFileSync(partial, Buffer.concat([digest(kept), kept]), { mode: OwnerOnly.FILE_MODE, flag: "wx" })
    fs.renameSync(partial, cache.file)
    removeOld(path.dirname(cache.file))
  } catch {
    // A full disk, say: the next command compiles anew.
    fs.rmSync(partial, { force: true })
  }
}

/** Days after which a cache is removed that nothing wrote anew: as a rule one of an earlier version. */
const KEPT_DAYS = 30

const removeOld = (caches: string) => {
  const before = Date.now() - KEPT_DAYS * 86_400_000
  for (const name of fs.readdirSync(caches)) {
    const file = path.join(caches, name)
    if (name.startsWith("pack-") && fs.statSync(file).mtimeMs < before) fs.rmSync(file)
  }
}
