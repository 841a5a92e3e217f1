import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed } from "./hindcast.ts"
import { writeHistory } from "./smallHistory.ts"

const place = workplace()
const log = place.file("log.db")
const rubric = place.file("rubric.json")

const TASKS = 14

beforeAll(async () => {
  await writeHistory(log, TASKS)
  const reward = (name: string, rule: string) => ({ name, when: name, weight: 0.5, per: "occurrence", rule })
  const measures = [
    {
      name: "tidy",
      description: "d",
      rewards: [reward("achieved", "task.outcome == 'achieved'"), reward("acted", "event.type == 'CommandSucceeded'")],
    },
  ]
  fs.writeFileSync(rubric, JSON.stringify({ name: "tidy", measures }))
})
afterAll(place.remove)

const on = (...args: ReadonlyArray<string>) => document([...args, "--log", log])

const fails = async (...args: ReadonlyArray<string>) => {
  const { code, stderr } = await hindcast([...args, "--log", log, "--json"])
  return { code, error: JSON.parse(stderr).error }
}

/** The events of a score set, without what differs between any two. */
const contentOf = async (scoreSetId: unknown) =>
  (await listed(["--stream", `scores/${scoreSetId}`, "--limit", "1000", "--log", log])).map(
    ({ type, version, taskId, actor, payload }) => {
      const { scoreSetId: _, range: __, ...content } = payload as Record<string, unknown>
      return JSON.stringify([type, version, taskId, actor, content])
    },
  )

const unfinished = async () => {
  const { scoreSets } = await on("score", "ls")
  return (scoreSets as ReadonlyArray<{ finished: boolean }>).filter(({ finished }) => !finished).length
}

describe("rescore in parts", () => {
  it("writes the score set of one process, by processes here, or by the files of several machines", async () => {
    const whole = await contentOf((await on("rescore", "--rubric", rubric)).scoreSetId)
    expect(whole.length).toBeGreaterThan(TASKS)
    const here = await on("rescore", "--rubric", rubric, "--parts", "3")
    expect(await contentOf(here.scoreSetId)).toEqual(whole)

    const { scoreSetId } = await on("rescore", "--rubric", rubric, "--begin")
    const set = String(scoreSetId)
    const files = ["1", "2"].map((number) => place.file(`part-${number}`))
    for (const [index, file] of files.entries()) {
      const written = await on("rescore", "--resume", set, "--part", `${index + 1}/2`, "--output", file)
      expect(written).toMatchObject({ scoreSetId: set, part: `${index + 1}/2`, file })
    }
    const [first = "", second = ""] = files
    // A missing part, a damaged one, and one that is there already.
    expect(await fails("rescore", "--resume", set, "--merge", first)).toMatchObject({
      code: 1,
      error: { tag: "PartUnusable", message: expect.stringContaining("Part 2/2 cannot be used: it is missing") },
    })
    const cut = place.file("cut")
    fs.writeFileSync(cut, fs.readFileSync(second).subarray(0, -200))
    expect(await fails("rescore", "--resume", set, "--merge", first, "--merge", cut)).toMatchObject({
      error: { tag: "PartUnusable" },
    })
    expect(await unfinished()).toBe(1)
    expect(await fails("rescore", "--resume", set, "--part", "2/2", "--output", second)).toMatchObject({
      error: { tag: "OutputExists" },
    })
    // What the broken merge appended stays, and the rest follows.
    await on("rescore", "--resume", set, "--merge", second, "--merge", first)
    expect(await contentOf(set)).toEqual(whole)
    expect(await unfinished()).toBe(0)
  })

  it("continues a score set whose process died", async () => {
    const whole = await contentOf((await on("rescore", "--rubric", rubric)).scoreSetId)
    const { scoreSetId } = await on("rescore", "--rubric", rubric, "--begin")
    await on("rescore", "--resume", String(scoreSetId), "--parts", "2")
    expect(await contentOf(scoreSetId)).toEqual(whole)
  })

  it("says what is wrong with the options", async () => {
    const { scoreSetId } = await on("rescore", "--rubric", rubric, "--begin")
    const set = String(scoreSetId)
    const out = ["--output", place.file("out")]
    for (const [args, text] of [
      [["--rubric", rubric, "--part", "1/2", ...out], "expected --resume SET"],
      [["--rubric", rubric, "--merge", "x"], "expected --resume SET"],
      [["--resume", set, "--part", "3/2", ...out], "expected the number of a part and how many there are"],
      [["--resume", set, "--part", "0/2", ...out], "expected the number of a part"],
      [["--resume", set, "--part", "1/99999", ...out], "expected the number of a part"],
      [["--resume", set, "--part", "1/2"], "expected --output FILE"],
      [["--resume", set, "--part", "1/2", "--label", "x", ...out], "expected no other options"],
      [["--resume", set, "--parts", "2", "--merge", "x"], "found both"],
      [["--resume", set, "--parts", "1000"], "at most 64 processes"],
      [["--resume", set, ...out], "expected --part, whose file it writes"],
      [["--resume", "nothing", "--part", "1/2", ...out], "nothing"],
    ] as const) {
      const { code, error } = await fails("rescore", ...args)
      expect({ args, code }).toEqual({ args, code: args[1] === "nothing" ? 3 : 1 })
      expect(error.message).toContain(text)
    }
  })
})
