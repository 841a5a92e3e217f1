import { it } from "@effect/vitest"
import { Effect, Either } from "effect"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { objectsIn } from "../../src/importing/files/LineText.ts"
import * as Mapping from "../../src/importing/mapping/Mapping.ts"
import { SESSION, session } from "./claudeSession.ts"
import { events, importing, lines, payloads, withFiles } from "./given.ts"

const objects = fc.dictionary(fc.string(), fc.jsonValue())

describe("a damaged line", () => {
  it("has each of the objects that were written into it, NULs left out", () => {
    fc.assert(
      fc.property(fc.array(objects, { minLength: 1, maxLength: 4 }), fc.nat({ max: 3 }), (all, nuls) => {
        const texts = all.map((one) => JSON.stringify(one))
        expect(objectsIn(texts.join("\0".repeat(nuls)))).toEqual({
          values: texts.map((text) => JSON.parse(text)),
          isWhole: true,
        })
      }),
    )
  })

  it("has the object after a part of another one, and no part of that", () => {
    const torn = '{"type":"user","message":{"role":"user","content":"Fix'
    expect(objectsIn(`${torn}{"type":"assistant"}`)).toEqual({ values: [{ type: "assistant" }], isWhole: false })
    expect(objectsIn('{"type":"user","message":{"role":"user"}')).toEqual({ values: [], isWhole: false })
    expect(objectsIn("no object")).toEqual({ values: [], isWhole: false })
    expect(objectsIn('{"a":1} trailing')).toEqual({ values: [{ a: 1 }], isWhole: false })
  })

  it.effect("loses nothing of a session, and what is lost is counted", () => {
    const records = session().map((record) => JSON.stringify(record))
    const [first, second, ...others] = records
    const text = `${first}${second}\n\0\0${others.join("\n")}\n{"type":"user","mess\n`
    return withFiles({ [`${SESSION}.jsonl`]: text }, (directory) =>
      Effect.gen(function* () {
        const { files } = yield* importing(directory)
        expect(payloads(yield* events, "CommandSucceeded")).toHaveLength(3)
        expect(files[0]?.leftOut).toMatchObject({ "line: it is no JSON object": 1 })
      }),
    )
  })

  it.effect("is whole without a line end where its objects are", () => {
    const [first, ...others] = session().map((record) => JSON.stringify(record))
    return withFiles({ [`${SESSION}.jsonl`]: [first, others.join("")].join("\n") }, (directory) =>
      Effect.gen(function* () {
        yield* importing(directory)
        expect(payloads(yield* events, "CommandSucceeded")).toHaveLength(3)
      }),
    )
  })

  it.effect("does not keep a file from being recognized, wherever it is", () => {
    const [first, ...others] = session().map((record) => JSON.stringify(record))
    const head = { sessionId: "s-1", projectHash: "p", startTime: "2026-05-01T10:00:00Z", kind: "main" }
    const said = { id: "m-1", timestamp: "2026-05-01T10:00:01Z", type: "user", content: [{ text: "Fix a.txt" }] }
    const gemini = [head, said].map((record) => JSON.stringify(record))
    const files = {
      "glued.jsonl": `${[first, ...others].join("")}\n`,
      "gemini-glued.jsonl": `${gemini.join("")}\n`,
      "gemini-nuls.jsonl": `\0\0${gemini.join("\n")}\n`.replaceAll("s-1", "s-2"),
      "gemini-values.jsonl": `null\n[]\n${gemini.join("\n")}\n`.replaceAll("s-1", "s-3"),
    }
    return withFiles(files, (directory) =>
      Effect.gen(function* () {
        const report = yield* importing(directory)
        expect(report).toMatchObject({ unknown: [], refused: [] })
        expect(payloads(yield* events, "InputReceived").map(({ content }) => content)).toContain("Fix a.txt")
        expect(payloads(yield* events, "CommandSucceeded")).toHaveLength(3)
      }),
    )
  })
})

