import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { python } from "../python/environment.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
afterAll(place.remove)

/** The wheel as `hindcast python` has it installed, in a directory of its own. */
const installed = (): string => {
  const target = place.file("installed")
  if (fs.existsSync(target)) return target
  const { stdout } = spawnSync(process.execPath, [MAIN, "python", "--json"], { encoding: "utf8" })
  const { wheel } = JSON.parse(stdout)
  run("python3", [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-index",
    "--target",
    target,
    wheel,
  ])
  return target
}

const run = (program: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv = process.env) => {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: inRepository("python"), encoding: "utf8", env })
  expect([status, status === 0 ? "" : stdout + stderr]).toEqual([0, ""])
  return stdout + stderr
}

describe("the Python package, installed from its wheel", () => {
  const env = () => ({ ...process.env, HINDCAST_LOG: undefined, HINDCAST_BIN: MAIN })

  it("has every file of its sources, and is found by Python", () => {
    const files = (directory: string) =>
      fs
        .readdirSync(directory)
        .filter((name) => name !== "__pycache__")
        .sort()
    expect(files(path.join(installed(), "hindcast"))).toEqual(files(inRepository("python", "src", "hindcast")))
    const program = "import hindcast; print(hindcast.__file__)"
    const { stdout } = spawnSync("python3", ["-c", program], {
      encoding: "utf8",
      env: { ...env(), PYTHONPATH: installed() },
    })
    expect(stdout.trim()).toBe(path.join(installed(), "hindcast", "__init__.py"))
  })

  it("passes Gymnasium's check_env, PettingZoo's tests, and its own with Gymnasium, numpy, pandas and polars", () => {
    // The interpreter sets its own PYTHONPATH. The wheel's directory comes before it, also in processes of the tests.
    const runner = [
      "import os, sys, unittest",
      `place = ${JSON.stringify(installed())}`,
      "sys.path.insert(0, place)",
      'os.environ["PYTHONPATH"] = os.pathsep.join([place, os.environ["PYTHONPATH"]])',
      "unittest.main(module=None)",
    ].join("\n")
    for (const module of ["tests.test_env", "tests.test_log", "tests.test_together"]) {
      const said = run(python("worlds"), ["-c", runner, "-v", module], env())
      expect(said).toMatch(/\nOK/)
      if (module === "tests.test_env") expect(said).toMatch(/test_are_environments_of_gymnasium[^\n]*\.\.\. /)
      expect(said).not.toMatch(/skipped '(?:Gymnasium|PettingZoo) is not installed'/)
    }
  }, 900_000)

  it("records the nodes and hand-offs of LangGraph, Pydantic AI and the OpenAI Agents SDK", () => {
    const place = { ...env(), PYTHONPATH: undefined }
    const program = [
      "import os, sys, unittest",
      `sys.path.insert(0, ${JSON.stringify(installed())})`,
      "unittest.main(module=None)",
    ].join("\n")
    const said = run(python("all"), ["-c", program, "-v", "tests.test_frameworks"], place)
    expect(said).toMatch(/\nOK/)
    expect(said).not.toMatch(/skipped/)
  }, 900_000)

  it("has types in which mypy --strict finds nothing wrong", () => {
    run(python("worlds"), ["-m", "mypy", "--strict", "--cache-dir", place.file("mypy"), "src"])
  }, 300_000)
})
