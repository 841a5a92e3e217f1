import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Fiber } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../src/events/memory/MemoryEventLog.ts"
import * as Batch from "../../src/telemetry/Batch.ts"
import { Inbox } from "../../src/telemetry/Inbox.ts"
import * as Mapping from "../../src/telemetry/Mapping.ts"
import * as Recording from "../../src/telemetry/Recording.ts"
import { workplace } from "../workplace.ts"
import { request, span, weather } from "./receiving.ts"

const place = workplace()
afterAll(place.remove)

let made = 0
/** An inbox whose groups are due at once. */
const opened = () => {
  made += 1
  const directory = place.file(`inbox-${made}`)
  fs.mkdirSync(directory)
  const file = path.join(directory, "log.db-listen")
  return { directory, inbox: Inbox.open(file, () => 0) }
}

const traceOf = (index: number): string => index.toString(16).padStart(32, "a")

const add = (inbox: Inbox, spans: ReadonlyArray<object>) => inbox.add(Batch.ofTraces(request(spans))?.received ?? [])

const quiet = { onTask: () => {}, onLeftOut: () => {} }

const untilMapped = (inbox: Inbox, onTrouble: (message: string) => void = () => {}) =>
  Effect.gen(function* () {
    const running = yield* Effect.fork(Recording.run(inbox, { ...quiet, onTrouble }))
    yield* Effect.promise(() => expect.poll(() => inbox.backlog.groups, { timeout: 20_000 }).toBe(0))
    yield* Fiber.interrupt(running)
    return (yield* (yield* EventLog).head).position
  }).pipe(Effect.provide(MemoryEventLog.layer()), Effect.runPromise)

describe("the inbox", () => {
  it("overwrites what it drops, also in its journal", async () => {
    const { directory, inbox } = opened()
    await add(inbox, weather(traceOf(1), { "user.name": "Ada Personal ".repeat(2_000) }))
    await untilMapped(inbox)
    const holders = () =>
      fs.readdirSync(directory).filter((name) => fs.readFileSync(path.join(directory, name)).includes("Ada Personal"))
    expect(holders()).not.toEqual([])
    while (inbox.drop(-1, 60_000)) {}
    expect(holders()).toEqual([])
    inbox.close()
  })

  it("puts groups off without a write, since the disk may be full", async () => {
    const { directory, inbox } = opened()
    await add(inbox, weather(traceOf(1)))
    const [group] = inbox.due(1)
    if (group === undefined) throw new Error("nothing is due")
    const sizes = () => fs.readdirSync(directory).map((name) => fs.statSync(path.join(directory, name)).mtimeMs)
    const before = sizes()
    inbox.postponed(group, 60_000)
    expect(sizes()).toEqual(before)
    expect(inbox.due(1)).toEqual([])
    await add(inbox, weather(traceOf(2)))
    expect(inbox.due(1)).toMatchObject([{ trace: traceOf(2) }])
    inbox.close()
  })
})

describe("a mark that a group is mapped", () => {
  const rest = () => weather(traceOf(1), {}, 10)

  it.each(["before", "after"])("keeps what the same commit adds %s it for the next mapping", async (order) => {
    const { inbox } = opened()
    await add(inbox, weather(traceOf(1)))
    const [group] = inbox.due(1)
    if (group === undefined) throw new Error("nothing is due")
    const mark = () => inbox.mapped(group, null)
    const late = () => add(inbox, rest())
    await Promise.all(order === "after" ? [mark(), late()] : [late(), mark()])
    expect(inbox.unmapped()).toMatchObject([{ id: group.id, arrived: 8 }])
    expect(inbox.backlog.groups).toBe(1)
    const [again] = inbox.due(1)
    if (again === undefined) throw new Error("nothing is due")
    expect(inbox.recordsOf(again)).toHaveLength(8)
    await inbox.mapped(again, null)
    expect([inbox.unmapped(), inbox.due(1)]).toEqual([[], []])
    expect(inbox.backlog).toEqual({ groups: 0, bytes: 0 })
    inbox.close()
  })

  it("fails with the commit, and the group stays due", async () => {
    const { inbox } = opened()
    await add(inbox, weather(traceOf(1)))
    const [group] = inbox.due(1)
    if (group === undefined) throw new Error("nothing is due")
    const unstorable = {
      key: Symbol("no key") as never,
      kind: "span",
      source: "otlp",
      trace: traceOf(2),
      body: "",
    } as const
    const results = await Promise.allSettled([
      inbox.add([{ ...unstorable, conversation: undefined }]),
      inbox.mapped(group, null),
    ])
    expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"])
    expect(inbox.due(2)).toEqual([group])
    expect(inbox.backlog.groups).toBe(1)
    inbox.close()
  })
})

describe("recording", () => {
  it("goes on with the others when a group fails, and says why", async () => {
    const { inbox } = opened()
    for (let index = 1; index <= 3; index++) await add(inbox, weather(traceOf(index)))
    const troubles: Array<string> = []
    const mapped = inbox.mapped.bind(inbox)
    let failed = 0
    inbox.mapped = (group, againAfterMs) => {
      if (group.trace === traceOf(1) && failed++ === 0) return Promise.reject(new Error("the disk is full"))
      return mapped(group, againAfterMs)
    }
    const postponed = inbox.postponed.bind(inbox)
    inbox.postponed = (group) => postponed(group, 0)
    const head = await untilMapped(inbox, (message) => void troubles.push(message))
    expect(troubles).toEqual(["the disk is full"])
    // A trace that is mapped again adds nothing.
    expect(head).toBeGreaterThan(0)
    expect(head % 3).toBe(0)
    inbox.close()
  })

  it("maps large groups one after the other", async () => {
    const { inbox } = opened()
    for (let index = 1; index <= 4; index++) await add(inbox, weather(traceOf(index)))
    const due = inbox.due.bind(inbox)
    inbox.due = (limit) => due(limit).map((group) => ({ ...group, bytes: 100 * 1024 * 1024 }))
    const [recordsOf, mapped] = [inbox.recordsOf.bind(inbox), inbox.mapped.bind(inbox)]
    const held = { now: 0, most: 0 }
    inbox.recordsOf = (group) => {
      held.now += 1
      held.most = Math.max(held.most, held.now)
      return recordsOf(group)
    }
    inbox.mapped = (group, againAfterMs) => {
      held.now -= 1
      return mapped(group, againAfterMs)
    }
    await untilMapped(inbox)
    expect(held).toEqual({ now: 0, most: 1 })
    inbox.close()
  })
})

describe("a conversation whose clock is ahead", () => {
  const HOUR = 60 * 60 * 1000
  const ahead = span({ id: 1, from: 0, to: 1_000_000_000, of: { "gen_ai.operation.name": "chat" } })
  const kept = (Batch.ofTraces(request([ahead]))?.received ?? []).map(({ kind, body }) => ({ kind, body }))
  const now = Date.UTC(2026, 0, 2)
  const mapped = (touched: number) =>
    Mapping.ofSpans(
      { ...{ id: 1, source: "otlp", conversation: "c", trace: undefined, part: 1 }, arrived: 1, bytes: 1, touched },
      kept,
      { prices: [] } as never,
      now,
    )

  it("ends an hour after the last arrival", () => {
    expect(mapped(now - HOUR / 2).againAfterMs).toBeGreaterThan(0)
    const late = mapped(now - 2 * HOUR)
    expect(late.againAfterMs).toBeNull()
    expect(late.events.at(-1)?.body.type).toBe("TaskClosed")
  })
})
