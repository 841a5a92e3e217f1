import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as SqliteEventLog from "../../src/events/sqlite/SqliteEventLog.ts"
import { staged } from "../../src/studio/Allowed.ts"
import * as RubricText from "../../src/studio/course/RubricText.ts"
import * as ScenarioFiles from "../../src/studio/scenarios/ScenarioFiles.ts"
import * as ScenarioText from "../../src/studio/scenarios/ScenarioText.ts"
import * as Scenarios from "../../src/worlds/scenario/Scenario.ts"
import { temporaryDirectory } from "../temporary.ts"
import { page, served, services } from "./given.ts"

const wrongIn = (rubric: string) =>
  Effect.map(RubricText.parse(rubric), (parsed) => (Either.isLeft(parsed) ? parsed.left : []))

const rewards = (count: number, rule: string) =>
  Array.from({ length: count }, (_, index) => `{ name: r${index}, when: a, weight: 1, rule: ${rule} }`).join(", ")

const PLAYED: Scenarios.Played = {
  playing: {
    scenario: {
      scenario_name: "a",
      environment_type: "a-world",
      version: "1.0",
      description: "a",
      win_conditions: [{ type: "flag_set", flag_name: "won" }],
    },
    digest: "",
    plugin: "a-world",
  },
  environment: {},
  goal: "",
  maxSteps: undefined,
  agents: [],
}

describe("the text of a rubric", () => {
  it.effect("that is empty, or is a value alone, is wrong as a whole", () =>
    Effect.gen(function* () {
      for (const text of ["", "# nothing\n", "null", "3", "- 1"]) {
        expect(yield* wrongIn(text)).toEqual([
          { line: null, column: null, message: expect.stringContaining("expected a rubric") },
        ])
      }
    }),
  )

  it.effect("is checked up to 100,000 characters and 20,000 values, whichever way they are written", () =>
    Effect.gen(function* () {
      expect(yield* wrongIn(`# ${"x".repeat(100_000)}`)).toEqual([
        { line: 1, column: 1, message: expect.stringContaining("at most 100000 characters") },
      ])
      const shared = `all: &all [${rewards(500, '"true"')}]\nname: a\nmeasures:\n`
      const measures = Array.from(
        { length: 50 },
        (_, index) => `  - { name: m${index}, description: d, rewards: *all }\n`,
      ).join("")
      expect(yield* wrongIn(shared + measures)).toEqual([
        { line: 1, column: 1, message: expect.stringContaining("at most 20000 values") },
      ])
    }),
  )

  it.effect("has its first 200 mistakes told, each at its line, and how many more there are", () =>
    Effect.gen(function* () {
      const text = `name: a\nmeasures:\n  - name: m\n    description: d\n    rewards: [${rewards(300, '"a =="')}]\n`
      const wrong = yield* wrongIn(text)
      expect(wrong).toHaveLength(201)
      expect(wrong[199]).toMatchObject({ line: 5, message: expect.stringContaining('"r199"') })
      expect(wrong[200]).toEqual({ line: null, column: null, message: "and 100 more issues" })
    }),
  )
})

describe("the preview of a rubric", () => {
  it.scopedLive("of a log that no program of Hindcast wrote says what is wrong with the log", () =>
    Effect.gen(function* () {
      const file = path.join(yield* temporaryDirectory, "log.db")
      yield* Effect.gen(function* () {
        const log = yield* EventLog
        const release = { plugin: "p", version: "1", digest: "0".repeat(64), source: "somewhere" }
        yield* log.append({
          stream: "plugin/p",
          actor: "kernel",
          events: [{ type: "PluginImported", payload: { ...release, manifest: { name: "p" }, grants: {} } }],
        })
        yield* log.append({
          stream: "task/t",
          taskId: "t",
          actor: "kernel",
          events: [{ type: "TaskOpened", payload: { goal: "Wait", measures: [], agent: "me@1", seed: 1 } }],
        })
      }).pipe(Effect.provide(SqliteEventLog.layer({ filename: file })))
      const rubric = `name: a\nmeasures:\n  - { name: m, description: d, rewards: [${rewards(1, '"true"')}] }\n`
      const { status, body } = yield* Effect.flatMap(page, ({ post }) =>
        post("/api/rubrics/preview", { rubric, timeline: "main", task: "t" }),
      ).pipe(Effect.provide(served(file, { write: true })))
      expect({ status, error: body.error }).toEqual({ status: 500, error: "ManifestUnreadable" })
      expect(body.message).toContain("@1 imports a plugin whose manifest cannot be read")
    }),
  )
})

describe("the text of a scenario", () => {
  it.effect("that ends the stack of YAML's parser is said to be too deep", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 60_000 }, () => "{a: 1, b: 2}").join(",\n")
      const failure = yield* Effect.flip(Scenarios.decode(`x: [${many}]\nname: x\n`, "x.yaml"))
      expect(ScenarioText.issuesOf(failure)).toEqual([
        { line: 1, column: 1, message: "expected at most 100 levels of lists and objects, found more" },
      ])
    }),
  )

  it.scopedLive("is checked up to 100,000 characters, without being parsed beyond, and 20,000 values", () =>
    Effect.gen(function* () {
      const log = services(path.join(yield* temporaryDirectory, "log.db"), false)
      const wrong = (text: string) => Effect.provide(ScenarioText.issues(text), log)
      expect(yield* wrong("{".repeat(1_000_000))).toEqual([
        {
          line: 1,
          column: 1,
          message:
            "expected a text of at most 100000 characters (`hindcast run --scenario` takes larger ones), found 1000000",
        },
      ])
      expect(yield* wrong(`x: [${"1,".repeat(20_001)}]`)).toEqual([
        { line: 1, column: 1, message: expect.stringContaining("at most 20000 values") },
      ])
    }),
  )
})

