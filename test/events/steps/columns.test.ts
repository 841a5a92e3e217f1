import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as zlib from "node:zlib"
import { it as effectIt } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { EventLog, InvalidEvent, LogCorrupt } from "../../../src/events/log/EventLog.ts"
import * as ColumnBytes from "../../../src/events/steps/ColumnBytes.ts"
import { writeDistances } from "../../../src/events/steps/ColumnStreams.ts"
import { type Content, decode, encoder, readerOf, type Step } from "../../../src/events/steps/StepColumns.ts"
import * as StepPosition from "../../../src/events/steps/StepPosition.ts"
import { MAX_COLUMN_BYTES } from "../../../src/events/vocabulary/Worlds.ts"
import { type Json, type JsonObject, MAX_DEPTH } from "../../../src/values/Json.ts"
import { MAX_STEPS } from "../../../src/values/StepAddress.ts"
import { temporaryLog } from "../../temporary.ts"

const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as Json)
const object = fc.dictionary(fc.string(), json).map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom("add" as const, "replace" as const), path: fc.string(), value: json }),
  fc.record({ op: fc.constant("remove" as const), path: fc.string() }),
)

/** Steps of any shape, and steps of one shape with numbers as a world has them. */
const anyStep = fc.record({
  action: json,
  result: object,
  patch: fc.array(operation, { maxLength: 4 }),
  readings: object,
})
const shapedStep = fc
  .tuple(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
    fc.float({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
  )
  .map(
    ([exact, count, single, has]): Step => ({
      action: count,
      result: { reward: exact + 0, rewards: { reward: exact + 0 }, ...(has ? { outcome: "failed" } : {}) },
      patch: [
        { op: "replace", path: "/x", value: exact + 0 },
        ...(has ? [{ op: "replace" as const, path: "/widest", value: single + 0 }] : []),
      ],
      readings: {
        observation: [Math.fround(exact) + 0, single + 0].map((value) => (Number.isFinite(value) ? value : 0)),
      },
    }),
  )

const encoded = (steps: ReadonlyArray<Step>) => {
  const found = encoder().encode(steps)
  if (found === undefined) throw new Error("expected columns that fit")
  return { steps: steps.length, ...found }
}

describe("columns of steps", () => {
  it("return any steps unchanged", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        expect(decode(encoded(steps))).toEqual(steps)
      }),
    )
  })

  it("return steps of one shape unchanged, also those that an encoder writes after others", () => {
    fc.assert(
      fc.property(
        fc.array(shapedStep, { minLength: 1, maxLength: 40 }),
        fc.array(shapedStep, { maxLength: 40 }),
        (first, second) => {
          const one = encoder()
          for (const steps of [first, second]) {
            const found = one.encode(steps)
            expect(found && decode({ steps: steps.length, ...found })).toEqual(steps)
          }
        },
      ),
    )
  })

  it("predict a force by an equation of the place and the action, and store a choice of two in an eighth of a byte", () => {
    const steps = swings(512)
    const found = encoded(steps)
    expect(decode(found)).toEqual(steps)
    const { predictors, sizes } = headerOf(found)
    // The columns: the action, the reward twice, the place, the speed.
    expect(predictors.map(([kind]: [string]) => kind)).toEqual(["d", "d", "d", "e", "q"])
    expect(sizes[0] / steps.length).toBeLessThan(0.15)
    expect(Buffer.from(found.columns, "base64").length / steps.length).toBeLessThan(1.5)
  })

  it("use the equation of runs before, whatever else a document has", () => {
    const steps = swings(1000).map(({ patch, ...step }, index) => {
      const more = index < 500 ? [] : [{ op: "replace" as const, path: "/aside", value: index % 5 }]
      return { ...step, patch: [...more, ...patch] }
    })
    const one = encoder()
    const runs = [0, 500].map((from) => steps.slice(from, from + 500))
    const contents = runs.map((run) => ({ steps: run.length, ...(one.encode(run) ?? encoded([])) }))
    expect(contents.map((content) => decode(content))).toEqual(runs)
    const [first, second] = contents.map((content) => headerOf(content).predictors.at(-1))
    expect(first[0]).toBe("q")
    // The same terms, and columns that are one further.
    expect(second[2]).toEqual(first[2])
    expect(second[1].map(([column]: [number]) => column)).toEqual([expect.any(Number), expect.any(Number)])
    expect(contents[1]?.columns.length).toBeLessThan(900)
  })

  it("read numbers at the edges of what a number can be", () => {
    const edges = [0, 5e-324, -5e-324, 1e308, -1e308, 2 ** 53, -(2 ** 53) - 2, 1 / 3, -1e-300, 0, 1, -1]
    const steps = Array.from({ length: 96 }, (_, index): Step => {
      const value = edges[(index * 7) % edges.length] ?? 0
      return { action: null, result: { a: value, b: index % 30, c: value * (index % 31) + 0 }, patch: [], readings: {} }
    }).filter(({ result }) => Number.isFinite(result.c))
    expect(decode(encoded(steps))).toEqual(steps)
  })

  it("have no more equations than an event may have, besides its parts", () => {
    // Objects without fields are parts without columns: these leave room for two terms, and the equation has more.
    const empty = Array.from({ length: 64 }, () => Array.from({ length: 64 }, () => ({})))
    const steps = swings(1006).map((step) => ({ ...step, readings: { empty, more: empty, few: [{}, {}, {}] } }))
    const found = encoded(steps)
    expect(readerOf(found).partsAt(1005).patch).toEqual(steps[1005]?.patch)
    expect(headerOf(found).predictors.map(([kind]: [string]) => kind)).not.toContain("q")
  })

  it("keep the order of changes whose paths JavaScript would sort", () => {
    const patch = ["", "10", "9", "__proto__", "/a"].map((path) => ({ op: "replace" as const, path, value: path }))
    const steps: ReadonlyArray<Step> = [{ action: 0, result: {}, patch, readings: {} }]
    expect(decode(encoded(steps))).toEqual(steps)
  })

  it("read values that are nested as deep as any in a log", () => {
    const deep = (levels: number, around: (inside: Json) => Json): Json =>
      levels === 0 ? 1 : around(deep(levels - 1, around))
    for (const around of [(inside: Json) => [inside], (inside: Json) => ({ inside })]) {
      const value = deep(MAX_DEPTH - 1, around)
      const steps: ReadonlyArray<Step> = [
        { action: value, result: { value }, patch: [{ op: "replace", path: "/value", value }], readings: { value } },
      ]
      expect(decode(encoded(steps))).toEqual(steps)
    }
  })

  it("of logs of earlier versions read as they did", () => {
    const lines = fs
      .readFileSync(new URL("./encoding-1.jsonl", import.meta.url), "utf8")
      .trim()
      .split("\n")
    expect(lines).toHaveLength(2)
    for (const line of lines) {
      const { steps, content }: { steps: ReadonlyArray<Step>; content: Content } = JSON.parse(line)
      const first: Content = { ...content, encoding: 1 }
      expect(decode(first)).toEqual(steps)
      const { partsAt } = readerOf(first)
      expect(steps.map((_, row) => partsAt(row).action)).toEqual(steps.map(({ action }) => action))
    }
  })

  it("keep keys with a meaning in JavaScript", () => {
    const readings: JsonObject = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2, "1": 3}')
    const steps = [{ action: 0, result: { info: readings }, patch: [], readings }]
    const [step] = decode(encoded(steps))
    expect(JSON.stringify(step?.readings)).toBe(JSON.stringify(readings))
    expect(Object.getPrototypeOf(step?.readings)).toBe(Object.prototype)
  })
})

