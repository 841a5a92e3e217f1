import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, keysOf, playLostKey } from "./hindcast.ts"

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
      { label: "live", tasks: 1, finished: true, stale: [], rubric: "plugins", pointers: [] },
      {
        label: "stricter",
        scoreSetId: stricter,
        tasks: 1,
        finished: true,
        stale: [],
        rubric: "stricter",
        pointers: [],
      },
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

  it("show says what a scoring came to: its values, its measures, where it is to be looked", async () => {
    const shown = await on("score", "show", "stricter")
    expect(keysOf(shown)).toEqual(
      [
        ...["scoreSets", "tasks", "scored", "earned", "lost", "net", "histogram"],
        ...["measures", "unscored", "best", "worst"],
      ].sort(),
    )
    expect(shown).toMatchObject({ tasks: 1, scored: 1, net: { count: 1 }, best: [{ taskId }], worst: [] })
    const { stdout } = await hindcast(["score", "show", "live", "--log", log])
    expect(stdout).toMatch(/^Score set live /)
    expect(stdout).toContain("text-room/reach-the-goal")
    expect(stdout).toContain("Best tasks")
    expect((await fails("score", "show", "nobodys")).code).toBe(3)
  })
})

describe("rescore", () => {
  const rubric = inRepository("examples", "rubrics", "stricter.yaml")

  it("--dry-run says what it would take, and records nothing", async () => {
    const before = await on("score", "ls")
    const plan = await on("rescore", "--rubric", rubric, "--dry-run", "--task", taskId.slice(-8))
    expect(plan).toMatchObject({ label: "stricter", taskIds: [taskId], critic: "rule@4" })
    const { stdout } = await hindcast(["rescore", "--rubric", rubric, "--dry-run", "--log", log])
    expect(stdout).toContain("nothing was scored or recorded")
    expect(await on("score", "ls")).toEqual(before)
  })

  it("refuses what it cannot score by, or what selects nothing, and says what would do", async () => {
    const none = await fails("rescore", "--rubric", rubric, "--outcome", "abandoned")
    expect(none).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("Expected a task that matches the selection, found none among 1"),
    })
    const wrong = await fails("rescore", "--rubric", rubric, "--where", "task.steps")
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("line 1, column 1: it gives") })
    const without = await fails("rescore")
    expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining("--rubric: expected a file of measures") })
    const finished = await fails("rescore", "--resume", "stricter")
    expect(finished).toMatchObject({ code: 1, stderr: expect.stringContaining("it is finished") })
    const both = await fails("rescore", "--resume", "stricter", "--rubric", rubric)
    expect(both).toMatchObject({ code: 1, stderr: expect.stringContaining("--resume: expected no other option") })
    const unknown = place.file(
      "unknown.yaml",
      "name: u\nmeasures:\n  - {name: reach-the-gaol, plugin: text-room, description: d, rewards: [{name: r, when: w, weight: 1, rule: 'true'}]}\n",
    )
    const misspelt = await fails("rescore", "--rubric", unknown)
    expect(misspelt).toMatchObject({ code: 1, stderr: expect.stringContaining('found "reach-the-gaol"') })
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
        ...[
          "a",
          "agreement",
          "b",
          "value",
          "passAbove",
          "pairs",
          "onlyInA",
          "onlyInB",
          "incomparable",
          "groups",
          "descriptive",
        ],
        ...[
          "exact",
          "otherRubrics",
          "difference",
          "interval",
          "noInterval",
          "wins",
          "ties",
          "losses",
          "p",
          "correction",
          "effectSize",
          "passes",
          "changes",
        ],
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
