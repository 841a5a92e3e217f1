/**
 * Python with some packages from PyPI, in a directory in `node_modules/.cache`, which is filled once for each list of packages.
 * `light.txt` is for `npm test`, `all.txt`, `worlds.txt`, `data.txt` and `openenv.txt` for `npm run test:long`. Needs `python3` with pip (no venv, which some systems package apart) and, the
 * first time, PyPI.
 */

import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { inRepository } from "../repository.ts"
import { PYTHON } from "./interpreter.ts"

/** An interpreter that has these packages besides its own. */
export const python = (packages: "light" | "all" | "worlds" | "data" | "openenv"): string => {
  const list = inRepository(`test/python/${packages}.txt`)
  const digest = createHash("sha256").update(fs.readFileSync(list)).digest("hex").slice(0, 16)
  const place = path.join(inRepository("node_modules"), ".cache", `hindcast-pypi-${digest}`)
  const program = path.join(place, "bin", "python")
  const done = path.join(place, "done")
  if (fs.existsSync(done)) return program
  // One that was not finished is filled again.
  fs.rmSync(place, { recursive: true, force: true })
  const packagesIn = path.join(place, "packages")
  const quietly = ["--quiet", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
  run(PYTHON, ["-m", "pip", "install", ...quietly, "--target", packagesIn, "-r", list])
  fs.mkdirSync(path.dirname(program), { recursive: true })
  fs.writeFileSync(program, `#!/bin/sh\nPYTHONPATH='${packagesIn}' exec ${PYTHON} "$@"\n`, { mode: 0o755 })
  fs.writeFileSync(done, "")
  return program
}

const run = (command: string, args: ReadonlyArray<string>): void => {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8" })
  if (status === 0) return
  const found = error?.message ?? stderr
  throw new Error(
    `${command} ${args.join(" ")}: expected it to succeed, found ${found}. Tests of Python's clients need python3 with pip, and PyPI the first time.`,
  )
}