describe("worlds that are looked at", () => {
  it.scopedLive("are two at once; others wait, and whoever goes away does not begin", () =>
    Effect.gen(function* () {
      const begun: Array<number> = []
      const [two, open] = [yield* Effect.makeLatch(), yield* Effect.makeLatch()]
      const { look } = yield* staged({
        directories: [],
        agents: new Map(),
        run: () => Effect.never,
        look: ({ goal: plugin }, seed) =>
          Effect.gen(function* () {
            if (begun.push(seed) === 2) yield* two.open
            yield* open.await
            return { plugin, document: null, view: null }
          }),
      })
      const looks = yield* Effect.forEach([0, 1, 2, 3], (seed) => Effect.fork(look(PLAYED, seed)))
      yield* two.await
      expect(begun).toEqual([0, 1])
      yield* Effect.forEach(looks.slice(2, 3), Fiber.interrupt)
      yield* open.open
      yield* Effect.forEach([...looks.slice(0, 2), ...looks.slice(3)], Fiber.join)
      expect(begun).toEqual([0, 1, 3])
    }),
  )
})

describe("the files of a directory", () => {
  const within = (use: (root: string) => Effect.Effect<void, unknown>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-files-")))),
      use,
      (root) => Effect.sync(() => fs.rmSync(root, { recursive: true, force: true })),
    )
  const RUBRIC = "name: a\nmeasures: []\n"

  it.live("are listed beside pipes, and links that lead nowhere or into a device; none of these is waited for", () =>
    within((root) =>
      Effect.gen(function* () {
        fs.writeFileSync(path.join(root, "a.yaml"), RUBRIC)
        execFileSync("mkfifo", [path.join(root, "pipe.yaml")])
        fs.symlinkSync(path.join(root, "none.yaml"), path.join(root, "nowhere.yaml"))
        fs.symlinkSync("/dev/zero", path.join(root, "zero.yaml"))
        fs.symlinkSync(path.join(root, "a.yaml"), path.join(root, "same.yaml"))
        expect(yield* ScenarioFiles.list([root])).toEqual([
          { file: "0/a.yaml", kind: "rubric" },
          { file: "0/same.yaml", kind: "rubric" },
        ])
        for (const name of ["pipe", "nowhere", "zero"]) {
          const file = `0/${name}.yaml`
          expect(yield* Effect.flip(ScenarioFiles.read([root], file))).toMatchObject({ _tag: "FileNotFound", file })
          const saved = yield* Effect.flip(ScenarioFiles.save([root], { file, text: "x", digest: null }))
          expect(saved).toMatchObject({ _tag: "FileNotFound", file })
        }
        // A link within the directory stays one.
        const { digest } = yield* Effect.orDie(ScenarioFiles.read([root], "0/same.yaml"))
        yield* Effect.orDie(ScenarioFiles.save([root], { file: "0/same.yaml", text: `# 1\n${RUBRIC}`, digest }))
        expect(fs.readFileSync(path.join(root, "a.yaml"), "utf8")).toBe(`# 1\n${RUBRIC}`)
        expect(fs.lstatSync(path.join(root, "same.yaml")).isSymbolicLink()).toBe(true)
      }),
    ),
  )

  it.live("are no longer there once the directory, or one in it, became a link to another one", () =>
    within((root) =>
      Effect.gen(function* () {
        const directory = path.join(root, "scenarios")
        for (const name of ["other/deep", "scenarios/deep"]) fs.mkdirSync(path.join(root, name), { recursive: true })
        for (const name of ["other", "other/deep"]) fs.writeFileSync(path.join(root, name, "secret.yaml"), RUBRIC)
        fs.rmdirSync(path.join(directory, "deep"))
        fs.symlinkSync(path.join(root, "other"), path.join(directory, "deep"))
        const refused = (file: string) =>
          Effect.gen(function* () {
            expect(yield* ScenarioFiles.list([directory])).toEqual([])
            expect((yield* Effect.flip(ScenarioFiles.read([directory], file)))._tag).toBe("FileNotFound")
            const order = { file: file.replace("secret", "made"), text: "x", digest: null }
            expect((yield* Effect.flip(ScenarioFiles.save([directory], order)))._tag).toBe("FileNotFound")
          })
        yield* refused("0/deep/secret.yaml")
        fs.rmSync(directory, { recursive: true })
        fs.symlinkSync(path.join(root, "other"), directory)
        yield* refused("0/secret.yaml")
        yield* refused("0/deep/secret.yaml")
        expect(fs.readdirSync(path.join(root, "other")).sort()).toEqual(["deep", "secret.yaml"])
      }),
    ),
  )
})
