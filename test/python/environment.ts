/**
 * Python with some packages from PyPI, in a virtual environment in `node_modules/.cache`, which is made once for each list of packages.
 * `light.txt` is for `npm test`, `all.txt` for `npm run test:long`. Needs `python3` and, the first time, a network.
 */

import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { inRepository } from "../repository.ts"

/** The interpreter of the environment with these packages. */
export const python = (packages: "light" | "all"): string => {
  const list = inRepository(`test/python/${packages}.txt`)
  const digest = createHash("sha256").update(fs.readFileSync(list)).digest("hex").slice(0, 16)
  const place = path.join(inRepository("node_modules"), ".cache", `hindcast-python-${digest}`)
  const program = path.join(place, "bin", "python")
  const done = path.join(place, "done")
  if (fs.existsSync(done)) return program
  // A virtual environment cannot be moved: one that was not finished is made again in its place.
  fs.rmSync(place, { recursive: true, force: true })
  run("python3", ["-m", "venv", place])
  run(program, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--only-binary", ":all:", "-r", list])
  fs.writeFileSync(done, "")
  return program
}

const run = (command: string, args: ReadonlyArray<string>): void => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" })
  if (status === 0) return
  const found = error?.message ?? stderr
  throw new Error(
    `${command} ${args.join(" ")}: expected it to succeed, found ${found}. Tests of Python's clients need python3 with venv, and PyPI the first time.`,
  )
}
