import { createRequire } from "node:module"
import { expect, it } from "vitest"
import { VERSION } from "../../src/kernel/versions.ts"

const { version } = createRequire(import.meta.url)("../../package.json")

it("the version that Hindcast says is that of its package", () => {
  expect(VERSION).toBe(version)
})
