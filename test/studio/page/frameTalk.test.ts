import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { FrameTalk, type Picture, said } from "../../../src/studio/page/drawing/FrameTalk.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const picture = (position: number): Picture => ({
  state: { position },
  previous: null,
  changes: [],
  position,
  theme: "light",
})

/** A frame that says what it is told to, and the positions that it was sent. */
const talking = () => {
  const sent: Array<number> = []
  const talk = new FrameTalk((message) => sent.push((message as { readonly picture: Picture }).picture.position))
  const drawn = (number: number, height = 100) => talk.take({ hindcast: "drawn", number, height })
  return { talk, sent, drawn, ready: () => talk.take({ hindcast: "ready" }) }
}

describe("a frame in which a plugin draws", () => {
  it("is sent a picture when it is ready, and then only the newest, when the one before was drawn", () => {
    const { talk, sent, drawn, ready } = talking()
    talk.draw(picture(1))
    talk.draw(picture(2))
    expect(sent).toEqual([])
    ready()
    expect(sent).toEqual([2])
    for (const position of [3, 4, 5]) talk.draw(picture(position))
    drawn(1)
    expect(sent).toEqual([2, 5])
    drawn(2)
    expect(sent).toEqual([2, 5])
    expect(talk.standing.value).toEqual({ kind: "drawn" })
  })

  it("is taken down where it does not start or does not draw in time, and is sent nothing more", () => {
    const late = talking()
    vi.advanceTimersByTime(15_000)
    expect(late.talk.standing.value).toMatchObject({ kind: "down", why: expect.stringContaining("start") })
    const spinning = talking()
    spinning.ready()
    spinning.talk.draw(picture(1))
    vi.advanceTimersByTime(1_999)
    expect(spinning.talk.standing.value.kind).toBe("starting")
    vi.advanceTimersByTime(1)
    expect(spinning.talk.standing.value).toMatchObject({ kind: "down", why: expect.stringContaining("draw") })
    spinning.talk.draw(picture(2))
    spinning.drawn(1)
    expect(spinning.sent).toEqual([1])
    expect(spinning.talk.standing.value.kind).toBe("down")
  })

  it("is not taken down while it has nothing to draw", () => {
    const { talk, drawn, ready } = talking()
    talk.draw(picture(1))
    ready()
    drawn(1)
    vi.advanceTimersByTime(60_000)
    expect(talk.standing.value.kind).toBe("drawn")
    talk.end()
  })

  it("changes its height within bounds, and says that it failed; an answer to a picture before counts for nothing", () => {
    const { talk, drawn, ready } = talking()
    talk.draw(picture(1))
    ready()
    drawn(1, 1e9)
    expect(talk.height.value).toBe(560)
    drawn(1, -5)
    expect(talk.height.value).toBe(24)
    talk.draw(picture(2))
    drawn(1, 300)
    drawn(7, 300)
    expect(talk.height.value).toBe(24)
    talk.take({ hindcast: "error", number: 2, message: "no such key" })
    expect(talk.standing.value).toEqual({ kind: "failed", message: "no such key" })
    talk.draw(picture(3))
    drawn(3, 50)
    expect(talk.standing.value.kind).toBe("drawn")
  })

  it("is taken down where it says anything else, too much, or is another document", () => {
    const strange = [
      ...[
        null,
        undefined,
        3,
        "ready",
        [],
        {},
        { hindcast: "state" },
        { hindcast: "drawn" },
        { hindcast: "drawn", number: 1 },
      ],
      ...[Number.NaN, Number.POSITIVE_INFINITY, "1"].map((height) => ({ hindcast: "drawn", number: 1, height })),
      ...["x".repeat(501), 3, null].map((message) => ({ hindcast: "error", number: 1, message })),
      { hindcast: "error", number: 1.5, message: "" },
    ]
    for (const data of strange) {
      const { talk } = talking()
      expect(said(data)).toBeNull()
      talk.take(data)
      expect(talk.standing.value.kind).toBe("down")
    }
    const flooding = talking()
    flooding.ready()
    flooding.talk.draw(picture(1))
    for (let n = 0; n < 99; n++) flooding.drawn(1)
    expect(flooding.talk.standing.value.kind).toBe("drawn")
    flooding.drawn(1)
    expect(flooding.talk.standing.value).toMatchObject({ kind: "down", why: expect.stringContaining("messages") })
    const focused = talking()
    focused.talk.focused()
    expect(focused.talk.standing.value).toMatchObject({ kind: "down", why: expect.stringContaining("keyboard") })
    const leaving = talking()
    leaving.talk.loaded()
    expect(leaving.talk.standing.value.kind).toBe("starting")
    leaving.talk.loaded()
    expect(leaving.talk.standing.value.kind).toBe("down")
  })
})
