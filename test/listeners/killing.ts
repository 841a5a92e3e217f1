/** A campaign: a process that serves a webhook dies at commit after commit while signals come, and starts again. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Stream } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import { program } from "../built.ts"
import * as Killable from "../killable.ts"
import { temporaryDirectory } from "../temporary.ts"
import { eventsOf } from "./given.ts"

const PROGRAM = program(import.meta.url, "serving")

/** Signals that are sent at the same time. */
const AT_ONCE = 4

/** A death, before or after a commit of the process. */
export interface Death {
  readonly commits: number
  readonly moment: "before" | "after"
}

/**
 * Has a process die each of these deaths while four senders post signals: what the life before did not acknowledge, some
 * again although it did, and new ones. A last process then takes the rest. Checks that no acknowledged signal is lost and
 * none is handled twice. Returns the number of signals.
 */
export const campaign = (deaths: ReadonlyArray<Death>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const sender: Sender = { next: 1, open: new Set(), acknowledged: new Set() }
    for (const death of deaths) {
      const { signal, stderr } = yield* life(directory, death, sending(directory, sender))
      expect(signal, stderr).toBe("SIGKILL")
    }
    const log = Hindcast.layerLog({ log: path.join(directory, "log.db"), workspace: directory })
    const settled = Effect.gen(function* () {
      yield* Effect.promise(() => Promise.all([...sender.open].map((n) => delivered(urlIn(directory), n))))
      for (const n of sender.open) sender.acknowledged.add(n)
      yield* received(sender.acknowledged)
      yield* closed(sender.acknowledged.size)
    })
    yield* life(directory, undefined, Effect.provide(settled, log))
    yield* Effect.provide(holds(directory, sender.acknowledged), log)
    return sender.acknowledged.size
  }).pipe(Effect.scoped)

interface Sender {
  /** The next new signal. */
  next: number
  /** Sent, and perhaps received, but not acknowledged. */
  readonly open: Set<number>
  readonly acknowledged: Set<number>
}

/** One process, which dies as it is told, or is killed once the work is done. */
const life = <E>(directory: string, death: Death | undefined, work: Effect.Effect<unknown, E>) =>
  Effect.gen(function* () {
    fs.rmSync(path.join(directory, "url"), { force: true })
    const process = yield* Killable.start([PROGRAM, JSON.stringify({ directory, ...death })])
    yield* Effect.raceFirst(process.speaks, process.ended)
    if (fs.existsSync(path.join(directory, "url"))) yield* work
    if (death === undefined) yield* process.kill
    return yield* process.ended
  }).pipe(Effect.scoped)

const urlIn = (directory: string): string => fs.readFileSync(path.join(directory, "url"), "utf8")

/** Sends until the process is dead: then nothing is acknowledged any more. */
const sending = (directory: string, sender: Sender) =>
  Effect.promise(async () => {
    const url = urlIn(directory)
    const one = async () => {
      for (let isAlive = true; isAlive; ) {
        const [left] = sender.open
        const n = left ?? sender.next++
        sender.open.delete(n)
        isAlive = await delivered(url, n)
        if (isAlive) sender.acknowledged.add(n)
        else sender.open.add(n)
        if (n % 3 === 0) await delivered(url, 1 + (n % 7))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, one))
  })

/** Posts a signal. Returns whether it was acknowledged. */
const delivered = async (url: string, n: number): Promise<boolean> => {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", "webhook-id": `n${n}` },
      body: JSON.stringify({ n }),
    })
    await response.arrayBuffer()
    return response.status === 202
  } catch {
    return false
  }
}

/** Waits until so many tasks are closed. */
const closed = (count: number) =>
  Effect.flatMap(EventLog, (log) =>
    log.follow({ types: ["TaskClosed"] }).pipe(
      Stream.filter((item) => "type" in item),
      Stream.take(count),
      Stream.runDrain,
    ),
  )

/** The received signals: each acknowledged one once, and no other, because what was not was sent again at the end. */
const received = (acknowledged: ReadonlySet<number>) =>
  Effect.map(eventsOf("SignalReceived"), (events) => {
    const numbers = events.map(({ payload }) => Number(String(payload.id).slice(1))).sort((a, b) => a - b)
    expect(numbers).toEqual([...acknowledged].sort((a, b) => a - b))
    return events
  })

/** What is promised of signals that were acknowledged. */
const holds = (directory: string, acknowledged: ReadonlySet<number>) =>
  Effect.gen(function* () {
    const all = (event: Event) => JSON.stringify(event.payload)
    const signals = yield* received(acknowledged)
    const handled = yield* eventsOf("SignalHandled")
    // Tasks open concurrently, so their order may differ.
    const bySignal = handled.map(({ payload }) => [Number(payload.signal), payload.how] as const)
    expect(bySignal.sort(([a], [b]) => a - b)).toEqual(signals.map(({ position }) => [position, "task"]))
    const opened = yield* eventsOf("TaskOpened")
    expect(new Set(opened.map(({ taskId }) => taskId))).toEqual(new Set(handled.map(({ payload }) => payload.task)))
    expect(opened).toHaveLength(signals.length)
    for (const type of ["InputReceived", "InputDelivered", "ActuatorCommanded", "MessageSent", "TaskClosed"]) {
      const events = yield* eventsOf(type)
      expect(new Set(events.map(({ taskId }) => taskId)).size, type).toBe(signals.length)
      expect(events.length, `${type}: ${events.slice(0, 3).map(all)}`).toBe(signals.length)
    }
    const outcomes = (yield* eventsOf("TaskClosed")).map(({ payload }) => payload.outcome)
    expect(new Set(outcomes)).toEqual(new Set(["achieved"]))
    // The tool is idempotent, so a command may be executed again, but it stays the same command.
    const executed = fs.readFileSync(path.join(directory, "executed"), "utf8").trim().split("\n")
    expect(new Set(executed).size).toBe(signals.length)
  })
