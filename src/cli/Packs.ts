/**
 * Runs the packs of the built command line (`scripts/packs.mjs`). A pack is a script of many chunks; each chunk is a
 * function that runs on first use.
 *
 * Node caches compiled scripts on every version, but modules only from 22.1 on, and compiling takes a fifth of a short
 * command's processor time. A pack's cache holds the code that earlier commands ran. A command that loads a part for
 * the first time writes the cache again.
 */
import { createHash, randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as vm from "node:vm"
import * as OwnerOnly from "../platform/OwnerOnly.ts"

export interface Packs {
  readonly url: string
  /** The numbers of each pack's chunks, by the pack's file name. */
  readonly contents: Readonly<Record<string, ReadonlyArray<number>>>
  /** A directory for compiled code that only the user can write to. */
  readonly caches: string | undefined
}

type Exported = Readonly<Record<string, unknown>>

type PackedModules = (
  chunk: (number: number) => Exported,
  later: (number: number) => Promise<Exported>,
  module: (specifier: string) => Promise<unknown>,
  require: NodeJS.Require,
  url: string,
) => Exported

/** Scripts have no `import()` of their own. */
const module = (specifier: string): Promise<unknown> => import(specifier)

export const run = ({ url, contents, caches }: Packs, entry: number): Exported => {
  const directory = path.dirname(fileURLToPath(url))
  const require = createRequire(url)
  const packOf = new Map(
    Object.entries(contents).flatMap(([name, numbers]) => numbers.map((number) => [number, name] as const)),
  )
  const loaded = new Map<string, Readonly<Record<number, PackedModules>>>()
  const exported = new Map<number, Exported>()
  const parts = new Set<number>()
  const scripts: Compiled[] = []

  const functionsOf = (name: string) => {
    const known = loaded.get(name)
    if (known !== undefined) return known
    const compiled = compile(path.join(directory, name), caches)
    scripts.push(compiled)
    const functions: Readonly<Record<number, PackedModules>> = compiled.script.runInThisContext()
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

interface Compiled {
  readonly script: vm.Script
  /** The cache file. `parts` lists the program parts that the cache covers; undefined if Node rejected it. */
  readonly cache: { readonly file: string; readonly parts: ReadonlySet<number> | undefined } | undefined
}

/** Below this length in characters, compiling is as fast as reading a cache. */
const SMALL = 4096

const compile = (file: string, caches: string | undefined): Compiled => {
  // Packs contain only ASCII, so a byte is a character.
  const text = fs.readFileSync(file, "latin1")
  const cacheFile = caches === undefined || text.length < SMALL ? undefined : path.join(caches, cacheName(file))
  const found = cacheFile === undefined ? undefined : read(cacheFile)
  const script = new vm.Script(text, { filename: file, cachedData: found?.code })
  if (cacheFile === undefined) return { script, cache: undefined }
  return { script, cache: { file: cacheFile, parts: script.cachedDataRejected === false ? found?.parts : undefined } }
}

/** A pack's name contains its content hash. Node rejects code that was compiled with other flags. */
const cacheName = (pack: string) => `${path.basename(pack, ".cjs")}-${process.version}-${process.arch}`

const DIGEST = 32

const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest()

/** Reads a cache file: a digest of the rest, the number of parts, the part numbers, the code. */
const read = (file: string) => {
  try {
    const bytes = fs.readFileSync(file)
    const kept = bytes.subarray(DIGEST)
    // Node would run code with flipped bytes.
    if (!digest(kept).equals(bytes.subarray(0, DIGEST))) return undefined
    const count = kept.readUInt32LE(0)
    const parts = new Set(Array.from({ length: count }, (_, index) => kept.readUInt32LE(4 * (index + 1))))
    return { parts, code: kept.subarray(4 * (count + 1)) }
  } catch {
    return undefined
  }
}

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
    // For example, the disk is full. The next command compiles again.
    fs.rmSync(partial, { force: true })
  }
}

/** Days after its last write that a cache is removed. Most such caches belong to earlier versions. */
const KEPT_DAYS = 30

const removeOld = (caches: string) => {
  const before = Date.now() - KEPT_DAYS * 86_400_000
  for (const name of fs.readdirSync(caches)) {
    const file = path.join(caches, name)
    if (name.startsWith("pack-") && fs.statSync(file).mtimeMs < before) fs.rmSync(file)
  }
}
