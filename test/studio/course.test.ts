import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { core } from "../../src/events/vocabulary/Vocabulary.ts"
import * as JsonPatch from "../../src/projections/patch/JsonPatch.ts"
import * as JsonPointer from "../../src/projections/patch/JsonPointer.ts"
import { course, isTelling, Outline, outlined, TELLING } from "../../src/studio/course/Outline.ts"
import * as Strip from "../../src/studio/course/Strip.ts"
import * as Writers from "../../src/studio/course/Writers.ts"
import { CourseOfTask } from "../../src/studio/page/model/Course.ts"
import { Remembered } from "../../src/studio/Remembered.ts"
import { type Json, pointerKeys } from "../../src/values/Json.ts"

describe("a strip", () => {
  it("is the course itself where that is short, and never longer than 80", () => {
    expect(Strip.of("")).toBe("")
    expect(Strip.of("trrdcccG")).toBe("trrdcccG")
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."rdcagpwmstxoRCX"), maxLength: 2_000 }), (course) => {
        expect(Strip.of(course)).toHaveLength(Math.min(course.length, 80))
      }),
    )
  })

  it("shows of each part what tells the most: what went wrong first", () => {
    expect(Strip.of("r".repeat(80) + "rC".repeat(40))).toBe("r".repeat(40) + "C".repeat(40))
    expect(Strip.of("rprr".repeat(80))).toBe("p".repeat(80))
    expect(Strip.of("pRpp".repeat(80))).toBe("R".repeat(80))
  })
})

describe("an outline", () => {
  it("leaves out of a task's time what lay between a recording and its fork, and before it was resumed", () => {
    const outline = new Outline()
    const take = (position: number, occurredAt: number, timeline = "main", type = "SensorRead") =>
      outline.take({
        position,
        occurredAt,
        recordedAt: occurredAt,
        timeline,
        type,
        role: ".",
        code: "r",
        isStep: false,
        taskId: "t",
        payload: null,
      })
    take(1, 1_000)
    take(2, 1_500)
    take(3, 100_000, "fork-1")
    take(4, 100_200, "fork-1")
    take(9, 500_000, "fork-1", "TaskResumed")
    take(10, 500_001, "fork-1")
    expect(outline.times).toEqual([1_000, 1_500, 1_500, 1_700, 1_700, 1_701])
    expect([0, 1, 2, 5, 9, 99].map((position) => outline.countBefore(position))).toEqual([0, 0, 1, 4, 4, 6])
  })
})

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)

/** The paths of all leaves. What is empty is one. */
const leaves = (value: Json, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => {
  const members = typeof value === "object" && value !== null ? Object.entries<Json>({ ...value }) : []
  return members.length === 0 ? [path] : members.flatMap(([key, member]) => leaves(member, [...path, key]))
}

describe("a course that grows in the page", () => {
  it("goes on with the task's own time, as an outline of all its events does", () => {
    const happened = fc.record({
      timeline: fc.constantFrom("main", "fork-1"),
      type: fc.constantFrom("SensorRead", "TaskResumed", "ClockChanged"),
      byMs: fc.integer({ min: -2_000, max: 2_000 }),
      after: fc.integer({ min: -500, max: 1_000 }),
      isRecordedThen: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(happened, { minLength: 1 }), fc.nat(), (events, cut) => {
        let occurredAt = 1_000
        const outlines = events.map(({ timeline, type, byMs, after, isRecordedThen }, index) => {
          occurredAt += after
          const recordedAt = isRecordedThen ? occurredAt : 9_000
          const when = { timeline, type, occurredAt, recordedAt, payload: type === "ClockChanged" ? { byMs } : null }
          return { ...when, position: index + 1, taskId: "t", code: "r", role: ".", isStep: false }
        })
        const outlineOf = (some: typeof outlines) => {
          const outline = new Outline()
          for (const event of some) outline.take(event)
          return outline
        }
        const first = 1 + (cut % events.length)
        const page = new CourseOfTask(course(outlineOf(outlines.slice(0, first))))
        for (const { taskId: task, code: _, role: ___, isStep: __, ...event } of outlines.slice(first)) {
          page.append({
            ...event,
            task,
            id: "",
            kind: "reading",
            bad: false,
            actor: "a",
            cause: null,
            line: "",
            length: 0,
            unreadable: [],
            changes: [],
          })
        }
        const whole = outlineOf(outlines)
        expect([page.positions, page.times]).toEqual([whole.positions, whole.times])
      }),
    )
  })
})

describe("the kind of an event", () => {
  it("is told by its type alone, but for the types whose payload tells it", () => {
    const envelope = { position: 1, taskId: "t", timeline: "main", occurredAt: 0, recordedAt: 0 }
    const content = { id: "", stream: "s", version: 1, schemaVersion: 1, causationId: null, actor: "a" }
    // What each of the types that are told by their payload calls good and bad.
    const payloads = [
      { outcome: "failed", approved: false, error: "e", result: "lost", code: 1, inFlight: [], source: "scenario" },
      { outcome: "achieved", approved: true, result: "won", code: 0, inFlight: [] },
    ]
    for (const type of core.types.keys()) {
      const whole = payloads.map((payload) => ({ ...envelope, ...content, type, payload, hash: "" }))
      const kept = whole.map((event) => outlined(event, event))
      if (isTelling({ type })) expect(kept[0]).not.toEqual(kept[1])
      else expect(kept).toEqual([outlined({ ...envelope, type }, undefined), kept[0]])
    }
    expect(TELLING.filter((type) => !core.types.has(type))).toEqual([])
  })
})

/** What a path leads through: lists or objects. */
const kinds = (document: Json, path: ReadonlyArray<string>): string =>
  path.map((_, depth) => Array.isArray(JsonPointer.valueAt(document, path.slice(0, depth)))).join()

describe("who wrote what", () => {
  it("is for each leaf the last event at which its value became another", () => {
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), (values) => {
        const documents = values.map((value): Json => ({ of: value }))
        let writers: Writers.Writers | undefined = Writers.none
        documents.forEach((document, index) => {
          writers = Writers.written(writers, documents[index - 1] ?? {}, document, index + 1)
        })
        const listed = Writers.listed(writers, "")
        const last = documents.at(-1) ?? null
        const expected = leaves(last).map((keys) => {
          const at = documents.map((document) => ({
            of: JsonPointer.valueAt(document, keys),
            in: kinds(document, keys),
          }))
          const changed = at.findLastIndex(
            (one, index) => one.in !== at[index - 1]?.in || !JsonPatch.equal(one.of, at[index - 1]?.of),
          )
          return [JsonPointer.write(keys), changed + 1]
        })
        expect(listed).toEqual(Object.fromEntries(expected))
        for (const pointer of Object.keys(listed)) {
          expect(JsonPointer.valueAt(last, pointerKeys(pointer))).toBeDefined()
        }
      }),
      // A member of an object and the element of a list that takes its place have one path.
      { examples: [[[{ "5": null }, [false, false, false, 0, 0, null]]]] },
    )
  })
})

describe("what is remembered", () => {
  it("is bounded: what was not asked for the longest goes first", () => {
    const made: Array<string> = []
    const remembered = new Remembered<string>(10, () => 1)
    const get = (key: number) =>
      remembered.get([String(key)], () => {
        made.push(String(key))
        return String(key)
      })
    for (let key = 0; key < 100; key++) get(key)
    get(99)
    get(0)
    expect(made.filter((key) => key === "99")).toHaveLength(1)
    expect(made.filter((key) => key === "0")).toHaveLength(2)
  })
})
