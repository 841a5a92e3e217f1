import { signal } from "@preact/signals"
import { describe, expect, it } from "vitest"
import { CourseHistory } from "../../../src/studio/page/model/CourseHistory.ts"
import { chainOf } from "../../../src/studio/page/model/chain.ts"
import { barsOf } from "../../../src/studio/page/model/waterfall.ts"
import type { Source } from "../../../src/studio/page/source/Source.ts"
import type { Change, CourseSlice, Entry } from "../../../src/studio/wire/CourseSlice.ts"
import type { RewardRow } from "../../../src/studio/wire/Task.ts"

const entry = (position: number, task: string | null, changes: ReadonlyArray<Change> = []): Entry => ({
  position,
  id: `id-${position}`,
  type: "SensorRead",
  kind: "reading",
  bad: false,
  task,
  timeline: "main",
  actor: "kernel",
  recordedAt: position,
  occurredAt: position,
  cause: null,
  line: "",
  payload: null,
  length: 0,
  unreadable: [],
  changes,
})

/** A task with one event, whose chunk is answered when a test lets it be. */
const course = async () => {
  const chunk: CourseSlice = {
    timeline: "main",
    task: "t",
    number: 0,
    offset: 0,
    full: false,
    written: {},
    views: [],
    aside: [],
    state: { shared: { lamp: "off" }, tasks: { t: {} } },
    entries: [entry(1, "t")],
  }
  let answer = () => {}
  const asked = new Promise<CourseSlice>((resolve) => {
    answer = () => resolve(chunk)
  })
  const answers = {
    task: { outcome: null },
    course: { positions: [1], times: [1], kinds: "r", roles: ".", last: { timeline: "main", at: 1, recordedAt: 1 } },
    chunk: asked,
  }
  const source = { ask: async (path: keyof typeof answers) => answers[path] } as unknown as Source
  const history = new CourseHistory(source, { timeline: "main", task: "t" }, signal(1))
  await history.open()
  return { history, answer: () => answer() }
}

describe("what comes live while the chunk that it belongs to is being loaded", () => {
  const lampOn = entry(2, null, [{ op: "replace", path: "/shared/lamp", value: "on" }])

  it("is in it, also what belongs to no task", async () => {
    const { history, answer } = await course()
    const loaded = history.load(1)
    history.append([lampOn, entry(3, "t")])
    answer()
    await loaded
    expect(history.entryAt(3)).toMatchObject({ position: 3 })
    expect(history.entryAt(2)).toBeNull()
    expect(history.frameAt(1)?.after).toMatchObject({ shared: { lamp: "off" } })
    expect(history.frameAt(3)?.after).toMatchObject({ shared: { lamp: "on" } })
  })

  it("is in it once, also where the answer has it already, and nothing of other tasks", async () => {
    const { history, answer } = await course()
    answer()
    await history.load(1)
    history.append([entry(1, "t"), lampOn, entry(3, "other"), entry(4, "t")])
    history.append([lampOn, entry(4, "t")])
    expect(history.frameAt(4)?.chunk.entries.map(({ position }) => position)).toEqual([1, 4])
    expect(history.frameAt(4)?.after).toMatchObject({ shared: { lamp: "on" } })
    expect(history.last).toBe(4)
  })
})

describe("the causes of an event in a shared file", () => {
  const caused = (position: number, by: number): Entry => ({
    ...entry(position, "t"),
    cause: { position: by, type: "X", line: "" },
  })

  it("end where the file has no more, and where they go round", () => {
    const positions = (entries: ReadonlyArray<Entry>) => chainOf(entries, 3).map(({ position }) => position)
    expect(positions([caused(1, 0), caused(2, 1), caused(3, 2)])).toEqual([3, 2, 1])
    expect(positions([caused(2, 3), caused(3, 2)])).toEqual([3, 2])
    expect(positions([caused(3, 3)])).toEqual([3])
    expect(positions([])).toEqual([])
  })
})

describe("a waterfall", () => {
  const reward = (measure: string, amount: number): RewardRow =>
    ({ measure, name: "r", amount, moments: [] }) as unknown as RewardRow

  it("goes from the first net to the second one, by what differs, the greatest first", () => {
    const a = [reward("speed", 2), reward("safety", 1), reward("speed", 1)]
    const b = [reward("speed", 2.5), reward("safety", -4)]
    expect(barsOf(a, b, ["one", "other"])).toEqual([
      { name: "one", from: 0, to: 4 },
      { name: "safety r", from: 4, to: -1 },
      { name: "speed r", from: -1, to: -1.5 },
      { name: "other", from: 0, to: -1.5 },
    ])
    expect(barsOf([], [], ["", ""])).toHaveLength(2)
    expect(barsOf([reward("x", 0.1), reward("x", 0.2)], [reward("x", 0.3)], ["", ""])).toHaveLength(2)
  })
})
