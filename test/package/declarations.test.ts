import { createRequire } from "node:module"
import { expect, it } from "vitest"
import { errorsOf } from "./consumer.ts"

it("Hindcast's declarations have no error where neither Node's types nor DOM's are there", () => {
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc")
  expect(errorsOf(tsc)).toEqual([])
}, 240_000)