describe("a file for a mapping", () => {
  const messages = [
    { role: "user", content: "Add" },
    { role: "assistant", content: "", tool_calls: [{ id: "c", function: { name: "add", arguments: '{"a":1}' } }] },
    { role: "tool", tool_call_id: "c", content: "2" },
    { role: "assistant", content: "It is 2." },
  ]
  const mapping = (more: object) =>
    Either.getOrThrow(
      Mapping.decode("m.yaml", {
        name: "chats",
        records: [
          { when: 'record.role == "user"', is: "said", content: "/content" },
          {
            when: 'record.role == "assistant"',
            is: "answer",
            text: "/content",
            model: "/_whole/model",
            calls: { in: "/tool_calls", id: "/id", tool: "/function/name", args: "/function/arguments" },
          },
          { when: 'record.role == "tool"', is: "result", id: "/tool_call_id", content: "/content" },
          { when: "has(record.reward)", is: "score", name: { cel: '"reward"' }, value: "/reward" },
        ],
        ...more,
      }),
    )

  it.effect("has a run in each line whose messages are a list, with the line itself as its last record", () =>
    withFiles(
      {
        "chats.jsonl": lines([
          { model: "m1", messages, reward: 1 },
          { model: "m2", messages, note: "kept" },
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const format = mapping({ each: "/messages" })
          yield* importing(directory, { format })
          const all = yield* events
          expect(payloads(all, "TaskOpened")).toMatchObject([{ goal: "Add" }, { goal: "Add" }])
          expect(payloads(all, "ModelCalled").map(({ model }) => model)).toEqual(["m1", "m1", "m2", "m2"])
          expect(payloads(all, "CommandSucceeded").map(({ result }) => result)).toEqual(["2", "2"])
          expect(payloads(all, "SourceRecordKept").map(({ record }) => record)).toEqual([{ model: "m2", note: "kept" }])
          expect(payloads(all, "RewardGiven")).toMatchObject([{ amount: 1 }])
          expect((yield* importing(directory, { format })).added).toBe(0)
        }),
    ),
  )

  it.effect("is a document where it is printed over several lines: a run, or a run of each item of its list", () =>
    withFiles(
      {
        "a.json": JSON.stringify({ model: "m1", messages }, undefined, 2),
        "b.json": JSON.stringify(
          [
            { n: 1, messages },
            { n: 2, messages },
          ],
          undefined,
          2,
        ),
      },
      (directory) =>
        Effect.gen(function* () {
          const { files } = yield* importing(directory, { format: mapping({ each: "/messages" }) })
          expect(files.map(({ runs }) => runs.length)).toEqual([1, 2])
          expect(payloads(yield* events, "CommandSucceeded")).toHaveLength(3)
        }),
    ),
  )

  it.effect("has records of lists within lists", () =>
    withFiles(
      {
        "chats.json": JSON.stringify(
          {
            chats: [
              { id: "x", messages },
              { id: "y", messages },
            ],
          },
          undefined,
          1,
        ),
      },
      (directory) =>
        Effect.gen(function* () {
          const format = mapping({
            each: ["/chats", "/messages"],
            run: { cel: "has(record._whole.id) ? record._whole.id : record.id" },
          })
          yield* importing(directory, { format })
          const all = yield* events
          expect(all.filter(({ type }) => type === "TaskOpened").map(({ taskId }) => taskId)).toEqual([
            ...["chats-x", "chats-y"],
          ])
        }),
    ),
  )

  it.effect("is refused whole where no record has the list of `each`, and says what is there instead", () => {
    const line = { id: 1, messages, meta: { messages: "none" } }
    const cases: ReadonlyArray<readonly [each: unknown, found: string]> = [
      ["/mesages", 'expected a list at "/mesages" (each) in at least one record, found nothing there in any of them'],
      ["/meta", "found an object in any of them"],
      ["/meta/messages", "found a string in any of them"],
      ["/id", "found a number in any of them"],
      [{ cel: "record.messages[9].list" }, "found nothing there in any of them"],
      [["/messages", "/parts"], 'expected a list at "/parts" (each)'],
    ]
    return Effect.forEach(cases, ([each, found]) =>
      withFiles(
        { "a.jsonl": lines(Array.from({ length: 600 }, () => line)), "b.json": JSON.stringify(line, undefined, 1) },
        (directory) =>
          Effect.gen(function* () {
            const { refused, files } = yield* importing(directory, { format: mapping({ each }) })
            expect(files).toEqual([])
            expect(refused.map(({ reason }) => reason)).toEqual([
              expect.stringContaining(found),
              expect.stringContaining(found),
            ])
            expect(yield* events).toEqual([])
          }),
      ),
    )
  })

  it.effect("is read where one line lacks the list of `each`, or its items are no objects", () =>
    withFiles(
      {
        "a.jsonl": lines([
          { id: 1 },
          { messages: [1, "x", null, [2], { role: "user", content: "Add" }] },
          { messages: [] },
        ]),
      },
      (directory) =>
        Effect.gen(function* () {
          const format = mapping({ each: "/messages" })
          const { files } = yield* importing(directory, { format })
          expect(files[0]?.kept).toEqual({ record: 5 })
          expect(payloads(yield* events, "SourceRecordKept").map(({ record }) => record)).toContainEqual({ value: [2] })
          expect((yield* importing(directory, { format })).added).toBe(0)
        }),
    ),
  )

  it.effect("says which values of the mapping no record has", () =>
    withFiles({ "a.jsonl": lines(messages) }, (directory) =>
      Effect.gen(function* () {
        const records = [
          { when: 'record.role == "user"', is: "said", content: "/txt" },
          { is: "answer", text: "/content", model: "/model" },
        ]
        const { files } = yield* importing(directory, { format: mapping({ run: "/session", time: "/at", records }) })
        expect(Object.keys(files[0]?.remarks ?? {}).filter((remark) => remark.startsWith("no record"))).toEqual([
          "no record has a value for run of the mapping",
          "no record has a value for time of the mapping",
          "no record has a value for records[0].content of the mapping",
          "no record has a value for records[1].model of the mapping",
        ])
      }),
    ),
  )

  it.effect("keeps numbers of twenty digits apart, and exact", () =>
    withFiles(
      {
        "a.jsonl":
          '{"run":12345678901234567890,"role":"user","content":"A","big":-98765432109876543210,"text":"12345678901234567891"}\n' +
          '{"run":12345678901234567891,"role":"user","content":"B","exact":1152921504606846976,"f":0.12345678901234567890}\n',
      },
      (directory) =>
        Effect.gen(function* () {
          const format = mapping({ run: "/run", records: [{ is: "kept" }] })
          yield* importing(directory, { format })
          const all = yield* events
          expect(all.filter(({ type }) => type === "TaskOpened").map(({ taskId }) => taskId)).toEqual([
            ...["chats-12345678901234567890", "chats-12345678901234567891"],
          ])
          expect(payloads(all, "SourceRecordKept").map(({ record }) => record)).toMatchObject([
            { big: "-98765432109876543210", text: "12345678901234567891" },
            { exact: 2 ** 60, f: 0.123_456_789_012_345_68 },
          ])
        }),
    ),
  )

  it.effect("none of whose lines is an object is refused, and not passed over", () =>
    withFiles({ "chats.jsonl": "one\ntwo\n" }, (directory) =>
      Effect.gen(function* () {
        const { refused } = yield* importing(directory, { format: mapping({}) })
        expect(refused).toMatchObject([{ reason: expect.stringContaining("none in 2 lines") }])
      }),
    ),
  )

  it.effect("may have a first line of 20 MiB", () =>
    withFiles(
      { [`${SESSION}.jsonl`]: lines([{ ...session()[1], padding: "x".repeat(20 * 1024 * 1024) }]) },
      (directory) =>
        Effect.gen(function* () {
          expect((yield* importing(directory)).files).toHaveLength(1)
        }),
    ),
  )
})
