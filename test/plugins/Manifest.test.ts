import { readdirSync, readFileSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect, Either } from "effect"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { inRepository } from "../repository.ts"
import { bareManifest, temporaryDirectory, writeFiles } from "./fixtures.ts"

const mistakesIn = (json: unknown, options?: Manifest.DecodeOptions) =>
  Either.match(Manifest.decode(json, options), { onLeft: ({ message }) => message, onRight: () => "none" })

const decoded = (json: unknown, options?: Manifest.DecodeOptions) => Either.getOrThrow(Manifest.decode(json, options))

describe("decode", () => {
  it("a manifest with nothing optional is accepted as it is", () => {
    expect(decoded(bareManifest)).toEqual({ manifest: bareManifest, warnings: [] })
  })

  it("names of actions are held to the action space, and are given once", () => {
    const world = (actions: unknown, action: unknown = { type: "Discrete", n: 2 }) =>
      Manifest.decode({
        ...bareManifest,
        peas: {
          ...bareManifest.peas,
          environment: { name: "e", description: "d", spaces: { observation: action, action }, actions },
        },
      })
    const mistakes = (...given: Parameters<typeof world>) =>
      Either.match(world(...given), { onLeft: ({ issues }) => issues.map(Manifest.describe), onRight: () => [] })
    expect(mistakes(["back", { name: "forward", key: "right" }])).toEqual([])
    expect(mistakes(["back"])).toEqual([
      "/peas/environment/actions: expected a name for each of the 2 actions, found 1",
    ])
    expect(mistakes(["go", { name: "go", key: "g" }])).toEqual([
      "/peas/environment/actions/1: expected a unique name for each action, found go again",
    ])
    expect(
      mistakes([
        { name: "a", key: "g" },
        { name: "b", key: "g" },
      ]),
    ).toEqual(["/peas/environment/actions/1: expected a unique key for each action, found g again"])
    expect(mistakes(["a", "b"], { type: "Text", max_length: 5 })).toEqual([
      "/peas/environment/actions: expected names only for a Discrete action space, found 2",
    ])
    // No key may be the one that ends a game.
    expect([...mistakes(["a", { name: "b", key: "q" }]), ...mistakes(["a", "Up"])]).toEqual([
      '/peas/environment/actions/1/key: expected a lower-case letter other than q, "left", "right", "up", "down" or "space", found "q"',
      '/peas/environment/actions/1: expected the name of an action in lower-case letters, digits, spaces, - and _, or { name, key }, found "Up"',
    ])
  })

  it("an environment has rewards of different names, a mask only with actions, and one thing to begin with", () => {
    const environment = (fields: object) =>
      Either.match(
        Manifest.decode({
          ...bareManifest,
          peas: { ...bareManifest.peas, environment: { name: "e", description: "d", ...fields } },
        }),
        { onLeft: ({ issues }) => issues.map(Manifest.describe), onRight: () => [] },
      )
    const action = { type: "Discrete", n: 2 }
    const spaces = { observation: action, action }
    expect(environment({ spaces, rewards: ["speed", "care"], mask: true, scenario: "a.yaml" })).toEqual([])
    expect(environment({ spaces, mask: "advice", max_episode_steps: null })).toEqual([])
    expect(environment({ spaces, rewards: ["speed", "care", "speed"] })).toEqual([
      '/peas/environment/rewards/2: expected a unique name for each reward, found "speed" again',
    ])
    for (const mask of [true, false])
      expect(environment({ mask })).toEqual([
        "/peas/environment/mask: expected spaces, because a mask marks legal actions, found none",
      ])
    expect(environment({ scenario: "a.yaml", configuration: "b.yaml" })).toEqual([
      "/peas/environment/configuration: expected a scenario or a configuration, found both",
    ])
  })

  it("an environment written in Python has a class, a version, spaces, and nothing that its class could not answer", () => {
    const space = { type: "Discrete", n: 2 }
    const environment = { name: "e", description: "d", spaces: { observation: space, action: space } }
    const { performance } = bareManifest.peas
    const python = { ...bareManifest, runtime: "python", python: ">=3.9", entry: "climb.hill:Hill" }
    const mistakes = (given: object) =>
      Either.match(
        Manifest.decode(JSON.parse(JSON.stringify({ ...python, peas: { performance, environment }, ...given }))),
        {
          onLeft: ({ issues }) => issues.map(({ path, found }) => `${path}: ${found}`),
          onRight: () => [],
        },
      )
    expect(mistakes({})).toEqual([])
    expect(mistakes({ python: "3.11.4", permissions: { read: ["."], run: [], env: ["KEY"] } })).toEqual([])
    for (const version of ["2.7", "3", ">3.9", "3.9 ", "3.x"]) expect(mistakes({ python: version })).toHaveLength(1)
    for (const entry of ["climb.py", "climb:", ":Hill", "../climb:Hill", "climb:Hill()", "a b:C"])
      expect(mistakes({ entry })).toContain(`/entry: ${JSON.stringify(entry)}`)
    expect(mistakes({ python: undefined })).toEqual(["/python: none"])
    expect(mistakes({ runtime: undefined, entry: "main.ts" })).toEqual(["/python: another runtime"])
    expect(mistakes({ peas: { performance, environment: { ...environment, spaces: undefined } } })).toEqual([
      "/peas/environment/spaces: none",
    ])
    const several = { ...environment, max_agents: 2, rewind: ["stateless"] }
    const sensors = [{ name: "look", description: "Looks" }]
    const judged = [{ ...performance[0], critic: "plugin" }]
    expect(
      mistakes({
        instance: "kernel",
        permissions: { read: [], run: ["git"], write: ["."], net: ["a.org"] },
        peas: { performance: judged, environment: several, sensors },
      }),
    ).toEqual([
      "/peas/environment/max_agents: 2",
      "/peas/environment/rewind: stateless",
      "/peas/sensors: 1",
      '/peas/performance/0/critic: "plugin"',
      '/instance: "kernel"',
      '/permissions/run: ["git"]',
      '/permissions/write: ["."]',
      '/permissions/net: ["a.org"]',
    ])
  })

  it("a manifest with every field is accepted as it is", () => {
    const full = {
      ...bareManifest,
      permissions: { read: ["."], run: ["git"], write: ["out"], net: ["example.org"], env: ["TOKEN"] },
      peas: {
        performance: [
          {
            name: "Gentle & quick",
            description: "d",
            rewards: [{ name: "r", when: "w", weight: 1, rule: "true", per: "occurrence" }],
            punishments: [{ name: "r", when: "w", weight: 0 }],
            metadata: { a: 1 },
          },
        ],
        environment: {
          name: "A house",
          description: "d",
          rules: ["r"],
          conventions: [],
          scenario: "s.yaml",
          metadata: {},
        },
        actuators: [
          {
            name: "take",
            description: "d",
            priority: -1,
            metadata: {},
            args: {},
            result: {},
            timeout: 5,
            risk: "irreversible",
            idempotent: true,
          },
        ],
        sensors: [
          { name: "look", description: "d", priority: 2.5, metadata: {}, reading: {}, interval: 10, timeout: 1 },
        ],
      },
      variables: [{ key: "k", value: [1] }, { other: null }],
      metadata: { owner: "me" },
      instance: "kernel",
      concurrent: true,
      precomputed: { module: "table.ts", sha256: "0".repeat(64) },
      $schema: "../schema/looper-plugin.schema.json",
    }
    expect(decoded(full)).toEqual({ manifest: full, warnings: [] })
  })

  it("a provider has models with names of their own, a name that no built-in provider has, and runs in Deno", () => {
    const models = [{ name: "org/small", price: { input: 0.5, output: 2, cached: 0 } }]
    const provider = { description: "d", models, timeout: 1000 }
    const full = { ...bareManifest, provider }
    expect(decoded(full)).toEqual({ manifest: full, warnings: [] })
    const mistakes = (more: object) => mistakesIn({ ...bareManifest, provider, ...more })
    for (const name of Manifest.BUILT_IN) expect(mistakes({ name })).toContain("/name: expected a name other than")
    expect(mistakes({ runtime: "mcp" })).toContain("no runtime in a plugin with a provider")
    for (const [given, place] of [
      [{ models: [] }, "/provider/models: "],
      [{ models: [{ name: "a b" }] }, "/provider/models/0/name: "],
      [{ models: [{ name: "a" }, { name: "a" }] }, "/provider/models/1/name: "],
      [{ models: [{ name: "a", price: { input: -1, output: 1 } }] }, "/provider/models/0/price/input: "],
      [{ timeout: 0 }, "/provider/timeout: "],
      [{ generate: true }, "/provider/generate: "],
    ] as const) {
      expect(mistakes({ provider: { ...provider, ...given } })).toContain(place)
    }
  })

  it("five mistakes are reported at once, each with its place, what was expected and what was found", () => {
    const { description: _, ...rest } = bareManifest
    const json = {
      ...rest,
      name: "Text Room",
      permissions: { read: "./data", run: [] },
      colour: "blue",
      peas: {
        performance: [{ name: "calm", description: "d", rewards: [{ name: "r", when: "w", weight: 1.5 }] }],
      },
    }
    expect(mistakesIn(json).split("\n")).toEqual([
      "looper-plugin.json has 5 mistakes:",
      "  /colour: expected one of the fields name, description, version, entry, runtime, python, permissions, peas, guides, listeners, provider, precomputed, variables, metadata, instance, concurrent, $schema, found an unknown field",
      "  /name: expected a name of a-z, 0-9, '.', '_' and '-' that starts with a letter or digit, found \"Text Room\"",
      "  /description: expected non-empty text: the description that agents see, found nothing",
      '  /permissions/read: expected a list of directories; "." is the workspace, found "./data"',
      "  /peas/performance/0/rewards/0/weight: expected a number from 0 to 1, found 1.5",
    ])
  })

  it("what contradicts itself is reported together with fields of the wrong type", () => {
    const json = {
      ...bareManifest,
      version: 1,
      entry: "../elsewhere.ts",
      peas: {
        performance: [
          { name: "a", description: "d" },
          {
            name: "a",
            description: "d",
            punishments: [
              { name: "p", when: "w", weight: 1 },
              { name: "p", when: "w", weight: 1 },
            ],
          },
        ],
        sensors: [{ name: "look", description: "d" }],
        actuators: [
          { name: "look", description: "d" },
          { name: "a/b", description: "d" },
          { name: "a b", description: "" },
        ],
        environment: { name: "e", description: "d", scenario: "/etc/passwd" },
      },
    }
    expect(mistakesIn(json).split("\n")).toEqual([
      "looper-plugin.json has 10 mistakes:",
      "  /version: expected non-empty text: the plugin's version, found 1",
      '  /peas/actuators/1/name: expected a name without spaces and "/", non-empty, found "a/b"',
      '  /peas/actuators/2/name: expected a name without spaces and "/", non-empty, found "a b"',
      '  /peas/actuators/2/description: expected non-empty text: the description that agents see, found ""',
      '  /entry: expected a path inside the plugin\'s directory, relative and without `..`, found "../elsewhere.ts"',
      '  /peas/environment/scenario: expected a path inside the plugin\'s directory, relative and without `..`, found "/etc/passwd"',
      "  /peas/performance/0: expected at least one reward or punishment, found none",
      '  /peas/performance/1/name: expected a unique name for each measure, found "a", which /peas/performance/0/name has already',
      '  /peas/performance/1/punishments/1/name: expected a unique name for each reward and each punishment of a measure, found "p", which /peas/performance/1/punishments/0/name has already',
      '  /peas/actuators/0/name: expected a unique name for each sensor and actuator, because both are called `plugin/name`, found "look", which /peas/sensors/0/name has already',
    ])
  })

  it("a time-out is at most a day", () => {
    const withTimeout = (timeout: number) => ({
      ...bareManifest,
      peas: { ...bareManifest.peas, sensors: [{ name: "look", description: "d", timeout }] },
    })
    expect(decoded(withTimeout(86_400_000)).manifest.peas.sensors).toMatchObject([{ timeout: 86_400_000 }])
    for (const timeout of [86_400_001, 0]) {
      expect(mistakesIn(withTimeout(timeout))).toBe(
        "looper-plugin.json has 1 mistake:\n  /peas/sensors/0/timeout: " +
          `expected a number of milliseconds above 0, at most 86,400,000 (a day), found ${timeout}`,
      )
    }
  })

  it.each([
    ["null", null],
    ["a list", []],
    ["text", "manifest"],
    ["an empty object", {}],
    [
      "lists of nothing",
      { ...bareManifest, peas: { performance: [null], sensors: [1], actuators: {} }, variables: ["x"] },
    ],
  ])("%s is refused without a crash", (_, json) => {
    expect(mistakesIn(json)).toContain("looper-plugin.json has")
    expect(mistakesIn(json, { lenient: true })).toContain("looper-plugin.json has")
  })

  it("lenient decoding lets unknown fields and empty measures pass with a warning each", () => {
    const json = {
      ...bareManifest,
      colour: "blue",
      peas: { performance: [{ name: "m", description: "d", emoji: "x" }] },
    }
    expect(decoded(json, { lenient: true })).toEqual({
      manifest: { ...bareManifest, peas: { performance: [{ name: "m", description: "d" }] } },
      warnings: [
        expect.stringMatching(/^\/colour: expected one of the fields name, description, .*, found an unknown field$/),
        expect.stringMatching(/^\/peas\/performance\/0\/emoji: expected one of the fields/),
        "/peas/performance/0: expected at least one reward or punishment, found none",
      ],
    })
    expect(mistakesIn(json)).toContain("3 mistakes")
  })

  it("lenient decoding refuses the rest, and reports only that", () => {
    const message = mistakesIn({ ...bareManifest, colour: "blue", version: 2 }, { lenient: true })
    expect(message).toBe(
      "looper-plugin.json has 1 mistake:\n  /version: expected non-empty text: the plugin's version, found 2",
    )
  })
})

