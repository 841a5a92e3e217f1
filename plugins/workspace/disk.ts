/** The sensor's file system operations, and their implementation for Deno. */

/** File system operations of the sensor `files`. */
export interface Disk {
  /** A directory's entries in any order. Links are `other`, because nothing follows them. */
  readonly list: (directory: string) => AsyncIterable<DiskEntry>
  /** Size in bytes and modification time in epoch milliseconds; null if it is not a file or is gone. */
  readonly stat: (file: string) => Promise<{ readonly size: number; readonly modifiedAt: number } | null>
  readonly read: (file: string) => Promise<Uint8Array>
}

/** An entry of a directory. */
export interface DiskEntry {
  readonly name: string
  readonly kind: "file" | "directory" | "other"
}

/** The part of Deno's API in use; see https://docs.deno.com/api/deno/file-system. */
declare const Deno: {
  readDir(path: string): AsyncIterable<{
    readonly name: string
    readonly isFile: boolean
    readonly isDirectory: boolean
  }>
  lstat(path: string): Promise<{ readonly isFile: boolean; readonly size: number; readonly mtime: Date | null }>
  readFile(path: string): Promise<Uint8Array>
}

/** The real disk. Deno limits access to `permissions.read`. */
export const denoDisk: Disk = {
  async *list(directory) {
    for await (const { name, isFile, isDirectory } of Deno.readDir(directory)) {
      yield { name, kind: isFile ? "file" : isDirectory ? "directory" : "other" }
    }
  },
  async stat(file) {
    const { isFile, size, mtime } = await Deno.lstat(file)
    return isFile ? { size, modifiedAt: mtime?.getTime() ?? 0 } : null
  },
  read: (file) => Deno.readFile(file),
}
