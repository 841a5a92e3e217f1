import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { document, hindcast, inRepository, keysOf, workplace } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const ENTRY = "export default { sensors: { hear: () => 1 } }\n"

const manifest = (changes: object = {}) => ({
  name: "ear",
  description: "Hears.",
  version: "1.0.0",
  entry: "entry.ts",
  permissions: { read: [], run: [] },
  peas: { performance: [], sensors: [{ name: "hear", description: "What is heard." }] },
  ...changes,
})

const plugin = (name: string, json: object) => {
  const directory = place.file(name)
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(json))
  fs.writeFileSync(path.join(directory, "entry.ts"), ENTRY)
  return directory
}

const at = { cwd: place.directory }

describe("plugin check", () => {
  it("names every mistake of a manifest at once", async () => {
    const directory = plugin("bad", manifest({ name: "No Good", version: 3, surprise: true }))
    const { code, stdout, stderr } = await hindcast(["plugin", "check", directory], at)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^error: .*looper-plugin\.json has 3 mistakes:\n/)
    for (const mistake of ["/name", "/version", "/surprise"]) expect(stderr).toContain(`\n  ${mistake}: expected `)
  })

  it("lets pass with warnings what is only unusual, where it is told to", async () => {
    const directory = plugin("odd", manifest({ surprise: true }))
    expect((await hindcast(["plugin", "check", directory], at)).code).toBe(1)
    const checked = await document(["plugin", "check", directory, "--lenient"], at)
    expect(keysOf(checked)).toEqual(["asked", "description", "digest", "granted", "name", "version", "warnings"])
    expect(checked.warnings).toEqual([expect.stringContaining("/surprise")])
  })

  it("makes no log, and says so where there is no plugin", async () => {
    const { code, stderr } = await hindcast(["plugin", "check", place.directory], at)
    expect(code).toBe(1)
    expect(stderr).toContain("looper-plugin.json")
    expect(fs.existsSync(place.file(".hindcast"))).toBe(false)
  })
})

describe("plugin add", () => {
  const asking = () =>
    plugin(
      "asking",
      manifest({ name: "asking", permissions: { read: ["/etc"], net: ["example.org"], env: ["HOME"], run: ["."] } }),
    )

  it("refuses what was not granted, and names the options that would grant it", async () => {
    const { code, stderr } = await hindcast(["plugin", "add", asking(), "--log", "g.db"], at)
    expect(code).toBe(1)
    for (const flag of ["--grant-read /etc", "--grant-net example.org", "--grant-env HOME", "--grant-run-any"]) {
      expect(stderr).toContain(flag)
    }
  })

  it("shows what is asked and what was granted", async () => {
    const grants = ["--grant-read", "/etc", "--grant-net=example.org", "--grant-env", "HOME", "--grant-run-any"]
    const added = await document(["plugin", "add", asking(), "--log", "g.db", ...grants, "--no-activate"], at)
    expect(keysOf(added)).toEqual(
      ["active", "asked", "description", "digest", "directory", "granted", "name", "version", "warnings"].sort(),
    )
    expect(added).toMatchObject({
      active: false,
      asked: { read: ["/etc"], net: ["example.org"], env: ["HOME"], run: ["."] },
      granted: { read: ["/etc"], net: ["example.org"], env: ["HOME"], run: [], runAny: true },
    })
    const { stdout } = await hindcast(["plugin", "add", asking(), "--log", "g.db", ...grants], at)
    expect(stdout).toMatch(/run\s+asked \.; granted any command/)
    expect(stdout).toContain("Imported; it takes part.")
  })

  it("says so where all of it was there already", async () => {
    const add = async (...more: ReadonlyArray<string>) =>
      (await hindcast(["plugin", "add", plugin("ear", manifest()), "--log", "again.db", ...more], at)).stdout
    expect(await add("--no-activate")).toContain("Imported; it does not take part until it is activated.")
    expect(await add()).toContain("Imported; it takes part.")
    expect(await add()).toContain("Already imported, unchanged; it takes part.")
    expect((await document(["log", "info", "--log", "again.db"], at)).head).toMatchObject({ position: 2 })
  })
})

describe("the registry", () => {
  it("is changed by a person, in whose name it is recorded", async () => {
    const log = ["--log", "r.db"]
    await document(["plugin", "add", plugin("ear", manifest()), ...log], at)
    expect(await document(["plugin", "priority", "ear/hear", "-2.5", ...log], at)).toEqual({
      component: "ear/hear",
      priority: -2.5,
    })
    expect((await hindcast(["plugin", "list", ...log], at)).stdout).toMatch(/ear\/hear .* −2\.5\n/)
    expect(await document(["plugin", "deactivate", "ear/hear", ...log], at)).toEqual({
      target: "ear/hear",
      active: false,
    })
    const { plugins } = await document(["plugin", "list", ...log], at)
    expect(plugins).toMatchObject([
      { name: "ear", active: true, components: [{ name: "ear/hear", kind: "sensor", active: false, priority: -2.5 }] },
    ])
    expect(await document(["plugin", "activate", "ear/hear", ...log], at)).toEqual({ target: "ear/hear", active: true })
    expect(await document(["plugin", "remove", "ear", ...log], at)).toEqual({ removed: "ear" })
    const { events } = await document(["log", "ls", ...log], at)
    expect(events).toMatchObject(
      [
        "PluginImported",
        "PluginActivated",
        "PriorityChanged",
        "ComponentDeactivated",
        "ComponentActivated",
        "PluginRemoved",
      ].map((type) => ({ type, actor: expect.stringMatching(/^human:/) })),
    )
  })

  it("keeps metadata: shown, set as JSON, removed", async () => {
    const log = ["--log", "m.db"]
    await document(["plugin", "add", plugin("ear", manifest()), ...log], at)
    const meta = (...args: ReadonlyArray<string>) =>
      document(["plugin", "meta", "ear/hear", "unit", ...args, ...log], at)
    expect(await meta('{"name":"dB"}')).toEqual({
      target: "ear/hear",
      key: "unit",
      exists: true,
      value: { name: "dB" },
    })
    expect(await meta()).toMatchObject({ exists: true, value: { name: "dB" } })
    expect(await meta("--unset")).toMatchObject({ exists: false, value: null })
  })

  it("takes no value that is not JSON, no priority of a whole plugin", async () => {
    const log = ["--log", "m.db"]
    const value = await hindcast(["plugin", "meta", "ear", "unit", "dB", ...log], at)
    expect(value).toMatchObject({
      code: 1,
      stderr: `error: value: expected JSON (text in quotes: '"dB"'), found dB.\n`,
    })
    const priority = await hindcast(["plugin", "priority", "ear", "3", ...log], at)
    expect(priority).toMatchObject({ code: 1, stderr: expect.stringContaining("plugin/component") })
  })

  it("loads a real plugin of the repository", async () => {
    const checked = await document(["plugin", "check", inRepository("plugins", "workspace")], at)
    expect(checked).toMatchObject({ name: "workspace", granted: { write: [place.directory] } })
  })
})
