import * as fs from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { document, hindcast } from "../../cli/hindcast.ts"
import { isRecent } from "../../python/interpreter.ts"
import { workplace } from "../../workplace.ts"
import { HILL, SPACES } from "./given.ts"

const project = workplace()
afterAll(project.remove)
const at = { cwd: project.directory }

const made = (name: string, code: string): string => {
  fs.mkdirSync(project.file(name))
  fs.writeFileSync(project.file(`${name}/hill.py`), code)
  return name
}

const manifestIn = (name: string) => JSON.parse(fs.readFileSync(project.file(`${name}/looper-plugin.json`), "utf8"))

describe.skipIf(!isRecent())("plugin new --python", () => {
  it("writes a manifest from what the class says, which passes the check and its conformance", async () => {
    made("hill", HILL.replace("class Hill:", 'class Hill:\n    """A hill\n    in the wind.\n\n    More."""'))
    const args = ["plugin", "new", "hill", "--python", "hill:Hill", "--arguments", '{"height":4}']
    expect(await document(args, at)).toMatchObject({ name: "hill", files: ["looper-plugin.json"] })
    expect(manifestIn("hill")).toMatchObject({
      name: "hill",
      description: "A hill in the wind.",
      runtime: "python",
      entry: "hill:Hill",
      variables: [{ key: "height", value: 4 }],
      peas: { environment: { name: "Hill", spaces: SPACES, rewind: ["re-execution"] } },
    })
    expect(await document(["plugin", "check", "hill", "--run"], at)).toMatchObject({ name: "hill", problems: [] })
  })

  it("writes that a class with state and restore is restored by them, and that it has a mask", async () => {
    made(
      "both",
      `${HILL}\n    def state(self): return {}\n    def restore(self, state): pass\n    def action_mask(self): return [1, 1]\n`,
    )
    expect((await hindcast(["plugin", "new", "both", "--python", "hill:Hill"], at)).code).toBe(0)
    expect(manifestIn("both").peas.environment).toMatchObject({ rewind: ["snapshot", "re-execution"], mask: true })
  })

  it.each([
    ["a class that is not there", ["--python", "hill:Valley"], "expected the module hill to have Valley"],
    ["arguments that it does not take", ["--python", "hill:Hill", "--arguments", '{"colour":1}'], "colour"],
    [
      "arguments that are no object",
      ["--python", "hill:Hill", "--arguments", "[1]"],
      "--arguments: expected a JSON object",
    ],
    ["arguments without a class", ["--arguments", "{}"], "--arguments: expected it only with --python"],
  ])("writes nothing for %s", async (name, options, said) => {
    const directory = made(name.replaceAll(" ", "-"), HILL)
    const { code, stderr } = await hindcast(["plugin", "new", directory, "--name", "x", ...options], at)
    expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
    expect(fs.readdirSync(project.file(directory))).toEqual(["hill.py"])
  })

  it("leaves a manifest that is there, and no directory that it made in vain", async () => {
    const directory = made("kept", HILL)
    fs.writeFileSync(project.file("kept/hindcast-plugin.json"), "{}")
    const kept = await hindcast(["plugin", "new", directory, "--python", "hill:Hill"], at)
    expect([kept.code, kept.stderr]).toEqual([
      1,
      expect.stringContaining("found hindcast-plugin.json. Nothing was written"),
    ])
    const { code, stderr } = await hindcast(["plugin", "new", "vain", "--python", "no_such_module:Hill"], at)
    expect([code, stderr]).toEqual([1, expect.stringContaining("expected a module no_such_module")])
    expect(fs.existsSync(project.file("vain"))).toBe(false)
    const file = await hindcast(["plugin", "new", "kept/hill.py", "--name", "x", "--python", "hill:Hill"], at)
    expect([file.code, file.stderr]).toEqual([1, expect.stringContaining("found a file. Nothing was written")])
  })
})
