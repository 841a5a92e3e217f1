import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { Database } from "../sqlite.ts"
import { temporaryDirectory } from "../temporary.ts"
import { about, seen, writePlugin } from "./given.ts"
import { git, repository } from "./registries.ts"
import { agentOf, answering, counting, gate } from "./resume/given.ts"
import { testKernel } from "./testKernel.ts"

/** Does something as a user who keeps another store: a stranger, a colleague, another machine. */
const elsewhere = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const store = yield* temporaryDirectory
    const before = process.env.HINDCAST_STATE
    const change = (to: string | undefined) =>
      Effect.sync(() => {
        process.env.HINDCAST_STATE = to
      })
    return yield* Effect.acquireUseRelease(
      change(store),
      () => effect,
      () => change(before),
    )
  })

const spy = {
  name: "spy",
  sensors: [{ name: "look", interval: 1000 }],
  permissions: { run: ["sh"], env: ["ANTHROPIC_API_KEY"] },
  entry: `export default { sensors: { look: async (c) => c.run("sh", ["-c", "touch ran"]) } }`,
}

/** A log of somebody else with an active plugin that was granted a shell and a key. */
const strangers = Effect.gen(function* () {
  const prepared = yield* testKernel()
  const { directory, layerLog } = prepared
  const source = writePlugin(path.join(directory, "spy"), spy)
  yield* Effect.flatMap(Registry, (registry) =>
    registry.import(source, { grants: { run: ["sh"], env: ["ANTHROPIC_API_KEY"] } }),
  ).pipe(Effect.provide(layerLog), elsewhere)
  return prepared
})

type Strangers = Effect.Effect.Success<typeof strangers>

describe("code of a plugin that this user did not install", () => {
  it.scopedLive("is not started, though the log names it: the log's directory was exchanged with its copies", () =>
    Effect.gen(function* () {
      const store = yield* temporaryDirectory
      const before = process.env.HINDCAST_STATE
      process.env.HINDCAST_STATE = store
      yield* Effect.addFinalizer(() =>
        Effect.sync(() => {
          process.env.HINDCAST_STATE = before
        }),
      )
      const { directory, layerLog } = yield* testKernel()
      const source = writePlugin(path.join(directory, "spy"), spy)
      const grants = { run: ["sh"], env: ["ANTHROPIC_API_KEY"] }
      const inRegistry = <A, E>(use: (registry: Registry.Service) => Effect.Effect<A, E>) =>
        Effect.flatMap(Registry, use).pipe(Effect.provide(layerLog))
      const { digest } = yield* inRegistry((registry) => registry.import(source, { grants }))
      expect((yield* inRegistry((registry) => registry.installed("spy"))).digest).toBe(digest)

      const [record = ""] = fs.readdirSync(path.join(store, "logs"))
      const file = path.join(store, "logs", record)
      const text = fs.readFileSync(file, "utf8")
      const changes = [
        (line: string) => line.replace(digest, "0".repeat(64)),
        (line: string) => line.replace('"ANTHROPIC_API_KEY"', ""),
        (line: string) => line.replace('"plugin":"spy"', '"plugin":"other"'),
      ]
      for (const change of changes) {
        fs.writeFileSync(file, text.split("\n").map(change).join("\n"))
        expect(fs.readFileSync(file, "utf8")).not.toBe(text)
        const refused = yield* Effect.flip(inRegistry((registry) => registry.installed("spy")))
        expect(refused.message).toContain("your own store does not know that you installed this code")
        yield* inRegistry((registry) => registry.import(source))
        expect((yield* inRegistry((registry) => registry.installed("spy"))).digest).toBe(digest)
      }
    }),
  )
})

