import { signal } from "@preact/signals"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { roleOf } from "../../../src/projections/conversation/Role.ts"
import { CourseHistory } from "../../../src/studio/page/model/CourseHistory.ts"
import { Heights } from "../../../src/studio/page/model/conversation/Heights.ts"
import { Talk } from "../../../src/studio/page/model/conversation/Talk.ts"
import type { Source } from "../../../src/studio/page/source/Source.ts"
import { CHUNK, type Entry } from "../../../src/studio/wire/CourseSlice.ts"
import type { Json } from "../../../src/values/Json.ts"

type Event = readonly [type: string, payload?: Json, cause?: number | undefined, more?: Partial<Entry>]

const entryOf = ([type, payload = {}, cause, more = {}]: Event, index: number): Entry => ({
  position: index + 1,
  id: `id-${index + 1}`,
  type,
  kind: "other",
  bad: false,
  task: "t",
  timeline: "main",
  actor: "kernel",
  recordedAt: index,
  occurredAt: index,
  cause: cause === undefined ? null : { position: cause, type: "", line: "" },
  line: "",
  payload,
  length: 0,
  unreadable: [],
  changes: [],
  ...more,
})

/** A task with these events, and the numbers of the chunks that were asked for. */
const talkOf = async (events: ReadonlyArray<Event>) => {
  const entries = events.map(entryOf)
  const asked: Array<number> = []
  const ones = entries.map(() => 1)
  const course = { positions: ones, times: ones, kinds: "", roles: entries.map(({ type }) => roleOf(type)).join("") }
  const source = {
    ask: async (path: string, { number = 0 }: { readonly number?: number }) => {
      if (path === "task") return { outcome: null, isCaptured: false }
      if (path === "course") return { ...course, last: null }
      asked.push(number)
      const slice = entries.slice(number * CHUNK, (number + 1) * CHUNK)
      const rest = { full: true, written: {}, views: [], aside: [], state: { shared: {}, tasks: {} } }
      return { timeline: "main", task: "t", number, offset: number * CHUNK, entries: slice, ...rest }
    },
  } as unknown as Source
  const history = new CourseHistory(source, { timeline: "main", task: "t" }, signal(entries.length))
  await history.open()
  const { value: marks } = history.marks
  if (marks === null) throw new Error("expected a course, found none")
  const talk = new Talk(history, marks)
  /** The items of rows once everything that they need is loaded. */
  const loaded = async (first: number, last: number) => {
    for (let before = -1; before !== asked.length; ) {
      before = asked.length
      talk.items(first, last)
      await Promise.all(asked.map((number) => history.chunk(number)))
    }
    return talk.items(first, last)
  }
  return { talk, asked, loaded }
}

const turn = (index: number): ReadonlyArray<Event> => [
  ["ModelCalled", { provider: "p", model: "m" }],
  ["ModelResponded", { response: `answer ${index}` }, 2 * index + 1],
]

describe("the rows of a conversation", () => {
  it("are known before its events are loaded, of which only those around the visible ones are", async () => {
    const { talk, asked, loaded } = await talkOf(Array.from({ length: 1_000 }, (_, index) => turn(index)).flat())
    expect(talk.isOfModel).toBe(true)
    expect([talk.rows.length, talk.rows.spans.length, talk.rows.spans.at(-1)?.turn]).toEqual([1_000, 1_000, 1_000])
    expect(talk.rows.spans[7]?.ms).toBe(1)
    const { byRow } = await loaded(500, 510)
    expect(byRow.get(505)).toMatchObject([{ kind: "answer", text: "answer 505", begins: 1011, position: 1012 }])
    expect(byRow.get(10)).toBeUndefined()
    expect([...new Set(asked)].sort()).toEqual([4, 5, 6])
    expect([talk.rowAt(1012), talk.rowAt(1011), talk.positionOf(505), talk.step(1012, 2), talk.step(1012, -1)]).toEqual(
      [505, 505, 1012, 1016, 1010],
    )
    expect([talk.step(1, -1), talk.step(2_000, 1)]).toEqual([null, null])
  })

  it("show the end of a call however far it is, and say that it is not here where it is farther", async () => {
    const command: Event = ["ActuatorCommanded", { commandId: "c", actuator: "a/b", args: {} }]
    const done: Event = ["CommandSucceeded", { commandId: "c", result: 1 }]
    const between = (count: number) => Array.from({ length: count }, (): Event => ["SensorRead"])
    const { loaded } = await talkOf([command, ...between(7 * CHUNK), done])
    expect((await loaded(0, 0)).byRow.get(0)).toMatchObject([{ state: "succeeded" }])
    const far = await (await talkOf([command, ...between(60 * CHUNK), done])).loaded(0, 0)
    expect([far.isCut, far.byRow.get(0)]).toMatchObject([true, [{ state: "running" }]])
  })

  it("skip what says nothing, and stand in the order in which an import's late account happened", async () => {
    const late = { actor: "import:claude-code" }
    const { talk, loaded } = await talkOf([
      ["InputReceived", { content: "do it" }],
      ["ActuatorCommanded", { commandId: "c", actuator: "a/b", args: {} }],
      ["MessageSent", { content: "done" }],
      ["TaskClosed", { outcome: "achieved" }],
      ["ModelCalled", {}, undefined, { ...late, occurredAt: 0 }],
      ["ModelResponded", { response: "I look." }, 5, { ...late, occurredAt: 0 }],
      ["MessageSent", { content: "I look." }, undefined, { ...late, occurredAt: 0 }],
    ])
    await loaded(0, 5)
    const { byRow } = await loaded(0, 5)
    const kinds = Array.from({ length: talk.rows.length }, (_, row) => byRow.get(row)?.map(({ kind }) => kind))
    expect(kinds).toEqual([["input"], ["answer"], [], ["call"], ["said"], ["close"]])
    expect([talk.rowAt(5), talk.rowAt(2), talk.rowAt(4), talk.step(6, 1)]).toEqual([1, 3, 5, 2])
  })
})

describe("the heights of rows", () => {
  it("sum up as a list of numbers does, whatever is measured", () => {
    const measured = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 0, max: 500 })))
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), measured, fc.nat(30_000), (length, changes, place) => {
        const heights = new Heights(() => 40)
        heights.grow(Math.ceil(length / 2))
        heights.grow(length)
        const model = Array.from({ length }, () => 40)
        for (const [row, height] of changes) {
          heights.set(row, height)
          if (row < length) model[row] = height
        }
        const until = (row: number) => model.slice(0, row).reduce((sum, height) => sum + height, 0)
        expect(model.map((_, row) => heights.before(row))).toEqual(model.map((_, row) => until(row)))
        expect(heights.total).toBe(until(length))
        const found = model.findIndex((_, row) => until(row + 1) > place)
        expect(heights.at(place)).toBe(found === -1 ? length - 1 : found)
      }),
    )
  })
})
