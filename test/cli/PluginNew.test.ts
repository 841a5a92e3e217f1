import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { WITHOUT_PROGRAMS } from "../kernel/onDenoAlone.ts"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

/** A project that Hindcast is installed in. */
const project = workplace()
afterAll(project.remove)
fs.mkdirSync(project.file("node_modules"))
fs.symlinkSync(inRepository(), project.file("node_modules/hindcast"))

const at = { cwd: project.directory }

const read = (...names: ReadonlyArray<string>) => fs.readFileSync(path.join(project.directory, ...names), "utf8")

describe("plugin new", () => {
  it("starts a plugin that passes the check, and whose own test passes in its sandbox", async () => {
    const made = await document(["plugin", "new", "plugins/shopping"], at)
    expect(made).toEqual({
      name: "shopping",
      directory: path.join(project.directory, "plugins", "shopping"),
      files: ["README.md", "entry.ts", "looper-plugin.json", "plugin.test.mjs"],
      installed: true,
    })
    expect(await document(["plugin", "check", "plugins/shopping"], at)).toMatchObject({
      name: "shopping",
      problems: [],
      warnings: [],
    })
    const tested = spawnSync(process.execPath, ["--test", "plugins/shopping/plugin.test.mjs"], {
      cwd: project.directory,
      encoding: "utf8",
      env: { ...process.env, NODE_TEST_CONTEXT: undefined, VITEST: undefined, NODE_OPTIONS: undefined },
    })
    expect(tested.stdout).toMatch(/^[#ℹ] pass 3$/m)
    expect(tested.status).toBe(0)
  })

  it("works by what it prints, also where nothing but Deno confines a plugin", async () => {
    const alone = { ...at, env: { PATH: WITHOUT_PROGRAMS } }
    const { stdout } = await hindcast(["plugin", "new", "plugins/alone"], alone)
    const lines = stdout.split("\n").flatMap((line) => / {2}\S+ \S+main\.js (plugin .+)$/.exec(line)?.[1] ?? [])
    expect(lines).toEqual(["plugin check plugins/alone", "plugin add plugins/alone --sandbox flags"])
    expect(stdout).toContain("only Deno's permissions confine it. The consent is recorded for this version.")
    for (const line of lines) expect((await hindcast([...line.split(" "), "--log", "alone.db"], alone)).code).toBe(0)
    const tested = spawnSync(process.execPath, ["--test", "plugins/alone/plugin.test.mjs"], {
      cwd: project.directory,
      encoding: "utf8",
      env: { ...process.env, ...alone.env, NODE_TEST_CONTEXT: undefined, VITEST: undefined, NODE_OPTIONS: undefined },
    })
    expect(tested.stdout).toMatch(/^[#ℹ] pass 3$/m)
    const agent = project.file(
      "looks.mjs",
      'export default { name: "looks", version: "1", decide: ({ readings }) => ({ done: "achieved", reason: JSON.stringify(readings) }) }',
    )
    const run = ["run", "--agent", agent, "--goal", "g", "--log", "alone.db"]
    expect((await hindcast(run, alone)).code).toBe(0)
    const { events } = await document(["log", "ls", "--type", "PluginStarted", "--log", "alone.db"], alone)
    expect(events).toMatchObject([{ payload: { plugin: "alone", layer: "none" } }])
  })

  it("names the JSON Schema where an editor finds it, and the plugin by one name everywhere", async () => {
    await document(["plugin", "new", "a/b/Garden", "--name", "garden-1"], at)
    const manifest = JSON.parse(read("a/b/Garden", "looper-plugin.json"))
    expect(manifest.$schema).toBe("../../../node_modules/hindcast/schema/looper-plugin.schema.json")
    const schema = JSON.parse(read("a/b/Garden", manifest.$schema))
    expect(schema.title).toBe("looper-plugin.json")
    expect(manifest.name).toBe("garden-1")
    expect(manifest.peas.performance[0].rewards[0].rule).toContain('state.readings["garden-1/list"]')
    expect(read("a/b/Garden", "README.md")).toMatch(/^# garden-1$/m)
    for (const file of fs.readdirSync(project.file("a/b/Garden"))) {
      expect(read("a/b/Garden", file)).not.toContain("my-plugin")
    }
  })

  it("says what to do next, and what is missing where Hindcast is not installed", async () => {
    const elsewhere = workplace()
    const { stdout } = await hindcast(["plugin", "new", "thing"], { cwd: elsewhere.directory })
    expect(stdout).toContain("npm install PATH-TO-THE-CLONE")
    expect(stdout).toMatch(
      /plugin check thing\n {2}node --test thing\/plugin\.test\.mjs\n.*plugin add thing( --sandbox flags\n.*)?\n$/,
    )
    const manifest = JSON.parse(fs.readFileSync(elsewhere.file("thing/looper-plugin.json"), "utf8"))
    expect(fs.existsSync(new URL(manifest.$schema))).toBe(true)
    elsewhere.remove()
  })

  it("writes nothing where something is already, and takes an empty directory", async () => {
    fs.mkdirSync(project.file("full"))
    project.file("full/mine.txt", "mine")
    const full = await hindcast(["plugin", "new", "full"], at)
    expect(full).toMatchObject({ code: 1, stdout: "" })
    expect(full.stderr).toMatch(
      /full: expected a new or an empty directory, found mine\.txt in it\. Nothing was written\.$/m,
    )
    expect(fs.readdirSync(project.file("full"))).toEqual(["mine.txt"])
    const file = await hindcast(["plugin", "new", "full/mine.txt", "--name", "x"], at)
    expect(file).toMatchObject({ code: 1, stderr: expect.stringContaining("found a file") })
    fs.mkdirSync(project.file("empty"))
    expect((await hindcast(["plugin", "new", "empty"], at)).code).toBe(0)
  })

  it("takes no name that no plugin can have, from the directory or from --name", async () => {
    for (const [args, expected] of [
      [["No Good"], "a name of a-z, 0-9"],
      [["good", "--name", "../up"], "a name of a-z, 0-9"],
      [["good", "--name", ""], "a value"],
    ] as const) {
      const { code, stderr } = await hindcast(["plugin", "new", ...args], at)
      expect(code).toBe(1)
      expect(stderr).toContain(`expected ${expected}`)
    }
    expect(fs.existsSync(project.file("good"))).toBe(false)
  })
})
