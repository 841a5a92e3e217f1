import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const at = { cwd: place.directory }

const plugin = (name: string, manifest: string) => {
  const directory = place.file(name)
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), manifest)
  fs.writeFileSync(path.join(directory, "entry.ts"), "export default { sensors: { hear: () => 1 } }\n")
  return directory
}

/** A manifest, one field a line. */
const manifest = (changes: object = {}) =>
  JSON.stringify(
    {
      name: "ear",
      description: "Hears.",
      version: "1.0.0",
      entry: "entry.ts",
      permissions: { read: [], run: [] },
      peas: { performance: [], sensors: [{ name: "hear", description: "What is heard." }] },
      ...changes,
    },
    null,
    2,
  )

const bad = manifest({
  surprise: true,
  entry: "gone.ts",
  permissions: { read: ["/etc"], run: ["."], net: ["example.org"] },
  peas: {
    performance: [
      { name: "m", description: "d", rewards: [{ name: "r", when: "w", weight: 2, rule: "event.type ==" }] },
    ],
    environment: { name: "e", description: "d", scenario: "world.yaml" },
    actuators: [{ name: "say", description: "d", args: { type: "objekt" } }],
  },
})

describe("plugin check", () => {
  it("names everything that is wrong at once: fields, files, schemas, rules, the scenario, grants", async () => {
    const directory = plugin("bad", bad)
    fs.writeFileSync(path.join(directory, "world.yaml"), "a: [")
    const { code, stdout, stderr } = await hindcast(["plugin", "check", directory], at)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    const [first, ...lines] = stderr.trimEnd().split("\n")
    expect(first).toBe(`error: ${directory}/looper-plugin.json has 9 mistakes:`)
    expect(lines.map((line) => line.replace(/: expected .*/, ""))).toEqual([
      "  5:3 /entry",
      "  8:7 /permissions/read/0",
      "  11:7 /permissions/run/0",
      "  14:7 /permissions/net/0",
      "  26:13 /peas/performance/0/rewards/0/weight",
      "  27:13 /peas/performance/0/rewards/0/rule",
      "  35:7 /peas/environment/scenario",
      "  42:11 /peas/actuators/0/args/type",
      "  47:3 /surprise",
    ])
  })

  it("plugin check as JSON gives one document with the place of each problem on the standard output", async () => {
    const directory = plugin("json", manifest({ version: 3 }))
    const { code, stdout, stderr } = await hindcast(["plugin", "check", directory, "--json"], at)
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      file: `${directory}/looper-plugin.json`,
      problems: [
        { path: "/version", line: 4, column: 3, expected: "non-empty text: the plugin's version", found: "3" },
      ],
    })
    expect(JSON.parse(stderr)).toMatchObject({ error: { tag: "ManifestInvalid" } })
  })

  it("names what is asked and not granted, with the options that grant it, beside other problems and alone", async () => {
    const permissions = { read: ["/etc"], run: ["."], net: ["example.org"] }
    for (const changes of [{ permissions }, { permissions, version: 3 }]) {
      const directory = plugin("asking", manifest(changes))
      const { stdout } = await hindcast(["plugin", "check", directory, "--json", "--lenient"], at)
      const { problems } = JSON.parse(stdout)
      expect(problems).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ path: "/permissions/read/0", line: 8, expected: "a grant (--grant-read /etc)" }),
          expect.objectContaining({ path: "/permissions/run/0", expected: "a grant (--grant-run-any)" }),
          expect.objectContaining({ path: "/permissions/net/0", expected: "a grant (--grant-net example.org)" }),
        ]),
      )
      expect(problems).toHaveLength("version" in changes ? 4 : 3)
    }
  })

  it("runs a world and says what its conformance checks found", async () => {
    const world = inRepository("test/worlds/samples/drift")
    const { code, stdout } = await hindcast(["plugin", "check", world, "--run", "--sandbox", "flags"], at)
    expect(code).toBe(0)
    expect(stdout).toContain("conformance: 37 checks passed, 0 failed, 18 do not apply")
    expect(stdout).toContain("does not apply: 44 maps-cover-live-agents: the agents do not act together")
  })

  it("fails where a world fails a check, with one document as JSON", async () => {
    const world = place.file("adrift")
    fs.cpSync(inRepository("test/worlds/samples/drift"), world, { recursive: true })
    const entry = fs.readFileSync(path.join(world, "world.ts"), "utf8")
    fs.writeFileSync(path.join(world, "world.ts"), entry.replace("[at, gust]", "[at, 21]"))
    const { code, stdout, stderr } = await hindcast(
      ["plugin", "check", world, "--run", "--sandbox=flags", "--json"],
      at,
    )
    expect(code).toBe(1)
    expect(JSON.parse(stdout).world).toMatchObject({ world: "drift", conforms: false })
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        tag: "WorldDoesNotConform",
        message: expect.stringMatching(/fails 1 check:\n {2}16 observation-after-reset-in-space: .*found 21$/),
      },
    })
  })

  it("runs nothing but a world in a directory", async () => {
    const noWorld = await hindcast(["plugin", "check", plugin("mute", manifest()), "--run", "--sandbox", "flags"], at)
    expect(noWorld.stderr).toContain("ear declares no spaces, so it is not a world")
    const noDirectory = await hindcast(["plugin", "check", "nowhere.tgz", "--run"], at)
    expect(noDirectory.stderr).toContain("--run: expected a plugin's directory, found nowhere.tgz")
  })

  it("says where a text stops being JSON", async () => {
    const directory = plugin("broken", '{\n  "name": "ear",\n  "version" 1\n}')
    const { stderr } = await hindcast(["plugin", "check", directory], at)
    expect(stderr).toMatch(/has 1 mistake:\n {2}3:13 \(the whole file\): expected JSON, found /)
  })

  it("refuses text that is too long, or that would not be seen as it is", async () => {
    const wild = plugin("wild", manifest({ name: "n".repeat(5_000), version: "1.0\0\u202e" }))
    const { code, stderr } = await hindcast(["plugin", "check", wild, "--lenient"], at)
    expect(code).toBe(1)
    expect(stderr).toMatch(/2:3 \/name: expected a line of at most 64 characters, .+, found 5,000 characters/)
    expect(stderr).toMatch(
      /4:3 \/version: expected a line of at most 64 characters, .+, found "1\.0\\u\{0\}\\u\{202e\}"/,
    )
    expect(stderr).not.toMatch(/[\0\u202e]/)
  })

  it("lets pass with warnings what is only unusual, where it is told to", async () => {
    const directory = plugin("odd", manifest({ surprise: true }))
    expect((await hindcast(["plugin", "check", directory], at)).code).toBe(1)
    const checked = await document(["plugin", "check", directory, "--lenient"], at)
    expect(checked).toMatchObject({ name: "ear", problems: [], warnings: [expect.stringContaining("/surprise")] })
  })

  it("takes a manifest called hindcast-plugin.json, and names the one to remove of two", async () => {
    const directory = plugin("renamed", manifest())
    const [first, second] = ["looper-plugin.json", "hindcast-plugin.json"].map((name) => path.join(directory, name))
    fs.renameSync(first ?? "", second ?? "")
    expect(await document(["plugin", "check", directory], at)).toMatchObject({ name: "ear", problems: [] })
    fs.copyFileSync(second ?? "", first ?? "")
    const { code, stderr } = await hindcast(["plugin", "check", directory], at)
    expect(code).toBe(1)
    expect(stderr).toContain("expected one manifest, found looper-plugin.json and hindcast-plugin.json: remove")
  })

  it("makes no log, and says so where there is no plugin", async () => {
    const { code, stderr } = await hindcast(["plugin", "check", place.directory], at)
    expect(code).toBe(1)
    expect(stderr).toContain("looper-plugin.json")
    const nothing = await hindcast(["plugin", "check", "nope"], at)
    expect(nothing.stderr).toMatch(/^error: Plugin nope .*: expected a directory, .*; found nothing at \S+nope\n$/)
    expect(fs.existsSync(place.file(".hindcast"))).toBe(false)
  })

  it("takes the plugins of the package and the template, at their word", async () => {
    for (const directory of [inRepository("plugins", "text-room"), inRepository("template", "plugin")]) {
      expect(await document(["plugin", "check", directory], at)).toMatchObject({ problems: [], warnings: [] })
    }
  })
})
