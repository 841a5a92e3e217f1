import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { fromModel } from "../../src/agents/ModelAgent.ts"
import * as PluginPage from "../../src/cli/pages/plugins/PluginPage.ts"
import * as AgentOption from "../../src/cli/task/AgentOption.ts"
import * as Style from "../../src/cli/terminal/Style.ts"
import { is } from "../../src/events/vocabulary/Vocabulary.ts"
import { Kernel } from "../../src/kernel/Kernel.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import * as Manifest from "../../src/plugins/manifest/Manifest.ts"
import { testKernel } from "../kernel/testKernel.ts"
import { call, counter, eventsOf, model, text } from "./given.ts"

const GUIDES = [
  { name: "brief", description: "For short work", systemPrompt: "You are brief.", memoryPolicy: "sliding-window" },
  {
    name: "tidy",
    description: "For order",
    file: "guides/tidy.md",
    temperature: 0.5,
    initialMemories: ["Drafts are kept for a week."],
  },
]

/** Gives the counter guides, and a text for the second. */
const declare = (directory: string, guides: unknown = GUIDES, tidy = "You keep order.\nAlways.\n") => {
  const file = path.join(directory, "looper-plugin.json")
  const manifest = { ...JSON.parse(fs.readFileSync(file, "utf8")), guides }
  fs.mkdirSync(path.join(directory, "guides"), { recursive: true })
  fs.writeFileSync(path.join(directory, "guides", "tidy.md"), tidy)
  fs.writeFileSync(file, JSON.stringify(manifest))
}

const withGuides = Effect.gen(function* () {
  const made = yield* testKernel({ plugins: [counter] })
  const directory = String(made.plugins[0])
  declare(directory)
  const { run } = yield* made.start
  return { run, directory }
})

const twice = [[call("a", "counter__add", { by: 2 })], [text("It is 2.")]]

const applied = (taskId: string, timeline?: string) =>
  Effect.map(eventsOf(taskId), (events) =>
    events.flatMap((event) =>
      is(event, "GuideApplied") && (timeline === undefined || event.timeline === timeline) ? [event.payload] : [],
    ),
  )

describe("a guide of a plugin", () => {
  it.scopedLive("is told by its name, in the version that the task was opened with", () =>
    Effect.gen(function* () {
      const { run, directory } = yield* withGuides
      yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const { model: one, requests } = model(twice)
          const agent = (used = one) => fromModel({ model: used, guide: "counter/tidy" })
          const { taskId, outcome } = yield* kernel.tasks.run(agent(), { goal: "Count" })
          expect(outcome).toBe("achieved")
          expect(requests[0]).toMatchObject({
            system: expect.stringContaining("You keep order.\nAlways."),
            temperature: 0.5,
          })
          expect(requests[0]?.system).toContain("Drafts are kept for a week.")
          const before = yield* applied(taskId)
          expect(before).toMatchObject([{ temperature: 0.5, memoryPolicy: { name: "full" } }])

          declare(directory, GUIDES, "You are new.")
          yield* (yield* Registry).import(directory)
          expect(yield* kernel.replay(taskId, agent(model([]).model))).toMatchObject({
            verdict: "identical",
            complete: true,
          })
          const [called] = (yield* eventsOf(taskId)).filter(({ type }) => type === "ModelCalled")
          const { model: other, requests: asked } = model(twice)
          const at = Number(called?.position) - 1
          const { timeline } = yield* kernel.fork(agent(other), { at, fresh: true, acceptUnrewound: true })
          expect(asked[0]?.system).toBe(requests[0]?.system)
          expect(timeline).toBe("fork-1")

          const { model: later, requests: told } = model(twice)
          yield* kernel.tasks.run(agent(later), { goal: "Count" })
          expect(told[0]?.system).toContain("You are new.")
          expect(told[0]?.system).not.toContain("You keep order.")

          const { model: third } = model(twice)
          const brief = yield* kernel.tasks.run(fromModel({ model: third, guide: "counter/brief" }), { goal: "Count" })
          expect(yield* applied(brief.taskId)).toMatchObject([{ memoryPolicy: { name: "sliding-window", turns: 20 } }])
          const { model: fourth } = model(twice)
          const own = fromModel({ model: fourth, guide: "counter/brief", memory: "full" })
          const mine = yield* kernel.tasks.run(own, { goal: "Count" })
          expect(yield* applied(mine.taskId)).toMatchObject([{ memoryPolicy: { name: "full" } }])
        }),
      )
    }),
  )

  it.scopedLive("is named wrongly: it is said which there are", () =>
    Effect.gen(function* () {
      const { run } = yield* withGuides
      yield* run(
        Effect.gen(function* () {
          const kernel = yield* Kernel
          const failing = (guide: string) =>
            Effect.flip(kernel.tasks.run(fromModel({ model: model(twice).model, guide }), { goal: "Count" }))
          expect((yield* failing("counter/tidi")).message).toContain(
            "There is no guide counter/tidi: expected one of an active plugin that takes part in the task; they have counter/brief, counter/tidy. Did you mean counter/tidy?",
          )
          expect((yield* failing("painter/tidy")).message).toContain("There is no guide painter/tidy")
          yield* kernel.plugins.deactivate("counter")
          expect((yield* failing("counter/tidy")).message).toContain("none has a guide")
        }),
      )
      for (const guide of ["tidy", "a/b/c", "", 3, { systemPromt: "x" }]) {
        const make = () => fromModel({ model: model([]).model, guide: guide as string })
        expect(make).toThrow(/guide/)
      }
    }),
  )

  it.scopedLive("is shown with its plugin", () =>
    Effect.gen(function* () {
      const { run } = yield* withGuides
      const page = yield* run(
        Effect.gen(function* () {
          const { manifest } = yield* (yield* Registry).manifest("counter")
          const plugin = (yield* (yield* Registry).state).counter
          if (plugin === undefined) return yield* Effect.dieMessage("it is not imported")
          expect(manifest.guides?.[1]).toEqual({
            name: "tidy",
            description: "For order",
            systemPrompt: "You keep order.\nAlways.\n",
            temperature: 0.5,
            initialMemories: ["Drafts are kept for a week."],
          })
          return PluginPage.show(Style.plain, { name: "counter", manifest, plugin, missing: [], versions: [] })
        }),
      )
      expect(page.join("\n")).toContain("2 guides")
      expect(page.find((line) => line.includes("counter/tidy"))).toContain("For order")
    }),
  )
})