describe("what a manifest says", () => {
  it("variables are pairs by key and value, or any pairs; the later one counts", () => {
    const variables = [{ key: "a", value: 1 }, { b: 2, c: 3 }, { key: "only" }, { b: 4 }]
    expect(Manifest.variablesOf(decoded({ ...bareManifest, variables }).manifest)).toEqual({
      a: 1,
      b: 4,
      c: 3,
      key: "only",
    })
  })

  it("a plugin with an environment serves one task, unless it says otherwise", () => {
    const environment = { name: "e", description: "d" }
    const { manifest } = decoded({ ...bareManifest, peas: { ...bareManifest.peas, environment } })
    expect(Manifest.instanceOf(manifest)).toBe("task")
    expect(Manifest.instanceOf({ ...manifest, instance: "kernel" })).toBe("kernel")
    expect(Manifest.instanceOf(decoded(bareManifest).manifest)).toBe("kernel")
  })
})

describe("the JSON Schema for editors", () => {
  it("names every field, requires the required ones and allows no others", () => {
    const { $defs } = Manifest.jsonSchema()
    expect($defs).toMatchObject({
      Manifest: {
        type: "object",
        required: ["name", "description", "version", "entry", "permissions", "peas"],
        additionalProperties: false,
      },
      Reward: { properties: { weight: { minimum: 0, maximum: 1 } } },
    })
  })

  it("is published as the package's file says; `npx vitest -u` on this test writes it anew", async () => {
    const text = `${JSON.stringify(Manifest.jsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../schema/looper-plugin.schema.json")
  })

  it("takes the manifests of the package, and finds in others what strict decoding finds", () => {
    const fits = new Ajv({ strict: true, strictTypes: false }).compile(Manifest.jsonSchema())
    const plugins = readdirSync(inRepository("plugins")).map((name) => inRepository("plugins", name))
    for (const directory of [...plugins, inRepository("template", "plugin")]) {
      expect(fits(JSON.parse(readFileSync(path.join(directory, "looper-plugin.json"), "utf8")))).toBe(true)
    }
    const { name: _, ...nameless } = bareManifest
    for (const bad of [nameless, { ...bareManifest, colour: "blue" }, { ...bareManifest, name: "No Good" }, [], null]) {
      expect(fits(bad)).toBe(false)
      expect(Either.isLeft(Manifest.decode(bad))).toBe(true)
    }
  })
})

describe("load", () => {
  const written = (files: { readonly [name: string]: string }) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* writeFiles(directory, {
        "looper-plugin.json": JSON.stringify(bareManifest),
        "main.ts": "export {}",
        ...files,
      })
      return directory
    })

  it.scopedLive("the digest depends on what the files hold and on their names, and on nothing else", () =>
    Effect.gen(function* () {
      const digestOf = (files: { readonly [name: string]: string }) =>
        Effect.map(
          Effect.flatMap(written(files), (directory) => Manifest.load(directory)),
          ({ digest }) => digest,
        )
      const original = yield* digestOf({ "a/b.ts": "1", "c.ts": "2" })
      expect(original).toMatch(/^[0-9a-f]{64}$/)
      expect(
        yield* digestOf({
          "c.ts": "2",
          "a/b.ts": "1",
          ".git/HEAD": "x",
          ".hindcast/log.db": "z",
          "node_modules/y/z.js": "",
        }),
      ).toBe(original)
      expect(yield* digestOf({ "a/b.ts": "1", "c.ts": "3" })).not.toBe(original)
      expect(yield* digestOf({ "a/b.ts": "1", "d.ts": "2" })).not.toBe(original)
    }),
  )

  it.scopedLive("files are listed in order, without what tools keep beside them", () =>
    Effect.gen(function* () {
      const directory = yield* written({ "b/x.ts": "", "a.ts": "", ".git/HEAD": "" })
      const loaded = yield* Manifest.load(directory)
      expect(loaded.files).toEqual(["a.ts", "b/x.ts", "looper-plugin.json", "main.ts"])
      expect(loaded.directory).toBe(directory)
    }),
  )

  it.scopedLive("a link out of the directory, to a directory or to nothing is refused by name", () =>
    Effect.gen(function* () {
      const directory = yield* written({ "data/x.txt": "" })
      const link = (target: string, name: string) =>
        Effect.promise(() => fs.symlink(target, path.join(directory, name)))
      yield* link("data/x.txt", "fine.txt")
      expect((yield* Manifest.load(directory)).files).toContain("fine.txt")
      yield* link("/etc/passwd", "passwords")
      yield* link("/etc", "node_modules")
      yield* link("nowhere", "dangling")
      const error = yield* Effect.flip(Manifest.load(directory))
      expect(error.message).toContain("expected passwords to be a file in the plugin's directory, found a link")
      expect(error.message).toContain("expected node_modules to be")
      expect(error.message).toContain(
        "expected dangling to be a file in the plugin's directory, found a link to nothing",
      )
    }),
  )

  it.scopedLive("drawing code is a file of the directory, of a bounded size", () =>
    Effect.gen(function* () {
      const drawn = (viewHtml: string) => ({
        ...bareManifest,
        peas: { ...bareManifest.peas, environment: { name: "e", description: "d", viewHtml } },
      })
      expect(mistakesIn(drawn("../view.html"))).toContain("/peas/environment/viewHtml: expected a path inside")
      const manifest = JSON.stringify({ ...drawn("view.html"), entry: "entry.ts" })
      const directory = yield* written({ "looper-plugin.json": manifest, "entry.ts": "" })
      const none = yield* Effect.flip(Manifest.load(directory))
      expect(none.message).toContain(
        `/peas/environment/viewHtml: expected a file in the plugin's directory, found no file`,
      )
      const size = Manifest.VIEW_HTML_BYTES
      yield* writeFiles(directory, { "view.html": "x".repeat(size + 1) })
      const large = yield* Effect.flip(Manifest.load(directory))
      expect(large.message).toContain(
        `viewHtml: expected a file of at most ${size} bytes, found one of ${size + 1} bytes`,
      )
      yield* writeFiles(directory, { "view.html": "x".repeat(size) })
      const whole = yield* Manifest.load(directory)
      expect(whole.files).toContain("view.html")
    }),
  )

  it.scopedLive("an entry and a scenario that are not there are both reported", () =>
    Effect.gen(function* () {
      const environment = { name: "e", description: "d", scenario: "./world.yaml" }
      const json = { ...bareManifest, entry: "src/gone.ts", peas: { ...bareManifest.peas, environment } }
      const directory = yield* written({ "looper-plugin.json": JSON.stringify(json) })
      const error = yield* Effect.flip(Manifest.load(directory))
      expect(error.message).toBe(
        `${directory}/looper-plugin.json has 2 mistakes:` +
          `\n  1:72 /entry: expected a file in the plugin's directory, found no file "src/gone.ts"` +
          `\n  1:300 /peas/environment/scenario: expected a file in the plugin's directory, found no file "./world.yaml"`,
      )
      yield* writeFiles(directory, { "src/gone.ts": "", "world.yaml": "" })
      expect((yield* Manifest.load(directory)).manifest.entry).toBe("src/gone.ts")
    }),
  )

  it.scopedLive("a directory without a manifest, and a manifest that is not JSON, say so", () =>
    Effect.gen(function* () {
      const empty = yield* temporaryDirectory
      expect(yield* Effect.flip(Manifest.load(empty))).toMatchObject({ _tag: "PluginUnavailable" })
      expect(yield* Effect.flip(Manifest.load(path.join(empty, "gone")))).toMatchObject({ _tag: "PluginUnavailable" })
      const broken = yield* written({ "looper-plugin.json": "{ name: }" })
      expect((yield* Effect.flip(Manifest.load(broken))).message).toMatch(
        /1:3 \(the whole file\): expected JSON, found /,
      )
    }),
  )

  it.scopedLive("mistakes of every kind are reported at once, in the order of the file, with line and column", () =>
    Effect.gen(function* () {
      const text = [
        "{",
        '  "name": "No Good",',
        '  "description": "d", "colour": "blue",',
        '  "version": "1", "version": "2",',
        '  "entry": "gone.ts",',
        '  "permissions": { "read": [] },',
        '  "peas": {',
        '    "performance": [{ "name": "m", "description": "d" }],',
        '    "actuators": [',
        '      { "name": "take", "description": "d", "args": { "type": "objekt" } },',
        '      { "name": "take" }',
        "    ]",
        "  }",
        "}",
      ].join("\n")
      const directory = yield* written({ "looper-plugin.json": text })
      const { issues } = yield* Effect.flatMap(Effect.flip(Manifest.load(directory)), (error) =>
        error._tag === "ManifestInvalid" ? Effect.succeed(error) : Effect.dieMessage(error.message),
      )
      expect(issues.map(({ place, path }) => `${place?.line}:${place?.column} ${path}`)).toEqual([
        "2:3 /name",
        "3:23 /colour",
        "4:3 /version",
        "5:3 /entry",
        "6:3 /permissions/run",
        "8:21 /peas/performance/0",
        "10:55 /peas/actuators/0/args/type",
        "11:7 /peas/actuators/1/description",
        "11:9 /peas/actuators/1/name",
      ])
    }),
  )

  it.scopedLive("a name that stands twice in one object is refused, or a warning where the reader is lenient", () =>
    Effect.gen(function* () {
      const text = JSON.stringify(bareManifest).replace("{", '{"version":"0.9","na\\u006de":"a",')
      const directory = yield* written({ "looper-plugin.json": text })
      const error = yield* Effect.flip(Manifest.load(directory))
      expect(error.message).toBe(
        `${directory}/looper-plugin.json has 2 mistakes:` +
          "\n  1:2 /version: expected each name once, found a field that a later one of the same name overrides" +
          "\n  1:18 /name: expected each name once, found a field that a later one of the same name overrides",
      )
      const { manifest, warnings } = yield* Manifest.load(directory, { lenient: true })
      expect(manifest).toEqual(bareManifest)
      expect(warnings).toHaveLength(2)
    }),
  )

  it.scopedLive(
    "a schema that cannot be used is refused also where the reader is lenient; a trusted copy is not asked",
    () =>
      Effect.gen(function* () {
        const sensors = [{ name: "look", description: "d", reading: { $ref: "https://example.org/reading.json" } }]
        const json = { ...bareManifest, peas: { ...bareManifest.peas, sensors } }
        const directory = yield* written({ "looper-plugin.json": JSON.stringify(json) })
        for (const lenient of [false, true]) {
          expect((yield* Effect.flip(Manifest.load(directory, { lenient }))).message).toContain(
            '/peas/sensors/0/reading/$ref: expected a reference into this schema, such as "#/$defs/item": nothing is fetched',
          )
        }
        expect((yield* Manifest.load(directory, { trusted: true })).manifest.peas.sensors).toHaveLength(1)
      }),
  )

  it.scopedLive("the manifest may have Hindcast's own name", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* writeFiles(directory, { "hindcast-plugin.json": JSON.stringify(bareManifest), "main.ts": "export {}" })
      const loaded = yield* Manifest.load(directory)
      expect(loaded.manifest).toEqual(bareManifest)
      expect(loaded.files).toEqual(["hindcast-plugin.json", "main.ts"])
      yield* writeFiles(directory, { "hindcast-plugin.json": JSON.stringify({ ...bareManifest, version: 2 }) })
      const { message } = yield* Effect.flip(Manifest.load(directory))
      expect(message).toMatch(`${directory}/hindcast-plugin.json has 1 mistake:`)
      // In a directory below, it is a file as any other.
      yield* Effect.promise(() => fs.rm(path.join(directory, "hindcast-plugin.json")))
      yield* writeFiles(directory, { "below/hindcast-plugin.json": JSON.stringify(bareManifest) })
      expect((yield* Effect.flip(Manifest.load(directory))).message).toContain(
        "expected a directory with a readable looper-plugin.json or hindcast-plugin.json; found neither of them",
      )
    }),
  )

  it.scopedLive("two manifests are a mistake that says which one to remove, whatever they hold", () =>
    Effect.gen(function* () {
      for (const [lenient, second] of [
        [false, JSON.stringify(bareManifest)],
        [true, JSON.stringify({ ...bareManifest, name: "other" })],
        [true, "{ name: }"],
        [false, ""],
      ] as const) {
        const directory = yield* written({ "hindcast-plugin.json": second })
        const error = yield* Effect.flip(Manifest.load(directory, { lenient }))
        expect(error.message).toBe(
          `${directory}/looper-plugin.json has 1 mistake:` +
            "\n  1:1 (the whole file): expected one manifest, found looper-plugin.json and hindcast-plugin.json: " +
            "remove hindcast-plugin.json, or, if you edit that one, rename it to looper-plugin.json",
        )
        const inspected = yield* Manifest.inspect(directory, { lenient })
        expect(inspected).toMatchObject({ document: undefined, manifest: undefined, plugin: undefined })
        // Earlier versions knew the first name alone: a copy that they imported still starts.
        expect((yield* Manifest.load(directory, { trusted: true })).manifest).toEqual(bareManifest)
      }
      const linked = yield* written({})
      yield* Effect.promise(() => fs.symlink("gone", path.join(linked, "hindcast-plugin.json")))
      expect((yield* Effect.flip(Manifest.load(linked))).message).toContain("expected one manifest")
    }),
  )

  it.scopedLive("a manifest of more than a megabyte is not read", () =>
    Effect.gen(function* () {
      const directory = yield* written({ "looper-plugin.json": JSON.stringify({ x: "y".repeat(1024 * 1024) }) })
      expect((yield* Effect.flip(Manifest.load(directory))).message).toContain("at most 1048576 are read")
    }),
  )
})
