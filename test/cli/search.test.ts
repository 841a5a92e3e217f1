import { beforeAll, describe, expect, it } from "vitest"
import { demoLog } from "../demoLog.ts"
import { hindcast, start } from "./hindcast.ts"

let log: string
beforeAll(async () => {
  log = await demoLog(23, 7)
})

interface Found {
  readonly widened: boolean
  readonly hits: ReadonlyArray<{ readonly position: number; readonly kind: string; readonly taskId: string | null }>
  readonly next: number | null
  readonly coverage: { readonly position: number; readonly head: number; readonly withoutIndex: string | null }
}

const found = async (...words: ReadonlyArray<string>): Promise<Found> => {
  const { code, stdout, stderr } = await hindcast(["search", ...words, "--log", log, "--json"])
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout)
}

describe("hindcast search", () => {
  it("prints the newest hits with the text around the words, and how to go on", async () => {
    const { code, stdout } = await hindcast(["search", '"no boiler any"', "--limit", "1", "--log", log])
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /^@\d+ {2}\S+ {2}error {2}task-0015\n {2}failed There is no boiler any more\.\nThere may be earlier hits: --until @\d+ shows them\.\n$/,
    )
    const none = await hindcast(["search", "kettle", "--log", log])
    expect(none).toMatchObject({ code: 0, stdout: "No event contains these words.\n" })
  })

  it("narrows by task, kind and range, widens words that nothing has, and goes on where it stopped", async () => {
    const all = await found("boiler", "--kind", "error", "--kind", "argument", "--limit", "500")
    expect(new Set(all.hits.map(({ kind }) => kind))).toEqual(new Set(["error", "argument"]))
    const ofTask = await found("boiler", "--task", "task-0015", "--limit", "500")
    expect(new Set(ofTask.hits.map(({ taskId }) => taskId))).toEqual(new Set(["task-0015"]))
    const [first, second] = all.hits
    const limited = await found("boiler", "--kind", "error", "--kind", "argument", "--limit", "1")
    expect(limited.hits[0]?.position).toBe(first?.position)
    const kinds = ["--kind", "error", "--kind", "argument"]
    const rest = await found("boiler", ...kinds, "--limit", "1", "--until", `@${(limited.next ?? 1) - 1}`)
    expect(rest.hits[0]?.position).toBe(second?.position)
    expect(await found("boile", "--limit", "1")).toMatchObject({ widened: true, hits: [{}] })
    expect(all.coverage).toMatchObject({ withoutIndex: null, position: all.coverage.head })
  })

  it("refuses a text without words, and a kind that does not exist", async () => {
    expect(await hindcast(["search", "***", "--log", log])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("a word to search for"),
    })
    expect(await hindcast(["search", "x", "--kind", "eror", "--log", log])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error"),
    })
  })

  it("works in several processes at once", async () => {
    const all = [1, 2, 3].map(() => start(["search", "boiler", "--limit", "500", "--log", log, "--json"]).ended)
    const hits = (await Promise.all(all)).map(({ stdout }) => (JSON.parse(stdout) as Found).hits.length)
    expect(new Set(hits).size).toBe(1)
    expect(hits[0]).toBeGreaterThan(10)
  })
})
