/** What the sensor needs of a disk. */
export interface Disk {
  /** The entries of a directory, in any order. Links are `other`: they are never followed. */
  readonly list: (directory: string) => AsyncIterable<DiskEntry>
  /** Size in bytes and time of the last change in epoch milliseconds; null for what is not a file, or no longer. */
  readonly stat: (file: string) => Promise<{ readonly size: number; readonly modifiedAt: number } | null>
  readonly read: (file: string) => Promise<Uint8Array>
}

export interface DiskEntry {
  readonly name: string
  readonly kind: "file" | "directory" | "other"
}

/** The part of Deno that is used here; see https://docs.deno.com/api/deno/file-system. */
declare const Deno: {
  readDir(path: string): AsyncIterable<{
    readonly name: string
    readonly isFile: boolean
    readonly isDirectory: boolean
  }>
  lstat(path: string): Promise<{ readonly isFile: boolean; readonly size: number; readonly mtime: Date | null }>
  readFile(path: string): Promise<Uint8Array>
}

/** The real disk, as far as `permissions.read` lets this process see it. */
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
