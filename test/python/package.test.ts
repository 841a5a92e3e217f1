import { spawn } from "node:child_process"
import { once } from "node:events"
import { describe, expect, it } from "vitest"
import { MAIN } from "../built.ts"
import { inRepository } from "../repository.ts"
import { isRecent, PYTHON } from "./interpreter.ts"

/** Runs one module of `python/tests`, and returns how it ended and what it said. */
const unittest = async (module: string) => {
  const child = spawn(PYTHON, ["-W", "error", "-m", "unittest", "-v", `tests.${module}`], {
    cwd: inRepository("python"),
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
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
  it.each(["test_program", "test_connection", "test_log", "test_env", "test_docs"])(
    "passes its own tests: %s",
    async (module) => {
      const { code, said } = await unittest(module)
      expect(said).toMatch(/\nRan [1-9]\d* tests? in /)
      expect(said).not.toMatch(/^(?:ERROR|FAIL): /m)
      expect(code).toBe(0)
    },
    300_000,
  )
})
