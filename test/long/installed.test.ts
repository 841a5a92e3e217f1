import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { PACKAGE } from "../built.ts"
import { errorsOf, makeProject, run } from "../package/consumer.ts"

/** Installed from the registry, beside what else a project has. Takes minutes, and the network. */
const INSTALL_MS = 600_000

const packed = makeProject()
const made = [packed]
afterAll(() => {
  for (const { remove } of made) remove()
})

// While a command runs, nothing else does: vitest hears of a test between two of them, and gives up after a minute.
afterEach(() => new Promise<void>((resolve) => setImmediate(resolve)))

let tarball = ""
beforeAll(() => {
  const [{ filename }] = JSON.parse(
    run(PACKAGE, "npm", "pack", "--json", "--ignore-scripts", "--pack-destination", packed.directory),
  )
  tarball = path.join(packed.directory, filename)
}, INSTALL_MS)

const project = (): string => {
  const one = makeProject()
  made.push(one)
  return one.directory
}

const CONFORMANCE = `import { EventLog } from "hindcast"
import { suite } from "hindcast/testing"

suite("a log in memory", EventLog.layerMemory())
`

describe.each([3, 4, 5])("beside vitest %i", (version) => {
  it(
    "npm installs it without a conflict of peers",
    () => {
      const directory = project()
      run(directory, "npm", "install", "--package-lock-only", tarball, "effect@3.22.4", `vitest@${version}`)
      const { packages } = JSON.parse(fs.readFileSync(path.join(directory, "package-lock.json"), "utf8"))
      expect(packages["node_modules/vitest"].version).toMatch(new RegExp(`^${version}\\.`))
      expect(packages["node_modules/effect"].version).toBe("3.22.4")
      expect(packages).not.toHaveProperty(["node_modules/@effect/vitest"])
    },
    INSTALL_MS,
  )
})

/** vitest 5 needs Node 22.12. */
const RUNNING = [3, 4, ...(Number(process.versions.node.split(".")[0]) > 22 ? [5] : [])]

it.each(RUNNING)(
  "under vitest %i the conformance suite passes, with the least effect that is allowed",
  (version) => {
    const directory = project()
    run(directory, "npm", "install", "--ignore-scripts", tarball, "effect@3.22.2", `vitest@${version}`)
    fs.writeFileSync(path.join(directory, "log.test.js"), CONFORMANCE)
    const report = run(directory, process.execPath, "node_modules/vitest/vitest.mjs", "run", "--reporter=json")
    const { numPassedTests, numFailedTests, numTotalTests } = JSON.parse(report.slice(report.indexOf("{")))
    expect(numFailedTests).toBe(0)
    expect(numPassedTests).toBe(numTotalTests)
    expect(numTotalTests).toBeGreaterThan(30)
  },
  INSTALL_MS,
)

it.each(["5.5", "6", "7"])(
  "Hindcast's declarations have no error under TypeScript %s",
  (version) => {
    const directory = project()
    run(directory, "npm", "install", `typescript@${version}`)
    expect(errorsOf(path.join(directory, "node_modules", "typescript", "bin", "tsc"))).toEqual([])
  },
  INSTALL_MS,
)

it(
  "beside Effect 4, which Hindcast does not use, npm installs it without a conflict, and a program uses its promises",
  () => {
    const directory = project()
    run(directory, "npm", "install", tarball, "effect@4")
    fs.writeFileSync(path.join(directory, "story.mjs"), STORY)
    expect(run(directory, process.execPath, "story.mjs")).toBe("abandoned\n")
    const { version } = JSON.parse(fs.readFileSync(path.join(directory, "node_modules/effect/package.json"), "utf8"))
    expect(version).toMatch(/^4\./)
  },
  INSTALL_MS,
)

const STORY = `import { open } from "hindcast/promise"
const hindcast = await open({ log: "agent.db" })
const task = await hindcast.tasks.open({ goal: "Retrieve the old document" })
await task.close("abandoned")
console.log((await hindcast.audit(task.id)).outcome)
await hindcast.close()
`