const headerOf = ({ columns, bytes }: Content) => JSON.parse(ColumnBytes.unpack(columns, bytes).header.toString())

/** A mass on a spring, which an agent pushes to one side or the other. */
const swings = (count: number): ReadonlyArray<Step> => {
  let [place, speed, seed] = [0.1, 0, 1]
  return Array.from({ length: count }, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    const action = Math.floor(seed / 2 ** 16) % 2
    const force = (action === 1 ? 3 : -3) - 4 * place - 0.1 * place ** 3
    ;[place, speed] = [place + 0.02 * speed, speed + 0.02 * force]
    return {
      action,
      result: { reward: 1, rewards: { reward: 1 } },
      patch: [
        { op: "replace", path: "/place", value: place },
        { op: "replace", path: "/speed", value: speed },
      ],
      readings: {},
    }
  })
}

const step = { action: 1, result: { reward: 1 }, patch: [], readings: { observation: [0.5] } }
const good = encoded([step, step, step])
const sealed = (bytes: Buffer) => ({
  steps: 3,
  bytes: bytes.length,
  digest: crypto.createHash("sha256").update(bytes).digest("hex"),
})
/** Columns of the first encoding. */
const packed = (content: Uint8Array | string, more: object = {}) => {
  const bytes = Buffer.from(content as string)
  const columns = zlib.deflateRawSync(bytes).toString("base64")
  return { encoding: 1 as const, ...sealed(bytes), columns, ...more }
}
const header = (shape: unknown, predictors: unknown, masks: unknown) =>
  `${JSON.stringify({ shape, predictors, masks })}\n`
