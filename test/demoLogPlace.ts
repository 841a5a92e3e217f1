/** Where the demo's logs are that tests share (`demoLog.ts`), and how they go: part of the set-up of the project `program`. */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

const PREFIX = "hindcast-demo-"

/** One place for all processes of one run of tests: they have the same parent. */
export const placeOf = (pid: number) => path.join(os.tmpdir(), `${PREFIX}${pid}`)

/** Removes what this run of tests made; and what others made that were killed. */
export const teardown = (): void => {
  fs.rmSync(placeOf(process.pid), { recursive: true, force: true })
  removeLeftOver()
}

/** Removes what runs of tests left that were killed. */
export const removeLeftOver = (): void => {
  for (const name of fs.readdirSync(os.tmpdir())) {
    const pid = Number(name.slice(PREFIX.length))
    if (!name.startsWith(PREFIX) || !Number.isSafeInteger(pid) || isAlive(pid)) continue
    fs.rmSync(path.join(os.tmpdir(), name), { recursive: true, force: true })
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (cause) {
    // A process of another user's lives as well.
    return cause instanceof Error && "code" in cause && cause.code === "EPERM"
  }
}
