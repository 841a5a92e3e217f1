import * as fs from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { inRepository } from "../repository.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)
const log = place.file("log.db")
const policy = place.file("policy.mjs")

const exporting = (...words: ReadonlyArray<string>) => hindcast(["export", "trajectories", ...words, "--log", log])

beforeAll(async () => {
  fs.writeFileSync(policy, "export default ({ integer }) => integer(4)\n")
  const balances = inRepository("examples", "policies", "balances.mjs")
  const common = ["--episodes", "2", "--log", log]
  expect((await hindcast(["rollout", "cart-pole", "--policy", balances, "--max-steps", "30", ...common])).code).toBe(0)
  const full = ["--record", "full", "--seed", "3"]
  expect((await hindcast(["rollout", "frozen-lake", "--policy", policy, ...full, ...common])).code).toBe(0)
}, 120_000)

/** The lines of an export. */
const episodesIn = (file: string): ReadonlyArray<Readonly<Record<string, unknown>>> =>
  fs
    .readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

const withoutPlace = (episodes: ReturnType<typeof episodesIn>) =>
  episodes.map(({ seed, first, steps }) => ({
    seed,
    first,
    steps: (steps as ReadonlyArray<object>).map((step) => ({ ...step, position: 0, info: {} })),
  }))

describe("export trajectories", () => {
  it("writes compact and full episodes in one form", async () => {
    const file = place.file("all.jsonl")
    const { stdout, stderr } = await exporting("--output", file)
    expect(stderr).toBe("")
    expect(stdout).toMatch(/^Exported 4 episodes with \d+ steps/)
    const all = episodesIn(file)
    expect(all.map(({ world, seed }) => [world, seed])).toEqual([
      ["cart-pole", 0],
      ["cart-pole", 1],
      ["frozen-lake", 3],
      ["frozen-lake", 4],
    ])
    // Gymnasium's own numbers.
    expect(all[0]?.first).toEqual([
      0.013696168549358845, -0.023021329194307327, -0.04590264707803726, -0.04834723472595215,
    ])
    const [cart, , lake] = all.map(({ steps }) => steps as ReadonlyArray<Readonly<Record<string, unknown>>>)
    expect(cart).toHaveLength(30)
    expect(cart?.at(-1)).toMatchObject({ reward: 1, terminated: false, truncated: true })
    expect(lake?.at(-1)).toMatchObject({ terminated: true, truncated: false })
  })

  it.each(["parquet", "hdf5"])("writes a data set of Minari that an import reads back: %s", async (data) => {
    const root = place.file(`root-${data}`)
    const words = ["--format", "minari", "--data", data, "--id", "test/cart-v1", "--plugin", "cart-pole"]
    const written = await exporting(...words, "--output", root)
    expect([written.stderr, written.stdout]).toEqual(["", expect.stringMatching(/^Exported 2 episodes with 60 steps/)])
    const again = place.file(`again-${data}.db`)
    const imported = await hindcast(["import", root, "--log", again])
    expect([imported.code, imported.stderr]).toEqual([0, ""])
    const [before, after] = [place.file(`before-${data}.jsonl`), place.file(`after-${data}.jsonl`)]
    await exporting("--plugin", "cart-pole", "--output", before)
    await hindcast(["export", "trajectories", "--output", after, "--log", again])
    expect(withoutPlace(episodesIn(after))).toEqual(withoutPlace(episodesIn(before)))
    expect((await exporting(...words, "--output", root)).stderr).toContain("--force replaces it")
    expect((await exporting(...words, "--output", root, "--force")).code).toBe(0)
  })

  it("guards a spreadsheet and names its columns", async () => {
    const file = place.file("all.csv")
    expect((await exporting("--output", file)).code).toBe(0)
    expect(fs.readFileSync(file, "utf8").split("\r\n", 1)[0]).toBe(
      "episode,step,task_id,timeline,agent,world,seed,position,observation,action,reward,terminated,truncated,next_observation,info",
    )
  })

  it("says what it leaves out", async () => {
    const opened = place.file("demo.db")
    expect((await hindcast(["demo", "--tasks", "3", "--seed", "7", "--log", opened])).code).toBe(0)
    const none = await hindcast([
      "export",
      "trajectories",
      "--output",
      place.file("none.jsonl"),
      "--log",
      opened,
      "--json",
    ])
    expect(JSON.parse(none.stdout)).toMatchObject({ episodes: 0, leftOut: { "no world": expect.any(Number) } })
    const set = ["--format", "minari", "--output", place.file("none")]
    const refused = await hindcast(["export", "trajectories", ...set, "--log", opened])
    expect(refused.stderr).toContain("expected an episode of a world that ended, found none in the log")
    expect(fs.existsSync(place.file("none"))).toBe(false)
  })

  it.each([
    [["--format", "minari"], "episodes of cart-pole and of frozen-lake"],
    [
      ["--format", "minari", "--plugin", "cart-pole", "--id", "../evil-v0"],
      "a name with a version, such as cartpole/mine-v0",
    ],
    [["--format", "minari", "--plugin", "cart-pole", "--id", "cart"], "a name with a version"],
    [["--format", "csv", "--id", "a/b-v0"], "--id: expected --format minari with it"],
    [["--data", "hdf5"], "--data: expected --format minari with it"],
  ])("refuses %j, and leaves nothing", async (words, reason) => {
    const root = place.file("refused")
    const { code, stderr } = await exporting(...words, "--output", root)
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
    expect(fs.existsSync(root)).toBe(false)
  })

  it("counts in its document", async () => {
    expect(await document(["export", "trajectories", "--output", place.file("c.jsonl"), "--log", log])).toMatchObject({
      ...{ episodes: 4, format: "jsonl", leftOut: {} },
    })
  })
})
