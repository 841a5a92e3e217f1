/** The part of Pyodide that is used here (https://pyodide.org/en/stable/usage/api/js-api.html), and how it is loaded. */

/** A function or module of Python's. */
// biome-ignore lint/suspicious/noExplicitAny: what Python exports is not known to TypeScript.
export type PyProxy = any

export interface Pyodide {
  readonly FS: FileSystem
  readonly runPython: (code: string) => PyProxy
  readonly pyimport: (module: string) => PyProxy
  readonly setStdout: (options: Output) => void
  readonly setStderr: (options: Output) => void
  /** Read at element 0, often, while Python runs: 2 raises KeyboardInterrupt. */
  readonly setInterruptBuffer: (buffer: { 0: number }) => void
  /** Private: what it was loaded with. */
  readonly _api: { readonly config: { _loadSnapshot?: Uint8Array | undefined } }
  /** Private: needs `_makeSnapshot`. */
  readonly makeMemorySnapshot: () => Uint8Array
}

interface Output {
  readonly write: (bytes: Uint8Array) => number
  readonly isatty: boolean
}

/** Emscripten's file system (https://emscripten.org/docs/api_reference/Filesystem-API.html). */
export interface FileSystem {
  readonly cwd: () => string
  readonly readdir: (path: string) => ReadonlyArray<string>
  readonly stat: (path: string) => Stat
  readonly lstat: (path: string) => Stat
  readonly isFile: (mode: number) => boolean
  readonly isDir: (mode: number) => boolean
  readonly isLink: (mode: number) => boolean
  readonly readFile: (path: string) => Uint8Array
  readonly writeFile: (path: string, bytes: Uint8Array) => void
  readonly mkdir: (path: string) => void
  readonly rmdir: (path: string) => void
  readonly unlink: (path: string) => void
  readonly analyzePath: (path: string) => { readonly exists: boolean }
  readonly ErrnoError: new (errno: number) => Error & { readonly errno: number }
  readonly filesystems: { readonly MEMFS: MemoryFileSystem }
  readonly root: MemoryNode
}

export interface Stat {
  readonly mode: number
  readonly size: number
  readonly mtime: Date
}

/** Where Emscripten keeps files: each in an array that grows ahead of its content. */
export interface MemoryFileSystem {
  expandFileStorage: (node: MemoryNode, bytes: number) => void
  resizeFileStorage: (node: MemoryNode, bytes: number) => void
  readonly ops_table: {
    readonly file: {
      readonly stream: {
        write: (
          stream: { readonly node: MemoryNode },
          buffer: Uint8Array,
          offset: number,
          length: number,
          position: number,
          canOwn?: boolean,
        ) => number
      }
    }
  }
}

export interface MemoryNode {
  /** A file's storage, or a directory's entries. */
  contents?: Uint8Array | { readonly [name: string]: MemoryNode }
  readonly usedBytes?: number
}

/** The part of Deno that is used here; see https://docs.deno.com/api/deno/file-system. */
declare const Deno: {
  readTextFileSync(path: URL): string
  openSync(path: string): {
    statSync(): { readonly size: number }
    readSync(into: Uint8Array): number | null
    close(): void
  }
}

/** Where `vendor.mjs` puts Pyodide's files. */
const VENDOR = new URL("./vendor/", import.meta.url)

/** The modules of the interpreter's own, by name, in the order in which they are made. */
const MODULES = { _run: "run.py", _host: "host.py", _wheels: "wheels.py" }

/** The directory that code starts in. */
export const HOME = "/home/python"

/**
 * An interpreter that starts cold, from Pyodide's files: in about two seconds. `forSnapshot`: a snapshot can be made of it,
 * and it has run a little of everything, so that sessions find imported what they would import.
 */
export const loadCold = async (forSnapshot = false): Promise<Pyodide> => {
  const pyodide = await load(forSnapshot ? { _makeSnapshot: true } : {})
  for (const [name, source] of Object.entries(sources())) {
    pyodide.runPython(
      `import sys, types\n` +
        `sys.modules[${text(name)}] = types.ModuleType(${text(name)})\n` +
        `exec(compile(${text(source)}, ${text(`<${name}>`)}, "exec"), sys.modules[${text(name)}].__dict__)\n` +
        `del sys, types`,
    )
  }
  if (forSnapshot) pyodide.runPython('import sys; sys.modules["_run"].rehearse(); del sys')
  return pyodide
}

/** An interpreter from a snapshot: in a tenth of that time. */
export const loadSnapshot = async (snapshot: SharedArrayBuffer): Promise<Pyodide> => {
  const pyodide = await load({ _loadSnapshot: new Uint8Array(snapshot) })
  // It is in the interpreter's memory now.
  pyodide._api.config._loadSnapshot = undefined
  return pyodide
}

/** A snapshot's bytes, in memory that threads share. Throws where the file cannot be read. */
export const readSnapshot = (path: string): SharedArrayBuffer => {
  const file = Deno.openSync(path)
  try {
    const memory = new SharedArrayBuffer(file.statSync().size)
    const bytes = new Uint8Array(memory)
    // In pieces: what is read at once is allocated at once, and not given back.
    const piece = new Uint8Array(1024 * 1024)
    for (let at = 0, count = file.readSync(piece); count !== null && at < bytes.length; count = file.readSync(piece)) {
      bytes.set(piece.subarray(0, count), at)
      at += count
    }
    return memory
  } finally {
    file.close()
  }
}

const sources = (): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(MODULES).map(([name, file]) => [
      name,
      Deno.readTextFileSync(new URL(`interpreter/${file}`, import.meta.url)),
    ]),
  )

/** A literal that Python reads as this text: JSON's escapes are Python's. */
const text = (value: string): string => JSON.stringify(value)

/** The same in every session: nothing of the machine, and hashes by a seed of zero. */
const CONFIG = { env: { HOME, LANG: "en_US.UTF-8", PYTHONHASHSEED: "0" }, _sysExecutable: "python" }

const load = async (options: object): Promise<Pyodide> => {
  const { loadPyodide } = await pyodideModule()
  const streams = { stdin: () => undefined, stdout: ignore, stderr: ignore }
  return loadPyodide({
    ...structuredClone(CONFIG),
    ...options,
    ...streams,
    indexURL: decodeURIComponent(VENDOR.pathname),
  })
}

const ignore = () => undefined

const pyodideModule = async (): Promise<{
  readonly loadPyodide: (config: object) => Promise<Pyodide>
}> => {
  const module = new URL("pyodide.mjs", VENDOR).href
  try {
    return await import(module)
  } catch (cause) {
    throw new Error(
      `expected Pyodide at ${module}, found ${String(cause)} Run \`npm run build -w packages/python\` where Hindcast stands`,
    )
  }
}
