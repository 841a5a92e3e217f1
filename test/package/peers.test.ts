import { createRequire } from "node:module"
import { describe, expect, it } from "vitest"

const require = createRequire(import.meta.url)
const { dependencies, peerDependencies, peerDependenciesMeta } = require("../../package.json")

/** The least version of a range that a package asks for `effect` with. */
const leastEffect = (name: string): ReadonlyArray<number> => {
  const range: string = require(`${name}/package.json`).peerDependencies.effect
  const least = /^\^(3)\.(\d+)\.(\d+)$/.exec(range)
  if (least === null) throw new Error(`${name}: expected ^3.x.y, found ${range}`)
  return least.slice(1).map(Number)
}

describe("what Hindcast asks of an installation", () => {
  it("is the least effect that all of Hindcast's dependencies allow", () => {
    const asked = Object.keys(dependencies)
      .filter((name) => name.startsWith("@effect/"))
      .map(leastEffect)
    const [least = []] = asked.sort(
      ([, minor = 0, patch = 0], [, otherMinor = 0, otherPatch = 0]) => otherMinor - minor || otherPatch - patch,
    )
    expect(dependencies.effect).toBe(`^${least.join(".")}`)
  })

  it("is no test runner, and any vitest from 3.2 on where one is installed", () => {
    expect(peerDependencies.vitest).toBe(">=3.2.0")
    expect(peerDependenciesMeta).toEqual(
      Object.fromEntries(Object.keys(peerDependencies).map((name) => [name, { optional: true }])),
    )
  })
})
