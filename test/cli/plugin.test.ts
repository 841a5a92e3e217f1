import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, keysOf } from "./hindcast.ts"

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
    const agent = inRepository("examples", "agents", "wanderer.mjs")
    const run = await hindcast(["run", "--agent", agent, "--goal", "g", "--plugin", asking(), "--log", "g.db"], at)
    const all = "--grant-read /etc --grant-net example.org --grant-env HOME --grant-run-any"
    expect(run).toMatchObject({ code: 1, stdout: "" })
    expect(run.stderr).toMatch(new RegExp(`by \`node \\S+main\\.js plugin add \\S+asking ${all} --log g\\.db\`; a run`))
  })

  it("shows what is asked and what was granted", async () => {
    const grants = ["--grant-read", "/etc", "--grant-net=example.org", "--grant-env", "HOME", "--grant-run-any"]
    const added = await document(["plugin", "add", asking(), "--log", "g.db", ...grants, "--no-activate"], at)
    expect(keysOf(added)).toEqual([
      ...[
        "active",
        "asked",
        "consentMissing",
        "description",
        "digest",
        "directory",
        "granted",
        "name",
        "origin",
        "status",
        "version",
      ],
      "warnings",
    ])
    expect(added).toMatchObject({
      active: false,
      status: "installed",
      origin: { kind: "directory", path: place.file("asking") },
      asked: { read: ["/etc"], net: ["example.org"], env: ["HOME"], run: ["."] },
      granted: { read: ["/etc"], net: ["example.org"], env: ["HOME"], run: [], runAny: true },
    })
    const { stdout } = await hindcast(["plugin", "add", asking(), "--log", "g.db", ...grants], at)
    expect(stdout.split("\n").slice(2, 8)).toEqual([
      "  permission  asks for     granted",
      "  read        /etc         /etc",
      "  net         example.org  example.org",
      "  env         HOME         HOME",
      "  run         .            any command",
      `  from the directory ${place.file("asking")}`,
    ])
    expect(stdout).toContain("Imported; it is active.")
  })

  it("says so where all of it was there already", async () => {
    const add = async (...more: ReadonlyArray<string>) =>
      (await hindcast(["plugin", "add", plugin("ear", manifest()), "--log", "again.db", ...more], at)).stdout
    expect(await add("--no-activate")).toContain("Imported; it is inactive until you activate it.")
    expect(await add()).toContain("Imported; it is active.")
    expect(await add()).toContain("Already imported, unchanged; it is active.")
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
    const number = await hindcast(["plugin", "priority", "ear/hear", "high", ...log], at)
    expect(number).toMatchObject({
      code: 1,
      stderr: 'error: priority: expected a number, such as 10, 0.5 or -3; higher runs first, found "high".\n',
    })
  })

  it("takes a priority with the sign that its own tables show", async () => {
    const set = (text: string) => document(["plugin", "priority", "ear/hear", text, "--log", "m.db"], at)
    expect(await set("−2.5")).toMatchObject({ priority: -2.5 })
    expect(await set("-.5")).toMatchObject({ priority: -0.5 })
    expect((await hindcast(["plugin", "priority", "ear/hear", "1e999", "--log", "m.db"], at)).code).toBe(1)
  })

  it("loads a real plugin of the repository", async () => {
    const checked = await document(["plugin", "check", inRepository("plugins", "workspace")], at)
    expect(checked).toMatchObject({ name: "workspace", granted: { write: [place.directory] } })
  })
})
