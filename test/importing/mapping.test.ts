import * as fs from "node:fs"
import * as path from "node:path"
import { it } from "@effect/vitest"
import { Ajv } from "ajv"
import { Effect, Either, TestClock, TestContext } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { parse } from "yaml"
import * as Mapping from "../../src/importing/mapping/Mapping.ts"
import { SOURCES } from "../../src/importing/Sources.ts"
import { inRepository } from "../repository.ts"
import { events, importing, lines, payloads, typesOf, withFiles } from "./given.ts"

const EXAMPLE = inRepository("examples/import/mapping.yaml")
const RUNS = fs.readFileSync(inRepository("examples/import/runs.jsonl"), "utf8")
const NAMES = SOURCES.map(({ name }) => name)

const issuesOf = (mapping: unknown) =>
  Either.match(Mapping.decode("m.yaml", mapping, NAMES), { onLeft: ({ issues }) => issues, onRight: () => [] })

describe("a mapping", () => {
  it.effect("makes runs of lines: turns with calls, refusals, files, scores and an end", () =>
    withFiles({ "runs.jsonl": RUNS }, (directory) =>
      Effect.gen(function* () {
        const format = yield* Mapping.load(EXAMPLE, NAMES)
        const { files } = yield* importing(directory, { format })
        const all = yield* events
        expect(typesOf(all, "shop-agent-s1").slice(0, -1)).toEqual([
          ...["TaskOpened", "InputReceived", "ModelCalled", "ModelResponded", "ActuatorCommanded", "ActuatorCommanded"],
          ...["CommandAllowed", "CommandDispatched", "CommandSucceeded", "CommandDenied", "EnvironmentReset"],
          ...["EnvironmentChanged", "ModelCalled", "ModelResponded", "MessageSent", "SourceRecordKept", "TaskClosed"],
          ...["ScoringStarted", "RewardGiven"],
        ])
        expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Where is my parcel?", agent: "shop@3" }])
        expect(payloads(all, "ActuatorCommanded").map(({ args }) => args)).toEqual([{ parcel: 7 }, { parcel: 7 }])
        expect(payloads(all, "ModelResponded")[0]).toMatchObject({ usage: { inputTokens: 120, outputTokens: 14 } })
        expect(payloads(all, "RewardGiven")).toMatchObject([{ measure: "customers", name: "stars", amount: 5 }])
        expect(payloads(all, "TaskClosed")).toMatchObject([{ outcome: "achieved" }])
        expect(files[0]?.leftOut).toEqual({ "heartbeat: the mapping says so": 1 })
        expect(files[0]?.kept).toEqual({ typing: 1 })
        const [opened] = all
        expect(opened?.occurredAt).toBe(Date.UTC(2026, 0, 1, 12))
        expect((yield* importing(directory, { format })).added).toBe(0)
      }),
    ),
  )

  it.effect("shows the first run as it would be in a dry run, and writes nothing", () =>
    withFiles({ "runs.jsonl": RUNS }, (directory) =>
      Effect.gen(function* () {
        const format = yield* Mapping.load(EXAMPLE, NAMES)
        const { preview } = yield* importing(directory, { format, dryRun: true })
        expect(preview).toMatchObject({ taskId: "shop-agent-s1", goal: "Where is my parcel?", of: 19 })
        expect(preview?.events[2]).toEqual({
          type: "InputReceived",
          at: Date.UTC(2026, 0, 1, 12),
          payload: { source: "user", content: "Where is my parcel?" },
        })
        expect(yield* events).toEqual([])
      }),
    ),
  )

  it("that cannot be used says everything that is wrong with it, and where", () => {
    expect(issuesOf({ name: "codex", records: [{ is: "said", content: "/a" }] })).toEqual([
      expect.stringContaining("name: expected a name that no built-in format has, found codex"),
    ])
    expect(issuesOf({ name: "x", records: [] })[0]).toContain("records")
    expect(issuesOf({ name: "x", record: [], records: [{ is: "nothing" }] })[0]).toMatch(/record: .*records/)
    expect(issuesOf({ name: "X Y", records: [{ is: "nothing" }] })[0]).toContain(
      "name: expected the name of the source",
    )
    expect(
      issuesOf({
        name: "x",
        time: { cel: "record.time +" },
        records: [
          { is: "said", content: { cel: "recrod.text" } },
          { is: "nothing", when: "1 + 1" },
        ],
      }),
    ).toEqual([
      expect.stringContaining("time: `record.time +`, line 1, column"),
      expect.stringContaining("records[0].when: expected a condition, found none"),
      expect.stringContaining("records[0].content: `recrod.text`, line 1, column 1: Unknown variable: recrod"),
      expect.stringContaining("records[1].when: `1 + 1`, line 1, column 1: it gives a value of type int"),
    ])
    expect(issuesOf({ name: "x", records: [{ is: "said", content: "a/b" }] })[0]).toContain("JSON Pointer")
  })

  it.effect("whose file is not there, or is no YAML, says so", () =>
    withFiles({ "bad.yaml": "a: [", "list.yaml": "- 1" }, (directory) =>
      Effect.gen(function* () {
        for (const [name, found] of [
          ["none.yaml", "found none"],
          ["bad.yaml", "expected YAML"],
          ["list.yaml", "expected a mapping"],
        ] as const)
          expect((yield* Effect.flip(Mapping.load(path.join(directory, name), NAMES))).message).toContain(found)
      }),
    ),
  )

  it.effect("leaves nothing out that it has no word for, and remarks on outcomes that are none", () =>
    withFiles({ "a.jsonl": lines([{ k: 1 }, { k: 2, out: "won" }, [3], "text"]) }, (directory) =>
      Effect.gen(function* () {
        const mapping = { name: "mine", records: [{ is: "end", when: "has(record.out)", outcome: "/out" }] }
        const format = yield* Mapping.decode("m.yaml", mapping)
        const { files } = yield* importing(directory, { format })
        expect(files[0]?.kept).toEqual({ record: 2 })
        expect(Object.keys(files[0]?.remarks ?? {})).toEqual([expect.stringContaining("outcomes that are none of")])
        expect(payloads(yield* events, "TaskOpened")).toMatchObject([{ goal: "run a", agent: "mine" }])
      }),
    ),
  )

  it.effect(
    "has a run that has not said what it is about imported once it is silent, though the others are finished",
    () => {
      const now = Date.UTC(2026, 0, 1, 12)
      const record = (run: string, minutesAgo: number, more: object = {}) => ({
        run,
        time: now - minutesAgo * 60_000,
        ...more,
      })
      const records = [
        record("a", 200, { text: "Done?" }),
        record("a", 199, { out: "achieved" }),
        record("b", 1, { x: 1 }),
      ]
      return withFiles({ "a.jsonl": lines(records) }, (directory) =>
        Effect.gen(function* () {
          const format = yield* Mapping.decode("m.yaml", {
            name: "mine",
            run: "/run",
            time: "/time",
            records: [
              { is: "said", when: "has(record.text)", content: "/text" },
              { is: "end", when: "has(record.out)", outcome: "/out" },
            ],
          })
          yield* TestClock.setTime(now)
          expect((yield* importing(directory, { format })).files).toMatchObject([
            { waits: true, runs: [{ ended: true }] },
          ])
          yield* TestClock.adjust("2 hours")
          expect((yield* importing(directory, { format })).files).toMatchObject([{ waits: false }])
          expect(payloads(yield* events, "TaskClosed")).toHaveLength(2)
          expect((yield* importing(directory, { format })).files).toMatchObject([{ known: true }])
        }),
      )
    },
  )

  it.effect.each([
    { by: "number", names: ["a.jsonl.10", "a.jsonl.2", "a.jsonl.1", "a.jsonl"] },
    {
      by: "date as Python does",
      names: ["a.jsonl.2026-01-30", "a.jsonl.2026-01-30_10-30", "a.jsonl.2026-02-01", "a.jsonl"],
    },
    { by: "date as logrotate does", names: ["a.jsonl-20251231", "a.jsonl-20260130", "a.jsonl-20260201", "a.jsonl"] },
    {
      by: "date before the ending",
      names: ["a-2025-12-31.jsonl", "a-2026-01-30.jsonl", "a-2026-02-01.jsonl", "a.jsonl"],
    },
  ])(
    "has a run over files rotated by $by in the order in which they were written, and leaves nothing open",
    ({ names }) => {
      const record = (minute: number) => ({
        run: "r",
        time: Date.UTC(2026, 0, 1, 12, minute),
        text: `minute ${minute}`,
      })
      const files = names.map((name, index) => [name, lines([record(2 * index), record(2 * index + 1)])] as const)
      return withFiles(Object.fromEntries(files), (directory) =>
        Effect.gen(function* () {
          const mapping = { name: "mine", run: "/run", time: "/time", records: [{ is: "said", content: "/text" }] }
          const format = yield* Mapping.decode("m.yaml", mapping)
          const report = yield* importing(directory, { format })
          expect(report.files.map(({ file }) => path.basename(file))).toEqual(names)
          const all = yield* events
          const said = payloads(all, "InputReceived").map(({ content }) => content)
          expect(said).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((minute) => `minute ${minute}`))
          const tasks = ["mine-r", "mine-r+2", "mine-r+3", "mine-r+4"]
          expect(all.flatMap(({ type, taskId }) => (type === "TaskClosed" ? [taskId] : []))).toEqual(tasks)
          expect(payloads(all, "TaskOpened")).toHaveLength(tasks.length)
          expect((yield* importing(directory, { format })).added).toBe(0)
        }),
      )
    },
  )

  it.effect("whose expression does not end refuses the file with it, and nothing of it is imported", () => {
    const record = { list: Array.from({ length: 300 }, (_, index) => index) }
    return withFiles({ "a.jsonl": lines([{ list: [1] }, record]) }, (directory) =>
      Effect.gen(function* () {
        const when = "record.list.all(a, record.list.all(b, record.list.all(c, a + b + c >= 0.0)))"
        const mapping = { name: "mine", records: [{ is: "said", when, content: "/text" }] }
        const format = yield* Mapping.decode("m.yaml", mapping)
        const { refused } = yield* importing(directory, { format })
        expect(refused.map(({ reason }) => reason)).toEqual([
          expect.stringMatching(
            /^expected a mapping whose expressions finish, found `record.list.all.*takes more than 5,000,000 steps/,
          ),
        ])
        expect(yield* events).toEqual([])
      }),
    )
  })

  it.effect("has counts of tokens that are unknown where no value, or one that is no count, says them", () =>
    withFiles(
      { "a.jsonl": lines([{ q: "Hi" }, { a: "Yo", tokens: 7 }, { a: "Yo", tokens: "many" }, { a: "Yo", tokens: 0 }]) },
      (directory) =>
        Effect.gen(function* () {
          const usagesOf = (counts: object) =>
            Effect.gen(function* () {
              const records = [
                { is: "said", when: "has(record.q)", content: "/q" },
                {
                  is: "answer",
                  when: "has(record.a)",
                  text: "/a",
                  provider: { cel: '"openai"' },
                  model: { cel: '"gpt-5"' },
                  ...counts,
                },
              ]
              const format = yield* Mapping.decode("m.yaml", { name: `by-${Object.keys(counts).length}`, records })
              yield* importing(directory, { format })
              const answers = (yield* events).filter(
                ({ type, actor }) => type === "ModelResponded" && actor === `import:${format.name}`,
              )
              return answers.map(({ payload }) => [payload.usage, payload.cost])
            })
          const unknown = { inputTokens: 0, outputTokens: 0, unknown: ["inputTokens", "outputTokens"] }
          const input = (inputTokens: number) => ({ inputTokens, outputTokens: 0, unknown: ["outputTokens"] })
          expect(yield* usagesOf({})).toEqual([1, 2, 3].map(() => [unknown, undefined]))
          expect(yield* usagesOf({ inputTokens: "/tokens" })).toEqual([
            [input(7), undefined],
            [unknown, undefined],
            [input(0), undefined],
          ])
        }),
    ),
  )

  it.effect("has arguments in text with every digit of their ids", () =>
    withFiles({ "a.jsonl": lines([{ tool: "pay", args: '{"id":12345678901234567890,"n":1e3}' }]) }, (directory) =>
      Effect.gen(function* () {
        const records = [{ is: "call", id: { cel: '"1"' }, tool: "/tool", args: "/args" }]
        yield* importing(directory, { format: yield* Mapping.decode("m.yaml", { name: "mine", records }) })
        expect(payloads(yield* events, "ActuatorCommanded").map(({ args }) => args)).toEqual([
          { id: "12345678901234567890", n: 1000 },
        ])
      }),
    ),
  )

  it.effect("reads what is nested deeper than any stack as nothing", () =>
    withFiles({ "a.jsonl": `{"deep":${"[".repeat(100_000)}${"]".repeat(100_000)}}\n` }, (directory) =>
      Effect.gen(function* () {
        const mapping = { name: "mine", records: [{ is: "said", content: { cel: "record.deep" } }] }
        const format = yield* Mapping.decode("m.yaml", mapping)
        const { refused, added } = yield* importing(directory, { format })
        expect(refused).toEqual([])
        expect(added).toBeGreaterThan(0)
      }),
    ),
  )

  it.live("maps any lines without a defect, and the same the second time", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(
          fc.array(
            fc.record({
              place: fc.nat(9),
              key: fc.constantFrom("event", "session", "id", "time", "calls", "tokens", "text"),
              value: fc.oneof(fc.constantFrom("__proto__", "\ud800", "done", "tool"), fc.jsonValue({ maxDepth: 3 })),
            }),
            { maxLength: 5 },
          ),
          (changes) =>
            Effect.runPromise(
              Effect.gen(function* () {
                const format = yield* Mapping.load(EXAMPLE, NAMES)
                const records: Array<object> = RUNS.trim()
                  .split("\n")
                  .map((line) => JSON.parse(line))
                for (const { place, key, value } of changes) records[place] = { ...records[place], [key]: value }
                yield* withFiles({ "runs.jsonl": lines(records) }, (directory) =>
                  Effect.gen(function* () {
                    yield* importing(directory, { format })
                    const all = yield* events
                    expect(payloads(all, "TaskOpened").length).toBe(payloads(all, "TaskClosed").length)
                    yield* importing(directory, { format })
                    expect((yield* events).length).toBe(all.length)
                  }),
                )
              }).pipe(Effect.provide(TestContext.TestContext)),
            ),
        ),
        { numRuns: 12 },
      ),
    ),
  )
})

describe("the JSON Schema of mappings", () => {
  it("is published as the package's file says; `npx vitest -u` on this test writes it anew", async () => {
    const text = `${JSON.stringify(Mapping.jsonSchema(), null, 2)}\n`
    await expect(text).toMatchFileSnapshot("../../schema/import-mapping.schema.json")
  })

  it("takes the example, and not one with a key that there is not", () => {
    const fits = new Ajv({ strict: false }).compile(Mapping.jsonSchema())
    const example = parse(fs.readFileSync(EXAMPLE, "utf8"))
    expect(fits(example)).toBe(true)
    expect(fits({ ...example, recrods: [] })).toBe(false)
  })
})
