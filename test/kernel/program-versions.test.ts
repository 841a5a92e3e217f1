import { it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { describe, expect } from "vitest"
import * as PluginPage from "../../src/cli/pages/plugins/PluginPage.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type * as Agent from "../../src/kernel/agents/Agent.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import * as Sensor from "../../src/kernel/program/Sensor.ts"
import * as Tool from "../../src/kernel/program/Tool.ts"
import { manifestOf, Registry } from "../../src/kernel/registry/Registry.ts"
import { Scoring } from "../../src/kernel/scoring/Scoring.ts"
import { temporaryDirectory } from "../temporary.ts"
import { testKernel } from "./testKernel.ts"

/** A tool that answers with a word, and counts its calls. */
const counted = (word: string, description = "Says a word") => {
  const calls: Array<string> = []
  const say = Tool.make({
    description,
    risk: "none",
    args: Schema.Struct({}),
    run: (_, { timeline }) => {
      calls.push(timeline)
      return word
    },
  })
  return { calls, say }
}

const clock = Sensor.make({ description: "The day", read: () => "Sunday" })

/** Says the word twice. */
const twice: Agent.DecidingAgent = {
  name: "twice",
  version: "1",
  decide: ({ step }) => (step < 2 ? { act: "program/say" } : { done: "achieved" }),
}

type Services = Layer.Layer.Success<Effect.Effect.Success<ReturnType<typeof testKernel>>["layer"]>

/** Runs an effect in a kernel of its own on the log of a directory, as one start of a program. */
const inProgram = <A, E>(
  options: Parameters<typeof testKernel>[0],
  effect: Effect.Effect<A, E, Services>,
): Effect.Effect<A, unknown> =>
  Effect.scoped(Effect.flatMap(testKernel(options), ({ layer }) => Effect.provide(effect, layer)))

const withKernel = <A, E, R>(use: (kernel: Effect.Effect.Success<typeof Kernel>) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Kernel, use)

const ofProgram = Effect.flatMap(EventLog, (log) =>
  Effect.map(log.readPage({ stream: "plugin/program" }, 100), (events) => events.map(({ type }) => type)),
)

const FIRST = ["PluginImported", "PluginActivated"]

describe("what a program declares", () => {
  it.scopedLive("is recorded once for each declaration; what people set of it stays", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { say } = counted("one")
      expect(yield* inProgram({ directory, tools: { say }, sensors: { clock } }, ofProgram)).toEqual(FIRST)
      // The same in another order, with other code.
      const again = inProgram(
        { directory, sensors: { clock }, tools: { say: counted("two").say } },
        Effect.zipRight(
          withKernel(({ plugins }) => plugins.deactivate("program")),
          ofProgram,
        ),
      )
      expect(yield* again).toEqual([...FIRST, "PluginDeactivated"])
      const changed = { directory, tools: { say: counted("three", "Says another word").say } }
      expect(yield* inProgram(changed, ofProgram)).toEqual([...FIRST, "PluginDeactivated", "PluginImported"])
      yield* inProgram(
        changed,
        Effect.gen(function* () {
          const registry = yield* Registry
          const { program } = yield* registry.state
          expect(program?.active).toBe(false)
          expect(Object.keys(program?.components ?? {})).toEqual(["say"])
          expect(yield* registry.versions("program")).toHaveLength(2)
          expect(yield* ofProgram).toHaveLength(4)
        }),
      )
    }),
  )

  it.scopedLive("cannot be called in a program that does not declare it, and says so", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { say, calls } = counted("one")
      yield* inProgram({ directory, tools: { say }, sensors: { clock } }, Effect.void)
      yield* inProgram(
        { directory },
        Effect.gen(function* () {
          const task = yield* withKernel(({ tasks }) => tasks.open({ goal: "say" }))
          expect(yield* task.perceive()).toEqual([])
          expect(yield* task.act("program/say")).toMatchObject({
            status: "failed",
            error: {
              code: "PluginUnavailable",
              message: expect.stringContaining("which this program does not declare"),
            },
          })
          expect(yield* withKernel(({ unconsented }) => unconsented(["program"]))).toEqual([])
        }),
      )
      expect(calls).toEqual([])
    }),
  )

  it.scopedLive("is shown, and cannot be started, granted or replaced, by whoever only has the log", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { say } = counted("one")
      yield* inProgram(
        { directory, tools: { say } },
        withKernel(({ tasks }) => tasks.run(twice, { goal: "say" })),
      )
      const { layerLog } = yield* testKernel({ directory })
      yield* Effect.gen(function* () {
        const registry = yield* Registry
        const { program } = yield* registry.state
        if (program === undefined) throw new Error("expected the plugin")
        const style = Style.plain
        const shown = { name: "program", plugin: program, missing: [] }
        expect(PluginPage.list(style, [shown], true).join("\n")).toContain("program/say")
        const versions = yield* registry.versions("program")
        const page = PluginPage.show(style, { ...shown, manifest: manifestOf(program), versions }).join("\n")
        expect(page).toContain("the embedding program, in whose process it runs; no sandbox confines it")
        expect(yield* registry.missing("program", program)).toEqual([])
        expect(yield* Effect.flip(registry.installed("program"))).toMatchObject({ _tag: "PluginUnavailable" })
        expect(yield* Effect.flip(registry.grant("program", { run: ["git"] }))).toMatchObject({ _tag: "GrantInvalid" })
        expect(yield* Effect.flip(registry.revoke("program", { run: ["git"] }))).toMatchObject({ _tag: "NotGranted" })
        yield* registry.deactivate("program/say")
        yield* registry.activate("program")
        const scored = yield* (yield* Scoring).rescore({
          rubric: {
            name: "r",
            measures: [{ name: "m", description: "d", rewards: [{ name: "r", when: "w", weight: 1, rule: "true" }] }],
          },
        })
        expect(scored).toMatchObject({ taskIds: [expect.any(String)] })
      }).pipe(Effect.provide(layerLog))
    }),
  )
})