describe("a log that this user did not write on this machine", () => {
  it.scopedLive("starts nothing in a kernel, which names what it would bring along, and is as it was", () =>
    Effect.gen(function* () {
      const { directory, layer, layerLog } = yield* strangers
      const head = yield* Effect.flatMap(EventLog, (log) => log.head).pipe(Effect.provide(layerLog))
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      expect(refused._tag).toBe("ForeignLog")
      expect(refused.message).toMatch(
        /plugin spy 1\.0\.0 \([0-9a-f]{16}\), granted --grant-env ANTHROPIC_API_KEY --grant-run sh\n/,
      )
      expect(refused.message).toContain("its sensor look would be read every 1000 ms")
      expect(refused.message).toContain("use `--trust-log` once, or `trust: true` in a program")
      yield* Effect.gen(function* () {
        expect(yield* (yield* EventLog).head).toEqual(head)
        const started = yield* Effect.flip((yield* Registry).installed("spy"))
        expect(started.message).toContain("its log is foreign")
      }).pipe(Effect.provide(layerLog))
      expect(fs.existsSync(path.join(directory, "ran"))).toBe(false)
    }),
  )

  const scenarios: { readonly [name: string]: (of: Strangers) => Effect.Effect<string, unknown, Scope.Scope> } = {
    "a clone of a repository that tracks it": ({ directory }) =>
      Effect.gen(function* () {
        const clone = path.join(yield* temporaryDirectory, "clone")
        repository(directory)
        git(path.dirname(clone), "clone", "--quiet", directory, clone)
        return clone
      }),
    "a copy that a colleague sent": ({ directory }) =>
      Effect.gen(function* () {
        const copy = path.join(yield* temporaryDirectory, "copy")
        fs.cpSync(directory, copy, { recursive: true })
        return copy
      }),
    "a cache that CI restored at the same path": ({ directory }) => Effect.succeed(directory),
    "a log of one's own that a container mounted and extended": ({ directory }) =>
      Effect.gen(function* () {
        yield* Effect.scoped((yield* testKernel({ directory, trust: true })).start)
        yield* elsewhere(Effect.scoped((yield* testKernel({ directory, trust: true })).start))
        return directory
      }),
  }

  it.scopedLive.each(Object.entries(scenarios))("%s starts nothing, and reads no key", ([, bring]) =>
    Effect.gen(function* () {
      const prepared = yield* strangers
      const directory = yield* bring(prepared)
      const { layer, layerLog } = yield* testKernel({ directory })
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(layer)))
      expect(refused.message).toContain("plugin spy 1.0.0")
      const registered = yield* Effect.flip(
        Effect.flatMap(Registry, (registry) => registry.installed("spy")).pipe(Effect.provide(layerLog)),
      )
      expect(registered.message).toContain("its log is foreign")
      expect(fs.readdirSync(directory)).not.toContain("ran")
    }),
  )

  it.scopedLive("is acted on once a program trusts it, and needs no trust again while only this user extends it", () =>
    Effect.gen(function* () {
      const { directory } = yield* strangers
      yield* Effect.scoped((yield* testKernel({ directory, trust: true })).start)
      yield* Effect.scoped((yield* testKernel({ directory })).start)
      yield* elsewhere(Effect.scoped((yield* testKernel({ directory, trust: true })).start))
      const refused = yield* Effect.flip(Effect.scoped((yield* testKernel({ directory })).start))
      expect(refused.message).toContain("it was extended or changed elsewhere")
    }),
  )

  it.scopedLive(
    "brings no approval: its command is not executed when its task is resumed, and is asked about again",
    () =>
      Effect.gen(function* () {
        const { tools, executed } = counting()
        const directory = yield* temporaryDirectory
        const asking = { ...gate, confirmWithinMs: 60_000 }
        yield* Effect.gen(function* () {
          const { run } = yield* (yield* testKernel({ directory, tools, gate: asking, onOpenTasks: "resume" })).start
          const working = run(
            Effect.flatMap(Kernel, ({ tasks }) =>
              tasks.run(agentOf(answering().model), { id: "left-open", goal: "go" }),
            ),
          )
          yield* Effect.forkDaemon(Effect.exit(working))
          yield* run(seen(about("ConfirmationRequested")))
        }).pipe(Effect.scoped, elsewhere)
        const { layerLog } = yield* testKernel({ directory })
        const decide = (approved: boolean) =>
          Effect.gen(function* () {
            const people = yield* Confirmations
            const [id] = Object.keys(yield* people.pending)
            yield* people.decide(String(id), { approved, by: "eve", channel: "cli" })
          })
        yield* decide(true).pipe(Effect.provide(layerLog), elsewhere)

        const refused = yield* Effect.flip(Effect.scoped((yield* testKernel({ directory, tools })).start))
        expect(refused.message).toContain("an approval by eve of program/publish")
        yield* Effect.gen(function* () {
          const next = yield* testKernel({ directory, tools, gate: asking, onOpenTasks: "resume", trust: true })
          const { run } = yield* next.start
          yield* Effect.forkScoped(run(Effect.zipRight(seen(about("ConfirmationRequested"), 2), decide(false))))
          const audit = yield* run(
            Effect.flatMap(Kernel, ({ tasks }) => tasks.resume("left-open", agentOf(answering().model))),
          )
          expect(audit.outcome).toBe("achieved")
        }).pipe(Effect.scoped)
        expect(executed.filter((one) => one.startsWith("publish"))).toEqual([])
      }),
  )
})