describe("a manifest's guides", () => {
  it.scopedLive.each([
    [
      [{ ...GUIDES[0], memoryPolicy: "sliding" }],
      '/guides/0/memoryPolicy: expected "full", "sliding-window", "summary"',
    ],
    [[{ ...GUIDES[0], temperature: 3 }], "/guides/0/temperature: expected a number from 0 to 2, found 3"],
    [
      [{ ...GUIDES[0], file: "guides/tidy.md" }],
      "/guides/0/file: expected a system prompt or a file with it, found both",
    ],
    [[GUIDES[0], GUIDES[0]], "expected a unique name for each guide"],
    [[{ ...GUIDES[1], file: "guides/none.md" }], 'found no file "guides/none.md"'],
    [[{ ...GUIDES[1], file: "../tidy.md" }], "expected a path inside the plugin's directory"],
    [[{ ...GUIDES[0], name: "a b" }], "/guides/0/name: expected a name without spaces"],
    [
      [{ ...GUIDES[0], systemPrompt: "a\u0007b" }],
      "/guides/0/systemPrompt: expected text of at most 65,536 characters",
    ],
    [[{ ...GUIDES[0], promt: "x" }], "/guides/0/promt"],
    ["all", "/guides: expected"],
  ] as const)("that are wrong are refused: %j", ([guides, message]) =>
    Effect.gen(function* () {
      const { plugins } = yield* testKernel({ plugins: [counter] })
      const directory = String(plugins[0])
      declare(directory, guides)
      expect((yield* Effect.flip(Manifest.load(directory))).message).toContain(message)
    }),
  )

  it.scopedLive("whose file has no text, or text that is not seen, are refused", () =>
    Effect.gen(function* () {
      const { plugins } = yield* testKernel({ plugins: [counter] })
      const directory = String(plugins[0])
      for (const [words, message] of [
        ["\n ", "/guides/1/file: expected a file with text, found an empty one"],
        ["a\u202eb", "/guides/1/file: expected a file with text of at most"],
      ] as const) {
        declare(directory, GUIDES, words)
        expect((yield* Effect.flip(Manifest.load(directory))).message).toContain(message)
      }
    }),
  )
})

describe("--guide", () => {
  it.effect("is a file, or the name of a plugin's guide", () =>
    Effect.gen(function* () {
      const loading = (guide: string) =>
        AgentOption.load(
          {
            agent: [],
            cassette: Option.none(),
            maxTokens: Option.none(),
            hedgeMs: Option.none(),
            maxUsd: Option.none(),
            model: ["anthropic/claude-sonnet-4-5"],
            guide: Option.some(guide),
          },
          "replay",
        )
      expect((yield* loading("counter/tidy")).name).toBe("anthropic/claude-sonnet-4-5")
      expect((yield* Effect.flip(loading("guides/tidy.yaml"))).message).toContain("expected a readable file")
      expect((yield* Effect.flip(loading("tidy"))).message).toContain("expected a readable file")
    }),
  )
})
