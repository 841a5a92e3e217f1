import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { CoreNewEvent } from "../../src/events/log/EventLog.ts"
import type { Density } from "../../src/studio/wire/Log.ts"
import type { TimelineRows } from "../../src/studio/wire/Rows.ts"
import { append, opening, reading } from "./browser/writing.ts"
import { page, query, served } from "./given.ts"

let directory: string
let file: string

const DIGEST = "0".repeat(64)

const command = (commandId: string, actuator: string, agentId: string): CoreNewEvent => ({
  type: "ActuatorCommanded",
  payload: { commandId, actuator, args: {}, argsDigest: DIGEST, priority: 0, agentId },
})

const asked = (commandId: string): CoreNewEvent => ({
  type: "ConfirmationRequested",
  payload: {
    ...{ confirmationId: `q-${commandId}`, commandId, argsDigest: DIGEST, shown: {}, shownDigest: DIGEST },
    expiresAt: 4_000_000_000_000,
  },
})

const done = (commandId: string): CoreNewEvent => ({
  type: "CommandSucceeded",
  payload: { commandId, result: 1, latencyMs: 7 },
})

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-rows-"))
  file = path.join(directory, "two.db")
  // Two tasks whose events alternate, with the same names of calls.
  await append(file, "t", [opening("one"), command("a", "room/go", "ada")])
  await append(file, "u", [opening("two"), command("a", "__proto__/write", "constructor"), asked("a")])
  await append(file, "t", [reading("a door"), done("a")])
  await append(file, "u", [done("a"), { type: "TaskClosed", payload: { outcome: "achieved" } }])
})
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }))

const get = <Answer>(log: string, asked: string): Promise<Answer> =>
  page.pipe(
    Effect.flatMap(({ get }) => get<Answer>(asked)),
    Effect.provide(served(log)),
    Effect.scoped,
    Effect.runPromise,
  )

const refusal = (asked: string) =>
  page.pipe(
    Effect.flatMap(({ refused }) => refused(asked)),
    Effect.provide(served(file)),
    Effect.scoped,
    Effect.runPromise,
  )

const rowsOf = (parameters: { readonly [name: string]: string }, log = file) =>
  get<TimelineRows>(log, `/api/rows?${query({ row: "0", ...parameters })}`)

const positions = ({ rows }: TimelineRows) => rows.map(({ position }) => position)

describe("the rows of a timeline", () => {
  it("are its events, or one row a call, whichever tasks alternate", async () => {
    const all = await rowsOf({})
    expect(positions(all)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(all).toMatchObject({ length: 9, hidden: 0, until: 9, isWhole: true, first: 0 })
    expect(all.agents).toEqual(["ada", "constructor"])
    expect(all.plugins).toEqual(["room", "__proto__"])
    expect(Object.fromEntries(all.kinds)).toMatchObject({ command: 4, approval: 1, task: 3, reading: 1 })
    const folded = await rowsOf({ folded: "true" })
    expect(positions(folded)).toEqual([1, 2, 3, 4, 6, 9])
    expect(folded.rows[1]).toMatchObject({
      brief: { type: "ActuatorCommanded", kind: "command" },
      call: { name: "room/go", agentId: "ada", events: [2, 7], ms: 7, state: "succeeded" },
      isPart: false,
    })
    expect(folded.rows[3]).toMatchObject({ call: { name: "__proto__/write", events: [4, 5, 8] } })
  })

  it("open single calls, or fold them if the others are open", async () => {
    const opened = await rowsOf({ folded: "true", turned: "4" })
    expect(positions(opened)).toEqual([1, 2, 3, 4, 5, 6, 8, 9])
    expect(opened.rows.map(({ isPart }) => isPart)).toEqual([false, false, false, false, true, false, true, false])
    expect(positions(await rowsOf({ folded: "false", turned: "4" }))).toEqual([1, 2, 3, 4, 6, 7, 9])
  })

  it("are filtered by kind, agent and plugin, a call as a whole, and counted", async () => {
    const asked = await rowsOf({ folded: "true", kind: "approval" })
    expect(positions(asked)).toEqual([4])
    expect(asked.hidden).toBe(6)
    expect(positions(await rowsOf({ agent: "ada" }))).toEqual([2, 7])
    expect(positions(await rowsOf({ plugin: "room", folded: "true" }))).toEqual([2, 6])
    expect(positions(await rowsOf({ plugin: "__proto__", agent: "ada" }))).toEqual([])
    expect(await rowsOf({ agent: "toString" })).toMatchObject({ length: 0, hidden: 9, rows: [], first: 0 })
    const { counts } = await get<Density>(file, "/api/density?from=1&to=9&bins=9&agent=ada")
    expect(counts.map((kinds) => kinds.reduce((sum, count) => sum + count, 0))).toEqual([0, 1, 0, 0, 0, 0, 1, 0, 0])
  })

  it("come in parts around a row or a position", async () => {
    const long = path.join(directory, "long.db")
    await append(long, "t", [opening("long"), ...Array.from({ length: 900 }, (_, index) => reading(index))])
    const near = await get<TimelineRows>(long, "/api/rows?at=650")
    expect(near).toMatchObject({ length: 901, first: 600 })
    expect(near.rows).toHaveLength(200)
    expect(near.rows[0]).toMatchObject({ position: 601, brief: { kind: "reading" }, call: null })
    expect(await rowsOf({ row: "5000" }, long)).toMatchObject({ first: 800, rows: { length: 101 } })
    expect((await get<TimelineRows>(long, "/api/rows?at=1&kind=task")).rows).toHaveLength(1)
  })

  it("refuse what is no filter and no place", async () => {
    for (const bad of ["", "?row=0&at=1", "?row=-1", "?row=0&kind=x", "?row=0&turned=a", "?row=0&folded=yes"])
      expect(await refusal(`/api/rows${bad}`)).toMatchObject({ status: 400, error: "InvalidParameters" })
    const many = Array.from({ length: 501 }, (_, index) => index + 1).join(",")
    expect(await refusal(`/api/rows?row=0&turned=${many}`)).toMatchObject({ status: 400 })
    expect(await refusal("/api/rows?row=0&timeline=none")).toMatchObject({ status: 404 })
  })
})
