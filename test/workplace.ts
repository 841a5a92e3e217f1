import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** A new directory for one test file; `remove` takes it away. */
export const workplace = () => {
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-cli-")))
  return {
    directory,
    file: (name: string, content?: string): string => {
      const file = path.join(directory, name)
      if (content !== undefined) fs.writeFileSync(file, content)
      return file
    },
    remove: () => fs.rmSync(directory, { recursive: true, force: true }),
  }
}
