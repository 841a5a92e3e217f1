import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import * as Session from "../cli/files/session.ts"
import { inRepository } from "../repository.ts"
import { isRecent, PYTHON } from "./interpreter.ts"

/** A session that edited a file, for the questions about recorded files. */
const recorded = async () => {
  const { root, log, write, at, session, close } = await Session.project()
  write("src/app.ts", "const one = 1\n")
  write("logo.png", Buffer.from([0x89, 0x50, 0, 1]))
  write(".env", "TOKEN=1\n")
  const { prompt, call, end } = session()
  await prompt("add a line")
  await call("Edit", { file_path: at("src/app.ts") }, () => write("src/app.ts", "const one = 1\nconst two = 2\n"))
  await end()
  await close()
  return { HINDCAST_TEST_FILES_LOG: log, HINDCAST_TEST_FILES_ROOT: root }
}

/** Runs one module of `python/tests`, and returns how it ended and what it said. */
const unittest = async (module: string, given: NodeJS.ProcessEnv = {}) => {
  const child = spawn(PYTHON, ["-W", "error", "-m", "unittest", "-v", `tests.${module}`], {
    cwd: inRepository("python"),
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      ...given,
      HINDCAST_LOG: undefined,
      HINDCAST_BIN: MAIN,
      PYTHONPATH: inRepository("python", "src"),
      PYTHONDONTWRITEBYTECODE: "1",
    },
  })
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const [code] = await once(child, "close")
  return { code, said }
}

describe.skipIf(!isRecent())("the Python package", () => {
  it.each([
    "test_program",
    "test_connection",
    "test_log",
    "test_env",
    "test_record",
    "test_together",
    "test_vector",
    "test_server",
    "test_kernel",
    "test_frameworks",
    "test_host",
    "test_docs",
  ])(
    "passes its own tests: %s",
    async (module) => {
      const { code, said } = await unittest(module)
      expect(said).toMatch(/\nRan [1-9]\d* tests? in /)
      expect(said).not.toMatch(/^(?:ERROR|FAIL): /m)
      expect(code).toBe(0)
    },
    300_000,
  )

  it("answers about recorded files", async () => {
    const { code, said } = await unittest("test_files", await recorded())
    expect(said).toMatch(/\nRan [1-9]\d* tests? in /)
    expect(said).not.toMatch(/^(?:ERROR|FAIL): |skipped/m)
    expect(code).toBe(0)
  }, 300_000)
})