/** Changes an event of a log in place, and leaves its head and its schema as they are. */
const changeInPlace = (filename: string, from: string, to: string) => {
  const database = new Database(filename)
  const guards = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as ReadonlyArray<{
    readonly name: string
    readonly sql: string
  }>
  for (const { name } of guards) database.exec(`DROP TRIGGER ${name}`)
  const { changes } = database
    .prepare("UPDATE events SET payload = replace(payload, ?, ?) WHERE payload LIKE ?")
    .run(from, to, `%${from}%`)
  expect(Number(changes)).toBeGreaterThan(0)
  for (const { sql } of guards) database.exec(sql)
  database.close()
}

describe("a log of one's own that somebody changed in place, under the same head", () => {
  it.scopedLive.each([
    ["is its answer, where nobody did", false, true],
    ["is asked again", true, false],
  ] as const)("an approval in it %s", ([, isChanged, isExecuted]) =>
    Effect.gen(function* () {
      const { tools, executed } = counting()
      const directory = yield* temporaryDirectory
      const asking = { ...gate, confirmWithinMs: 60_000 }
      yield* Effect.gen(function* () {
        const { run } = yield* (yield* testKernel({ directory, tools, gate: asking, onOpenTasks: "resume" })).start
        const working = run(
          Effect.flatMap(Kernel, ({ tasks }) =>
            tasks.run(agentOf(answering().model), { id: "left-open", goal: "go on with it" }),
          ),
        )
        yield* Effect.forkDaemon(Effect.exit(working))
        yield* run(seen(about("ConfirmationRequested")))
      }).pipe(Effect.scoped)
      const { layerLog } = yield* testKernel({ directory })
      const decide = (approved: boolean) =>
        Effect.gen(function* () {
          const people = yield* Confirmations
          const [id] = Object.keys(yield* people.pending)
          yield* people.decide(String(id), { approved, by: "ada", channel: "cli" })
        })
      const filename = yield* Effect.zipRight(
        decide(true),
        Effect.map(EventLog, ({ name }) => name),
      ).pipe(Effect.provide(layerLog))
      if (isChanged) changeInPlace(filename, "go on with it", "go on with me")
      yield* Effect.gen(function* () {
        const next = yield* testKernel({ directory, tools, gate: asking, onOpenTasks: "resume" })
        const { run } = yield* next.start
        if (isChanged) {
          yield* Effect.forkScoped(run(Effect.zipRight(seen(about("ConfirmationRequested"), 2), decide(false))))
        }
        yield* run(Effect.flatMap(Kernel, ({ tasks }) => tasks.resume("left-open", agentOf(answering().model))))
      }).pipe(Effect.scoped)
      expect(executed.some((one) => one.startsWith("publish"))).toBe(isExecuted)
    }),
  )
})
