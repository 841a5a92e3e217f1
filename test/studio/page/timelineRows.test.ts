import { describe, expect, it } from "vitest"
import { TimelineRows } from "../../../src/studio/page/model/listed/TimelineRows.ts"
import type { Source } from "../../../src/studio/page/source/Source.ts"
import { ROWS, type RowOfTimeline, type TimelineRows as Wire } from "../../../src/studio/wire/Rows.ts"

const QUESTION = { kind: "reading", agent: "", plugin: "", folded: false, turned: new Set<number>() }

interface Asked {
  readonly row?: number
  readonly at?: number
}

const rowAt = (position: number): RowOfTimeline => ({
  position,
  brief: {
    ...{ position, type: "SensorRead", kind: "reading", bad: false, line: "", actor: "kernel" },
    occurredAt: position,
  },
  call: null,
  isPart: false,
})

/** A server whose rows are every tenth event, and which says how it answers each question. */
const served = (length: number, answered: (asked: Asked) => Partial<Wire> = () => ({})) => {
  const asked: Array<Asked> = []
  const problems: Array<unknown> = []
  const source = {
    ask: async (_: string, { row, at }: Asked) => {
      const question = at === undefined ? { row: row ?? 0 } : { at }
      asked.push(question)
      const given = answered(question)
      const wanted = Math.min(row ?? Math.max(0, Math.floor((at ?? 0) / 10) - 1), length - 1)
      const first = wanted - (wanted % ROWS)
      const rows = Array.from({ length: Math.min(ROWS, length - first) }, (_, index) => rowAt(10 * (first + index + 1)))
      const whole = { length, hidden: 9 * length, until: 10 * length, isWhole: true }
      return { ...whole, first, rows, kinds: [], agents: [], plugins: [], ...given }
    },
  } as unknown as Source
  return { asked, problems, rows: new TimelineRows(source, "main", (cause) => problems.push(cause)) }
}

describe("the rows of a timeline on the page", () => {
  it("step over the edge of two answers, from the row before it and from between the rows", async () => {
    for (const from of [ROWS * 10, ROWS * 10 + 5]) {
      const { rows } = served(3 * ROWS)
      rows.ask(QUESTION, from)
      expect(await rows.step(from, 1)).toBe(ROWS * 10 + 10)
    }
    const { rows } = served(3 * ROWS)
    rows.ask(QUESTION, ROWS * 10 + 5)
    expect(await rows.step(ROWS * 10 + 5, -1)).toBe(ROWS * 10)
    expect(rows.find(ROWS * 10 + 5)).toEqual({ row: ROWS - 1, isNear: true })
    expect(await rows.step(ROWS * 10 + 10, -1)).toBe(ROWS * 10)
    expect(await rows.step(3 * ROWS * 10, 1)).toBeNull()
    expect(await rows.step(5, -1)).toBeNull()
  })

  it("are being read until an answer is whole, even if the server has read no event so far", async () => {
    const answers: Array<Partial<Wire>> = [{ until: 0, length: 0, rows: [], isWhole: false }, { isWhole: false }, {}]
    const { rows } = served(20, () => answers.shift() ?? {})
    expect(rows.isReading).toBe(false)
    rows.ask(QUESTION, 1)
    await rows.load({ at: 1 })
    expect([rows.newest?.until, rows.isReading]).toEqual([0, true])
    await rows.refresh(1)
    expect([rows.newest?.until, rows.isReading]).toEqual([200, true])
    await rows.refresh(1)
    expect(rows.isReading).toBe(false)
  })

  it("are asked for again after a failure, which is told until rows come", async () => {
    let isDown = true
    const { rows, asked, problems } = served(3 * ROWS, ({ row = 0 }) => {
      if (isDown && row >= ROWS) throw new Error("no answer")
      return {}
    })
    rows.ask(QUESTION, 1)
    await rows.load({ at: 1 })
    await rows.load({ row: ROWS })
    await rows.load({ row: ROWS })
    expect(rows.rowAt(ROWS)).toBeUndefined()
    expect(problems).toEqual([new Error("no answer")])
    isDown = false
    await rows.load({ row: ROWS })
    expect(rows.rowAt(ROWS)?.position).toBe(10 * (ROWS + 1))
    expect(problems).toEqual([new Error("no answer"), null])
    await rows.load({ row: ROWS })
    expect(asked).toHaveLength(4)
  })
})
