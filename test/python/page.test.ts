import { afterAll, beforeAll, describe } from "vitest"
import { demoPages } from "../e2e/demoPages.ts"
import { inRepository } from "../repository.ts"
import { isRecent } from "./interpreter.ts"

const before = process.env.PYTHONPATH

beforeAll(() => {
  // As if the wheel were installed, which `test/long` tries.
  process.env.PYTHONPATH = inRepository("python", "src")
})
afterAll(() => {
  if (before === undefined) delete process.env.PYTHONPATH
  else process.env.PYTHONPATH = before
})

describe.skipIf(!isRecent())("Python's pages", () => {
  demoPages(["guides/use-from-python.md", "guides/record-in-python.md"], { tasks: 23 })
})
