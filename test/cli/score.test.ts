import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { document, hindcast, inRepository, keysOf, playLostKey, workplace } from "./hindcast.ts"

const place = workplace()
const log = place.file("log.db")
let taskId = ""
let stricter = ""

beforeAll(async () => {
  taskId = await playLostKey(log)
  const rescored = await document([
    "rescore",
    ...["--log", log, "--rubric", inRepository("examples", "rubrics", "stricter.yaml"), "--label", "stricter"],
  ])
  stricter = String(rescored.scoreSetId)
})
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document([...args, "--log", log])
const fails = async (...args: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast([...args, "--log", log])
  return { code, stderr }
}

describe("score", () => {
  it("ls lists every set; promote lets a pointer name one, and compare takes it for a name", async () => {
    const { scoreSets } = await on("score", "ls")
    expect(scoreSets).toMatchObject([
      { label: "live", tasks: 1, finished: true, stale: false, pointers: [] },
      { label: "stricter", scoreSetId: stricter, tasks: 1, finished: true, stale: false, pointers: [] },
    ])
    expect(await on("score", "promote", "official", stricter.slice(-8))).toMatchObject({
      type: "ScoreSetPromoted",
      payload: { pointer: "official", scoreSetId: stricter },
    })
    expect((await on("score", "ls")).scoreSets).toMatchObject([{ pointers: [] }, { pointers: ["official"] }])
    const compared = await on("compare", "live", "official")
    expect(compared).toMatchObject({ a: { name: "live" }, b: { name: "official", scoreSetIds: [stricter] } })
    const { stdout } = await hindcast(["score", "ls", "--log", log])
    expect(stdout).toContain("official")
  })
})

describe("compare", () => {
  it("says for people what changed, and that one pair concludes nothing", async () => {
    const { code, stdout } = await hindcast(["compare", "live", "stricter", "--log", log])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^live \(A\) and stricter \(B\), by net value\n/)
    expect(stdout).toContain("Descriptive only")
    expect(stdout).toContain("what changed")
  })

  it("answers one document with stable keys", async () => {
    const compared = await on(
      "compare",
      "live",
      "stricter",
      "--by",
      "normalized",
      "--cluster",
      "goal",
      "--pass-above",
      "0.5",
    )
    expect(keysOf(compared)).toEqual(
      [
        ...["a", "b", "value", "passAbove", "pairs", "onlyInA", "onlyInB", "incomparable", "groups", "descriptive"],
        ...["difference", "interval", "wins", "ties", "losses", "p", "effectSize", "passes", "changes"],
      ].sort(),
    )
    expect(compared.pairs).toMatchObject([{ taskId }])
  })

  it("says how many score sets a label stood for, and a pointer is given to one of them only", async () => {
    const rubric = inRepository("examples", "rubrics", "stricter.yaml")
    const again = await on("rescore", "--rubric", rubric, "--label", "stricter")
    const { stdout } = await hindcast(["compare", "live", "stricter", "--log", log])
    expect(stdout).toMatch(/^live \(A\) and stricter \(B: 2 score sets, for each task the latest\), by net value\n/)
    const promoted = await fails("score", "promote", "official", "stricter")
    expect(promoted).toEqual({
      code: 1,
      stderr: `error: set: expected one score set, found that "stricter" stands for 2; use the end of its id:\n  ${stricter}\n  ${again.scoreSetId}\n`,
    })
  })

  it("refuses what names no scoring, and lists what there is", async () => {
    const { code, stderr } = await fails("compare", "live", "nobodys")
    expect(code).toBe(3)
    expect(stderr).toContain('No scoring "nobodys"')
    expect(stderr).toContain("live, stricter")
    expect((await fails("score", "promote", "official", "nobodys")).code).toBe(3)
  })
})
