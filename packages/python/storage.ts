import type { FileSystem, MemoryNode } from "./pyodide.ts"

/**
 * Most bytes that the files of a session take: 32 MiB. They lie outside of Python's own memory, and both must fit into
 * what a plugin's process may have.
 */
export const MAX_STORAGE_BYTES = 32 * 1024 * 1024

/** Error number of a full disk, as Emscripten counts (WASI's `nospc`). */
const ENOSPC = 51

/** Makes writing fail with "No space left on device" where the files would take more than they may. */
export const limitStorage = (fs: FileSystem, limit = MAX_STORAGE_BYTES): void => {
  const { MEMFS } = fs.filesystems
  const { expandFileStorage, resizeFileStorage } = MEMFS
  const stream = MEMFS.ops_table.file.stream
  const { write } = stream
  /** What may be added before the files are measured again: measuring looks at all of them. */
  let room = limit - stored(fs.root)

  /** Changes a file that is to have so much storage; what it takes in the end is counted. */
  const claiming = <A>(node: MemoryNode, bytes: number, change: () => A): A => {
    const before = storageOf(node)
    if (bytes - before > room) room = limit - stored(fs.root)
    if (bytes - before > room) throw new fs.ErrnoError(ENOSPC)
    const result = change()
    room -= storageOf(node) - before
    return result
  }

  MEMFS.expandFileStorage = (node, bytes) => {
    // By doubling: Emscripten's own steps copy a large file again and again, and leave the copies to be collected.
    const doubled = Math.min(2 * storageOf(node), storageOf(node) + Math.max(room, 0))
    claiming(node, bytes, () => expandFileStorage.call(MEMFS, node, Math.max(bytes, doubled)))
  }
  MEMFS.resizeFileStorage = (node, bytes) => claiming(node, bytes, () => resizeFileStorage.call(MEMFS, node, bytes))
  // The first bytes of a file become its storage as they are.
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
