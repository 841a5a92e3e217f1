/** Loads Pyodide, with types for the part in use (https://pyodide.org/en/stable/usage/api/js-api.html). */

/** A Python function or module. */
// biome-ignore lint/suspicious/noExplicitAny: what Python exports is not known to TypeScript.
export type PyProxy = any

export interface Pyodide {
  readonly FS: FileSystem
  readonly runPython: (code: string) => PyProxy
  readonly pyimport: (module: string) => PyProxy
  readonly setStdout: (options: Output) => void
  readonly setStderr: (options: Output) => void
  /** Python reads element 0 often while it runs: 2 raises KeyboardInterrupt. */
  readonly setInterruptBuffer: (buffer: { 0: number }) => void
  /** Private: its configuration. */
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

/** Emscripten's storage: an array per file, which grows ahead of its content. */
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

/** The part of Deno's API in use; see https://docs.deno.com/api/deno/file-system. */
declare const Deno: {
  readTextFileSync(path: URL): string
  openSync(path: string): {
    statSync(): { readonly size: number }
    readSync(into: Uint8Array): number | null
    close(): void
  }
}

/** `vendor.mjs` puts Pyodide's files here. */
const VENDOR = new URL("./vendor/", import.meta.url)

/** The interpreter's own modules by name, in order of creation. */
const MODULES = { _run: "run.py", _host: "host.py", _wheels: "wheels.py" }

/** The directory that code starts in. */
export const HOME = "/home/python"

/**
 * Starts an interpreter from Pyodide's files, in about two seconds. `forSnapshot` prepares a snapshot: it also runs a
 * little of everything, so that sessions find their imports loaded.
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

/** Starts an interpreter from a snapshot, in a tenth of the time. */
export const loadSnapshot = async (snapshot: SharedArrayBuffer): Promise<Pyodide> => {
  const pyodide = await load({ _loadSnapshot: new Uint8Array(snapshot) })
  // The interpreter's memory holds it now.
  pyodide._api.config._loadSnapshot = undefined
  return pyodide
}

/** Reads a snapshot into shared memory. Throws if the file is unreadable. */
export const readSnapshot = (path: string): SharedArrayBuffer => {
  const file = Deno.openSync(path)
  try {
    const memory = new SharedArrayBuffer(file.statSync().size)
    const bytes = new Uint8Array(memory)
    // In pieces, because one large read would allocate as much and not return it.
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

/** A Python literal: JSON's escapes are valid in Python. */
const text = (value: string): string => JSON.stringify(value)

/** The same in every session: nothing from the machine, and a hash seed of zero. */
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
