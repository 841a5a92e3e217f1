import * as fs from "node:fs"
import { afterAll, beforeAll, describe } from "vitest"
import { demoPages } from "../e2e/demoPages.ts"
import { followed } from "../e2e/page.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
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
  demoPages(["guides/use-from-python.md", "guides/record-in-python.md", "guides/agent-in-python.md"], { tasks: 23 })

  describe("docs/guides/bring-your-environment.md, followed word by word", () => {
    const place = workplace()
    afterAll(place.remove)
    fs.mkdirSync(place.file("climb"))
    followed(inRepository("docs", "guides", "bring-your-environment.md"), place.directory, {
      writes: /^hindcast (plugin|rollout)\b/,
    })
  })
})