describe("a task that called tools of the program", () => {
  const recorded = (directory: string) =>
    Effect.gen(function* () {
      const { say, calls } = counted("one")
      const audit = yield* inProgram(
        { directory, tools: { say } },
        withKernel(({ tasks }) => tasks.run(twice, { goal: "say", id: "told" })),
      )
      expect([audit, calls]).toMatchObject([{ outcome: "achieved" }, ["main", "main"]])
    })

  const decisions = Effect.flatMap(EventLog, (log) =>
    Effect.map(log.readPage({ taskId: "told", types: ["DecisionMade"] }, 10), (events) =>
      events.map(({ position }) => position),
    ),
  )

  /** How the second command ended in a fork that begins before the second decision. */
  const forked = Effect.gen(function* () {
    const [, second = 0] = yield* decisions
    const { timeline } = yield* withKernel((kernel) =>
      kernel.fork(twice, { at: second - 1, task: "told", acceptUnrewound: true }),
    )
    const log = yield* EventLog
    const ended = yield* log.readPage({ timeline, types: ["CommandSucceeded", "CommandFailed"] }, 10)
    return JSON.stringify(ended.at(-1)?.payload)
  })

  it.scopedLive("is replayed without calling any", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* recorded(directory)
      const { say, calls } = counted("two")
      const replay = withKernel((kernel) => kernel.replay("told", twice))
      expect(yield* inProgram({ directory, tools: { say } }, replay)).toMatchObject({
        verdict: "identical",
        complete: true,
      })
      expect(yield* inProgram({ directory }, replay)).toMatchObject({ verdict: "identical", complete: true })
      expect(calls).toEqual([])
    }),
  )

  it.scopedLive("is forked with the code of today, where the tool is declared as it was, whatever else changed", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* recorded(directory)
      const { say, calls } = counted("two")
      expect(yield* inProgram({ directory, tools: { say }, sensors: { clock } }, forked)).toContain('"two"')
      expect(calls).toEqual([expect.stringContaining("fork")])
    }),
  )

  it.scopedLive(
    "is not forked with a tool that is declared otherwise, or no more: its command fails, and says why",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        yield* recorded(directory)
        const { say, calls } = counted("two", "Says another word")
        expect(yield* inProgram({ directory, tools: { say } }, forked)).toContain(
          "which this program declares otherwise",
        )
        expect(yield* inProgram({ directory, sensors: { clock } }, forked)).toContain(
          "which this program does not declare",
        )
        expect(yield* inProgram({ directory }, forked)).toContain("which this program does not declare")
        expect(calls).toEqual([])
      }),
  )
})
