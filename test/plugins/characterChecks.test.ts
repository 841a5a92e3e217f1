import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { bareManifest } from "./fixtures.ts"

const issuesOf = (manifest: unknown) =>
  Either.match(Manifest.decode(manifest, { lenient: true }), {
    onLeft: ({ issues }) => issues.map(({ path, found }) => [path, found]),
    onRight: () => [],
  })

const peas = (more: JsonObject) => ({ ...bareManifest, peas: { ...bareManifest.peas, ...more } })

const measure = (more: JsonObject) => ({
  ...bareManifest.peas.performance[0],
  ...more,
})

const long = (length: number) => "x".repeat(length)

describe("the text of a manifest", () => {
  it.each([
    ["a name of 5,000 characters", { ...bareManifest, name: long(5_000) }, "/name", "5,000 characters"],
    ["a name of 65 characters", { ...bareManifest, name: long(65) }, "/name", "65 characters"],
    ["NUL in a version", { ...bareManifest, version: "1.0\0" }, "/version", '"1.0\\u{0}"'],
    ["a line break in a version", { ...bareManifest, version: "1\n2" }, "/version", '"1\\n2"'],
    ["a version of 65 characters", { ...bareManifest, version: long(65) }, "/version", "65 characters"],
    ["direction in a version", { ...bareManifest, version: "1\u202e" }, "/version", '"1\\u{202e}"'],
    ["an escape in a description", { ...bareManifest, description: "a\u001b[2J" }, "/description", '"a\\u{1b}[2J"'],
    ["a long description", { ...bareManifest, description: long(8_193) }, "/description", "8,193 characters"],
    ["half a character", { ...bareManifest, description: "a\ud800" }, "/description", "text with a lone surrogate"],
    ["a long entry", { ...bareManifest, entry: long(1_025) }, "/entry", "1,025 characters"],
    [
      "a filler in a permission",
      { ...bareManifest, permissions: { read: ["/a", "/b\u3164"], run: [] } },
      "/permissions/read/1",
      '"/b\\u{3164}"',
    ],
    [
      "C1 in a sensor's name",
      peas({ sensors: [{ name: "a\u009b", description: "d" }] }),
      "/peas/sensors/0/name",
      '"a\\u{9b}"',
    ],
    [
      "no width in an actuator's name",
      peas({ actuators: [{ name: "rm\u200b", description: "d" }] }),
      "/peas/actuators/0/name",
      '"rm\\u{200b}"',
    ],
    [
      "a long name of an actuator",
      peas({ actuators: [{ name: long(65), description: "d" }] }),
      "/peas/actuators/0/name",
      "65 characters",
    ],
    [
      "direction in a rule of a world",
      peas({ environment: { name: "w", description: "d", rules: ["no\u2066"] } }),
      "/peas/environment/rules/0",
      '"no\\u{2066}"',
    ],
    [
      "a long name of a measure",
      peas({ performance: [measure({ name: long(201) })] }),
      "/peas/performance/0/name",
      "201 characters",
    ],
    [
      "a soft hyphen in a reward",
      peas({ performance: [measure({ rewards: [{ name: "a\u00ad", when: "w", weight: 0.5 }] })] }),
      "/peas/performance/0/rewards/0/name",
      '"a\\u{ad}"',
    ],
  ])("is refused with %s, however lenient", (_, manifest, path, found) => {
    expect(issuesOf(manifest)).toContainEqual([path, found])
  })

  it("may have several lines and any script where it is prose", () => {
    const description = "Erste Zeile:\n\t1. лес, 森, غابة 🌲\r\nZweite."
    expect(issuesOf({ ...bareManifest, name: long(64), version: long(64), description })).toEqual([])
  })

  it("is not held to bounds that came after it was accepted", () => {
    const recorded = { ...bareManifest, version: "1\0", name: long(5_000) }
    expect(Either.isRight(Manifest.decode(recorded, { lenient: true, accepted: true }))).toBe(true)
  })

  it("is in bounds in every plugin that comes with Hindcast", () => {
    for (const place of [
      "plugins/text-room",
      "plugins/workspace",
      "packages/python",
      "examples/plugins/boiler",
      "template/plugin",
    ]) {
      const file = fileURLToPath(new URL(`../../${place}/looper-plugin.json`, import.meta.url))
      expect(issuesOf(JSON.parse(fs.readFileSync(file, "utf8")))).toEqual([])
    }
  })
})