/** Columns of today's encoding. */
const streamed = (
  predictors: unknown,
  streams: ReadonlyArray<Uint8Array>,
  sizes = streams.map(({ length }) => length),
) => {
  const head = Buffer.from(`${JSON.stringify({ rows: 3, shape: row, predictors, sizes })}\n`)
  const rest = Buffer.concat(streams)
  const columns = ColumnBytes.pack(head, rest)
  return { encoding: 2 as const, ...sealed(Buffer.concat([head, rest])), columns }
}
const number = { kind: "number" }
const list = { kind: "list", items: [] }
const row = {
  kind: "object",
  fields: [
    { key: "action", shape: number },
    { key: "result", shape: { kind: "object", fields: [] } },
    { key: "readings", shape: { kind: "object", fields: [] } },
  ],
}

describe("columns of a stranger", () => {
  const bomb = zlib.deflateRawSync(Buffer.alloc(64 * 1024 * 1024))
  const bombSize = Buffer.alloc(4)
  bombSize.writeUInt32LE(bomb.length)
  const bombed = Buffer.concat([bombSize, bomb]).toString("base64")
  const infinite = writeDistances(Float64Array.of(0, Number.POSITIVE_INFINITY, 0), () => 0, 3).stream
  const nan = Buffer.alloc(24)
  for (let index = 0; index < 3; index++) nan.writeDoubleLE(Number.NaN, index * 8)
  const planes = Buffer.alloc(24)
  for (let at = 0; at < 3; at++) for (let byte = 0; byte < 8; byte++) planes[byte * 3 + at] = nan[at * 8 + byte] ?? 0
  const cases: ReadonlyArray<readonly [what: string, content: Content, reason: RegExp]> = [
    ["a billion steps", { ...good, steps: 1e9 }, /1000000000 steps, and no event holds more than 1024/],
    ["fewer steps than columns have", { ...good, steps: 2 }, /columns of 3 steps, expected 2/],
    ["a decompression bomb", { ...good, bytes: 1000, columns: bombed }, /cannot be decompressed to 1000 bytes/],
    [
      "a decompression bomb of the first encoding",
      { ...good, encoding: 1, bytes: 1000, columns: bomb.toString("base64") },
      /cannot be decompressed to 1000 bytes/,
    ],
    ["a larger size than any event has", { ...good, bytes: 1e12 }, /no event has more than 8388608/],
    ["a size that is too large", { ...good, bytes: good.bytes + 1 }, /bytes, expected/],
    ["another digest", { ...good, digest: "0".repeat(64) }, /do not have their digest/],
    ["no compression", { ...good, columns: "AQAAAGhlbGxv" }, /cannot be decompressed/],
    ["an end within the header", { ...good, columns: "aGVsbG8=" }, /5 bytes, which end within the header/],
    ["hardly a byte", { ...good, columns: "aGU=" }, /2 bytes, which end within the header/],
    [
      "no header in the second encoding",
      { ...packed("x"), encoding: 2, columns: ColumnBytes.pack(Buffer.from("x"), Buffer.alloc(0)) },
      /no header/,
    ],
    ["streams of another size", streamed([["p"]], [Buffer.from("ab")], [1]), /2 bytes, expected 1/],
    [
      "a value that its column does not have",
      streamed([["d", 1, 2, 3]], [Buffer.alloc(8)]),
      /value 3 of 3 of its column/,
    ],
    ["a distance of more than 64 bits", streamed([["p"]], [Buffer.alloc(40)]), /a distance of 127 bits/],
    ["an infinite number", streamed([["p"]], [infinite]), /step 1 of its columns is Infinity/],
    ["too large an exponent", streamed([["q", [[0, 1, 0]], [[1, 1e6]]]], [Buffer.alloc(0)]), /between 0 and 9/],
    [
      "more terms than a polynomial has",
      streamed([["q", [], Array.from({ length: 999 }, () => [1])]], [Buffer.alloc(0)]),
      /at most 24/,
    ],
    [
      "a polynomial of a later column in the same row",
      streamed([["q", [[0, 0, 0]], [[1, 1]]]], [Buffer.alloc(0)]),
      /not decoded before it/,
    ],
    ["no header", packed("x"), /no header/],
    ["columns of unequal length", packed(`${header(row, [["p"]], [1])}ab`), /2 bytes, expected 3 for 3 steps/],
    ["more predictors than columns", packed(header(row, [["p"], ["p"]], [0, 0])), /expected 1 columns, found 2/],
    ["NaN", packed(Buffer.concat([Buffer.from(header(row, [["p"]], [255])), planes])), /is NaN/],
    [
      "an index without a text",
      packed(
        header(
          { ...row, fields: [{ key: "action", shape: { kind: "text", texts: [] } }, ...row.fields.slice(1)] },
          [["p"]],
          [0],
        ),
      ),
      /text 0 of 0/,
    ],
    ["steps that are no objects", packed(header(number, [["p"]], [0])), /expected steps with a result/],
    [
      "a hundred thousand lists a step that take no bytes",
      packed(
        header(
          {
            ...row,
            fields: [
              ...row.fields.slice(0, 2),
              { key: "readings", shape: { kind: "list", items: Array.from({ length: 100_000 }, () => list) } },
            ],
          },
          [["p"]],
          [0],
        ),
        { steps: MAX_STEPS },
      ),
      /1024 steps have 100004 parts each/,
    ],
    [
      "a column that a later one predicts",
      packed(header({ ...row, fields: [...row.fields, { key: "more", shape: number }] }, [["c", 1], ["p"]], [0, 0])),
      /column 0 is predicted by one that is not decoded before it/,
    ],
    [
      "a column that no column predicts",
      packed(header(row, [["e", 1, 2]], [0])),
      /column 0 is predicted by one that is not decoded before it/,
    ],
    ["an unknown shape", packed(header({ kind: "cube" }, [], [])), /kind/],
    ["a deep header", packed(`${"[".repeat(5000)}${"]".repeat(5000)}\n`), /nested too deep/],
  ]
  for (const [what, content, reason] of cases) {
    it(`with ${what} are refused with the reason`, () => {
      expect(() => decode(content)).toThrow(reason)
    })
  }

  const payload = { plugin: "room", first: 0, rule: "default", latencyMs: 1, priorities: {} }
  const append = (content: object) =>
    Effect.flatMap(EventLog, (log) =>
      log.append({
        stream: "task/t",
        actor: "kernel",
        taskId: "t",
        events: [{ type: "StepsRecorded", payload: { ...payload, ...content } } as never],
      }),
    )

  effectIt.effect("make a log's reads fail with their position, and cannot be appended with impossible sizes", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const refused = yield* Effect.flip(append({ ...good, steps: MAX_STEPS + 1 }))
      expect(refused).toBeInstanceOf(InvalidEvent)
      expect(yield* Effect.flip(append({ ...good, bytes: MAX_COLUMN_BYTES + 1 }))).toBeInstanceOf(InvalidEvent)
      yield* append(good)
      expect(
        (yield* log.readPage({ types: ["SensorRead"] }, 10)).map(({ position }) => StepPosition.addressOf(position)),
      ).toEqual(["@1#0", "@1#1", "@1#2"])
      yield* append({ ...good, digest: "0".repeat(64) })
      const found = yield* Effect.flip(log.readPage({}, 1000))
      expect(found).toBeInstanceOf(LogCorrupt)
      expect(found.message).toContain("at @2: its steps cannot be read: its columns do not have their digest")
      // The event itself, and events of other types, can still be read.
      expect((yield* log.readPage({ after: 1, until: 2 }, 1)).map(({ type }) => type)).toEqual(["StepsRecorded"])
      expect(Exit.isSuccess(yield* Effect.exit(log.readPage({ types: ["TaskOpened"] }, 10)))).toBe(true)
    }).pipe(Effect.provide(temporaryLog())),
  )

  effectIt.effect("have other events around them, also between two steps", () =>
    Effect.gen(function* () {
      const log = yield* EventLog
      yield* log.append({
        stream: "task/t",
        actor: "kernel",
        taskId: "t",
        events: [{ type: "TaskCancelled", payload: { by: "person:ada" } } as never],
      })
      yield* append(good)
      const [early, late] = [StepPosition.after(2, 0), StepPosition.after(2, 1)]
      for (const query of [{ types: ["TaskCancelled"] }, { types: ["TaskCancelled"], whole: true }, { whole: true }]) {
        const positionsIn = (range: object) =>
          Effect.map(log.readPage({ ...query, ...range }, 10), (page) => page.map(({ position }) => position))
        expect(yield* positionsIn({ after: early, until: late })).toEqual([])
        expect(yield* positionsIn({ after: 0, until: late })).toEqual([1])
        expect(yield* positionsIn({ after: early, until: 2 })).toEqual(query.types === undefined ? [2] : [])
      }
    }).pipe(Effect.provide(temporaryLog())),
  )
})

describe("a step's position", () => {
  it("is written with the step, and lies before the event's own", () => {
    for (const at of [1, 412, 2 ** 33]) {
      let last = at - 1
      for (const place of [StepPosition.BEGIN, 0, 1, 37, MAX_STEPS - 1]) {
        for (const within of [0, 1, StepPosition.MAX_WITHIN - 1]) {
          const position = StepPosition.positionOf(at, place, within)
          expect(position).toBeGreaterThan(last)
          expect(position).toBeLessThan(at)
          expect(StepPosition.stepAt(position)).toBe(place)
          expect(StepPosition.holder(position)).toBe(at)
          expect(StepPosition.isPosition(position)).toBe(true)
          last = position
        }
        expect(StepPosition.after(at, place)).toBe(last)
      }
    }
    expect(StepPosition.addressOf(StepPosition.positionOf(412, 37, 2))).toBe("@412#37")
    expect(StepPosition.addressOf(412)).toBe("@412")
    expect(StepPosition.isPosition(411.3)).toBe(false)
  })
})
