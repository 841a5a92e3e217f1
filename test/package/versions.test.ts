import * as fs from "node:fs"
import { createRequire } from "node:module"
import { expect, it } from "vitest"
import { VERSION } from "../../src/kernel/versions.ts"

const { version } = createRequire(import.meta.url)("../../package.json")

it("the version that Hindcast says is that of its package", () => {
  expect(VERSION).toBe(version)
})

it("each version in the changelog has every heading of Keep a Changelog once, in its order, and no code of an issue", () => {
  const changelog = fs.readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8")
  const order = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"]
  const [, newest = "", before = ""] = changelog.split(/^## /m)
  for (const section of [newest, before]) {
    const found = [...section.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading)
    expect(found).toEqual(order.filter((heading) => found.includes(heading)))
    expect(section).not.toMatch(/\([A-Z]\d+(?:, [A-Z]\d+)*\)/)
  }
})

it("the changelog's newest number is that of the package; what comes after it has none yet", () => {
  const changelog = fs.readFileSync(new URL("../../CHANGELOG.md", import.meta.url), "utf8")
  const headings = [...changelog.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings.filter((heading, index) => index > 0 || heading !== "Unreleased")).toEqual([
    version,
    "0.3.0",
    "0.2.0",
    "0.1.0",
  ])
})
