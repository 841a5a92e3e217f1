import type { FileSystem, MemoryNode } from "./pyodide.ts"

/**
 * Maximum storage of a session's files: 32 MiB. They lie outside of Python's own memory, and both must fit the limit of
 * a plugin's process.
 */
export const MAX_STORAGE_BYTES = 32 * 1024 * 1024

/** Emscripten's error number of a full disk (WASI's `nospc`). */
const ENOSPC = 51

/** Makes writes beyond the limit fail with "No space left on device". */
export const limitStorage = (fs: FileSystem, limit = MAX_STORAGE_BYTES): void => {
  const { MEMFS } = fs.filesystems
  const { expandFileStorage, resizeFileStorage } = MEMFS
  const stream = MEMFS.ops_table.file.stream
  const { write } = stream
  /** Room left before the next measurement, which visits all files. */
  let room = limit - stored(fs.root)

  /** Changes a file that needs `bytes` of storage, and counts what it takes in the end. */
  const claiming = <A>(node: MemoryNode, bytes: number, change: () => A): A => {
    const before = storageOf(node)
    if (bytes - before > room) room = limit - stored(fs.root)
    if (bytes - before > room) throw new fs.ErrnoError(ENOSPC)
    const result = change()
    room -= storageOf(node) - before
    return result
  }

  MEMFS.expandFileStorage = (node, bytes) => {
    // Doubles: Emscripten's own steps copy a large file repeatedly and leave the copies to the garbage collector.
    const doubled = Math.min(2 * storageOf(node), storageOf(node) + Math.max(room, 0))
    claiming(node, bytes, () => expandFileStorage.call(MEMFS, node, Math.max(bytes, doubled)))
  }
  MEMFS.resizeFileStorage = (node, bytes) => claiming(node, bytes, () => resizeFileStorage.call(MEMFS, node, bytes))
  // A file's first bytes become its storage as they are.
  stream.write = (opened, buffer, offset, length, position, canOwn) => {
    const { node } = opened
    const run = () => write.call(stream, opened, buffer, offset, length, position, canOwn)
    return node.usedBytes === 0 && position === 0 ? claiming(node, length, run) : run()
  }
}

const stored = (node: MemoryNode): number => {
  const { contents } = node
  if (typeof contents !== "object" || contents === null) return 0
  if (ArrayBuffer.isView(contents)) return contents.byteLength
  return Object.values(contents).reduce((sum, inner) => sum + stored(inner), 0)
}

const storageOf = ({ contents }: MemoryNode): number => (ArrayBuffer.isView(contents) ? contents.byteLength : 0)
