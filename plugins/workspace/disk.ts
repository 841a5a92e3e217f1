/** The part of the file system API that the sensor `files` uses, and its implementation for Deno. */

/** The file system operations of the sensor. */
export interface Disk {
  /** The entries of a directory, in any order. Links have the kind `other`, because they are never followed. */
  readonly list: (directory: string) => AsyncIterable<DiskEntry>
  /** Size in bytes and modification time in epoch milliseconds; null if it is not a file or no longer exists. */
  readonly stat: (file: string) => Promise<{ readonly size: number; readonly modifiedAt: number } | null>
  readonly read: (file: string) => Promise<Uint8Array>
}

/** An entry of a directory. */
export interface DiskEntry {
  readonly name: string
  readonly kind: "file" | "directory" | "other"
}

/** The part of Deno's API that is used here; see https://docs.deno.com/api/deno/file-system. */
declare const Deno: {
  readDir(path: string): AsyncIterable<{
    readonly name: string
    readonly isFile: boolean
    readonly isDirectory: boolean
  }>
  lstat(path: string): Promise<{ readonly isFile: boolean; readonly size: number; readonly mtime: Date | null }>
  readFile(path: string): Promise<Uint8Array>
}

/** The real disk. Deno limits access to the paths of `permissions.read`. */
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
