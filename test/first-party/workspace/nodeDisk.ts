import * as fs from "node:fs/promises"
import type { Disk } from "../../../plugins/workspace/disk.ts"

/** The real disk, as Node sees it. */
export const nodeDisk: Disk = {
  async *list(directory) {
    for (const entry of await fs.readdir(directory, { withFileTypes: true })) {
      yield { name: entry.name, kind: entry.isFile() ? "file" : entry.isDirectory() ? "directory" : "other" }
    }
  },
  async stat(file) {
    const stats = await fs.lstat(file)
    return stats.isFile() ? { size: stats.size, modifiedAt: Math.round(stats.mtimeMs) } : null
  },
  read: (file) => fs.readFile(file),
}
