import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Stream } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { importEvents } from "../../src/events/index.ts"
import * as Chain from "../../src/events/integrity/Chain.ts"
import type { StoredEvent } from "../../src/events/read/Records.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast } from "./hindcast.ts"

const place = workplace()
afterAll(place.remove)

const log = place.file("log.db")
const IMPOSSIBLE = 9e15

/** A log as 0.2.0 may have written it: of a task, each event of which occurred, and two were recorded, at a time that no calendar has. */
const events = (last = -IMPOSSIBLE): ReadonlyArray<StoredEvent> => {
  const payloads = [
    ["TaskOpened", { goal: "g", measures: [], agent: "a@1" }, 1_000],
    ["SensorRead", { sensor: "p/s", reading: { n: 1 }, priority: 0, latencyMs: 1 }, IMPOSSIBLE],
    ["TaskClosed", { outcome: "achieved" }, last],
  ] as const
  let previous = Chain.GENESIS
  return payloads.map(([type, payload, recordedAt], index) => {
    const link: Chain.Link = {
      position: index + 1,
      version: index + 1,
      timeline: "main",
      stream: "task/t",
      taskId: "t",
      schemaVersion: 1,
      type,
      actor: "agent:a",
      causationId: null,
      occurredAt: IMPOSSIBLE,
      recordedAt,
      id: `01890a5d-ac96-774b-bcce-b302099a805${index}`,
    }
    const stored = JSON.stringify(payload)
    const hash = Chain.link(previous, link, stored)
    previous = hash
    return { link, stored, blob: null, keyId: null, hash }
  })
}

beforeAll(() => Effect.runPromise(importEvents({ filename: log, events: Stream.make(events()) })))

describe("a log with times that no calendar has", () => {
  it.each(
    [
      ...[
        ["log", "ls"],
        ["log", "show", "2"],
        ["log", "verify"],
        ["log", "doctor"],
        ["log", "info"],
      ],
      ...[["task", "ls"], ["audit", "t"], ["state"], ["history", "/tasks"], ["why", "2"], ["effects", "1"]],
      ...[
        ["export", "events"],
        ["export", "otlp"],
        ["export", "piaavt"],
        ["export", "transitions"],
        ["export", "trajectories"],
        ["export", "audits"],
      ],
    ].map((args) => [args.join(" "), args] as const),
  )("is read: %s", async (_, args) => {
    const to = args[0] === "export" ? ["--output", path.join(place.directory, args[1] ?? "")] : []
    const { code, stderr } = await hindcast([...args, ...to, "--log", log])
    expect({ code, stderr: stderr.includes("bug") ? stderr : "" }).toEqual({ code: 0, stderr: "" })
  })

  it("is exported to formats that hold no such time, with the nearest that they do, or a number", async () => {
    const to = (name: string) => ["--output", path.join(place.directory, name), "--log", log]
    const formats = [
      ...[["mcap"], ["html"], ["events", "--format", "parquet"], ["audits", "--format", "parquet"]],
      ...[
        ["audits", "--format", "csv"],
        ["piaavt", "--timestamps", "iso"],
      ],
    ]
    for (const args of formats) {
      const { code, stderr } = await hindcast(["export", ...args, ...to(args.join("-"))])
      expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining("bug") })
    }
    const written = fs.readFileSync(path.join(place.directory, "piaavt---timestamps-iso"), "utf8")
    expect(written).toContain('"timestamp":"9999-12-31T23:59:59.999Z"')
  })

  it("says what stands there", async () => {
    expect((await hindcast(["log", "show", "2", "--log", log])).stdout).toContain("9000000000000000 ms since 1970")
  })

  it("is not said to have been recorded a moment ago, where it was recorded in the future", async () => {
    const later = place.file("later.db")
    const future = events(4_000_000_000_000)
    await Effect.runPromise(importEvents({ filename: later, events: Stream.make(future) }))
    const { stdout } = await hindcast(["log", "verify", "--log", later])
    expect(stdout).toMatch(
      /recorded 2096-\S+, which is \d+ days in the future by this machine's clock: .*age is unknown/,
    )
    expect(await document(["log", "verify", "--log", later])).toMatchObject({
      recordedAt: 4_000_000_000_000,
      ageMs: null,
    })
  })
})
