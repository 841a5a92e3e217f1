import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Confirmations } from "../../src/kernel/gate/Confirmations.ts"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import { layer } from "../../src/plugins/process/PluginHost.ts"
import { scripted, textOf, writtenPlugin } from "../plugins/mcp/given.ts"
import { temporaryDirectory } from "../temporary.ts"
import { about, events, seen } from "./given.ts"
import { testKernel } from "./testKernel.ts"

const GRANTS = { grants: { run: [process.execPath] } }

/** A kernel whose registry has the scripted server, written by `listedAs` and behaving as `behaviour`. */
const withServer = (behaviour: string, gate: GateConfig = { default: "allow", confirmWithinMs: 60_000 }, at?: string) =>
  Effect.gen(function* () {
    const prepared = yield* testKernel({ gate, ...(at === undefined ? {} : { directory: at }) })
    const { directory } = prepared
    const { plugin } = yield* writtenPlugin(directory, scripted(behaviour, directory)).pipe(Effect.provide(layer))
    const { run } = yield* prepared.start
    return { ...prepared, run, plugin, mark: path.join(directory, "mark") }
  })

const acting = (actuator: string, args = {}) =>
  Effect.gen(function* () {
    const { tasks } = yield* Kernel
    const task = yield* tasks.open({ goal: "call" })
    return yield* task.act(actuator, args)
  })

const decideFirst = (approved: boolean, reason?: string) =>
  Effect.gen(function* () {
    const people = yield* Confirmations
    yield* seen(about("ConfirmationRequested"))
    const [id] = Object.keys(yield* people.pending)
    yield* people.decide(String(id), {
      approved,
      by: "ada",
      channel: "test",
      ...(reason === undefined ? {} : { reason }),
    })
  })

describe("an MCP server in a kernel", () => {
  it.scopedLive("is not imported without a grant of its command, whoever wrote its manifest", () =>
    Effect.gen(function* () {
      const { run, plugin, mark } = yield* withServer("plain")
      const refused = yield* Effect.flip(run(Effect.flatMap(Registry, (registry) => registry.import(plugin))))
      expect(refused).toMatchObject({ _tag: "GrantRefused", refusals: [{ asked: process.execPath }] })
      expect(fs.existsSync(mark)).toBe(false)
    }),
  )

  it.scopedLive("has the risk of a program: rules about risk see it, and its call is in the log with its result", () =>
    Effect.gen(function* () {
      const { run, plugin } = yield* withServer("plain")
      yield* run(Effect.flatMap(Registry, (registry) => registry.import(plugin, GRANTS)))
      const outcome = yield* run(acting("scripted/echo", { text: "hello" }))
      expect(outcome).toMatchObject({ status: "succeeded" })
      expect(textOf("result" in outcome ? outcome.result : undefined)).toBe("hello")
      const careful = {
        rules: [{ name: "harm", risk: ["high" as const], decision: "deny" as const }],
        default: "allow" as const,
      }
      const strict = yield* withServer("plain", { ...careful, confirmWithinMs: 60_000 })
      yield* strict.run(Effect.flatMap(Registry, (registry) => registry.import(strict.plugin, GRANTS)))
      expect(yield* strict.run(acting("scripted/echo", { text: "hello" }))).toMatchObject({ status: "denied" })
      expect(fs.existsSync(strict.mark)).toBe(false)
    }),
  )

  it.scopedLive("asks its person through the confirmations of the log", () =>
    Effect.gen(function* () {
      const { run, plugin } = yield* withServer("plain")
      yield* run(Effect.flatMap(Registry, (registry) => registry.import(plugin, GRANTS)))
      const called = yield* Effect.fork(run(acting("scripted/asks")))
      yield* run(decideFirst(true, '{"colour": "red"}'))
      const outcome = yield* Fiber.join(called)
      expect(textOf("result" in outcome ? outcome.result : undefined)).toBe(
        JSON.stringify({ action: "accept", content: { many: 2, colour: "red" } }),
      )
      const [asked] = yield* run(events("ConfirmationRequested"))
      expect(asked).toMatchObject({
        payload: { shown: { request: "elicitation", args: { message: "Which colour?" } } },
      })
      expect(asked?.taskId).not.toBeNull()
    }),
  )

  it.scopedLive("that changes its tools waits for a person, whose approval counts for the next start as well", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { mark } = yield* Effect.scoped(
        Effect.gen(function* () {
          const prepared = yield* withServer("plain", undefined, directory)
          const { run, plugin, mark } = prepared
          yield* run(Effect.flatMap(Registry, (registry) => registry.import(plugin, GRANTS)))
          fs.writeFileSync(`${mark}.changed`, "")
          const withheld = yield* run(acting("scripted/echo", { text: "hello" }))
          expect(withheld).toMatchObject({ status: "failed", error: { code: "ToolWithheld" } })
          expect(fs.existsSync(mark)).toBe(false)
          yield* run(decideFirst(true))
          yield* run(seen(about("ToolsPinned")))
          return prepared
        }),
      )
      const { run } = yield* (yield* testKernel({ directory, gate: { default: "allow" } })).start
      const answered = yield* run(acting("scripted/echo", { text: "hello" }))
      expect(answered).toMatchObject({ status: "succeeded" })
      expect(fs.readFileSync(mark, "utf8")).toBe("echo\n")
      expect((yield* run(events("ToolsChanged"))).length).toBe(2)
    }),
  )
})

describe("a log with an MCP server that came from elsewhere", () => {
  it.scopedLive("starts nothing", () =>
    Effect.gen(function* () {
      const { run, plugin, directory, mark } = yield* withServer("plain")
      yield* run(Effect.flatMap(Registry, (registry) => registry.import(plugin, GRANTS)))
      const clone = path.join(directory, "clone")
      fs.mkdirSync(clone)
      for (const name of fs.readdirSync(directory).filter((name) => name.startsWith("log.db"))) {
        fs.cpSync(path.join(directory, name), path.join(clone, name), { recursive: true })
      }
      const { layer: ofClone, layerLog } = yield* testKernel({ directory: clone })
      const refused = yield* Effect.flip(
        Effect.scoped(Effect.provide(acting("scripted/echo", { text: "hello" }), ofClone)),
      )
      expect(refused.message).toContain("scripted")
      const installed = yield* Effect.flip(
        Effect.flatMap(Registry, (registry) => registry.installed("scripted")).pipe(Effect.provide(layerLog)),
      )
      expect(installed.message).toContain("its log is foreign")
      expect(fs.existsSync(mark)).toBe(false)
    }),
  )
})
