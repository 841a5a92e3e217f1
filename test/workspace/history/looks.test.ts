import { Effect, ManagedRuntime } from "effect"
import * as FastCheck from "fast-check"
import { describe, expect, it } from "vitest"
import { type CoreNewEvent, EventLog } from "../../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../../src/events/memory/MemoryEventLog.ts"
import * as FileVersions from "../../../src/workspace/history/FileVersions.ts"
import * as Looks from "../../../src/workspace/history/Looks.ts"
import * as Document from "../../../src/workspace/model/Document.ts"
import type { Entry, Tree } from "../../../src/workspace/model/Entry.ts"

const PATHS = ["a", "b", "c"]

const entryOf = (size: number): Entry => ({ kind: "file", mode: 0o644, size, digest: String(size) })

const BASES = new Map<string, Tree>([
  ["empty", new Map()],
  ["two", new Map([["a", entryOf(1)] as const, ["c", entryOf(2)] as const])],
])

const startAt = (plugin: string, base: string): CoreNewEvent => ({
  type: "EnvironmentReset",
  payload: { plugin, seed: 0, options: {}, state: Document.initial("/root", base) },
})

const changeOf = (plugin: string, path: string, size: number): CoreNewEvent => {
  const change =
    size === 0
      ? { kind: "removed" as const, path, before: entryOf(1) }
      : { kind: "changed" as const, path, before: entryOf(1), after: entryOf(size) }
  const patch = Document.operations(change, {})
  return { type: "EnvironmentChanged", payload: { plugin, patch, unattributed: "no-call" } }
}

const TOLD = FastCheck.record({
  task: FastCheck.constantFrom("t1", "t2", "t3"),
  event: FastCheck.oneof(
    FastCheck.tuple(
      FastCheck.constantFrom(Document.PLUGIN, "room"),
      FastCheck.constantFrom(...BASES.keys(), "unknown"),
    ).map(([plugin, base]) => startAt(plugin, base)),
    FastCheck.tuple(
      FastCheck.constantFrom(Document.PLUGIN, "room"),
      FastCheck.constantFrom(...PATHS),
      FastCheck.nat(3),
    ).map(([plugin, path, size]) => changeOf(plugin, path, size)),
  ),
})

/** More positions than a task is worth, so that each is read by itself. */
const QUIET = 2_000

const logOf = async (told: ReadonlyArray<{ readonly task: string; readonly event: CoreNewEvent }>, isWide: boolean) => {
  const log = await ManagedRuntime.make(MemoryEventLog.layer()).runPromise(EventLog)
  const append = (taskId: string, events: ReadonlyArray<CoreNewEvent>) =>
    Effect.runPromise(log.append({ stream: `task/${taskId}`, taskId, actor: "x", events }))
  for (const [index, { task, event }] of told.entries()) {
    await append(task, [event])
    if (isWide && index === 0)
      await append(
        "quiet",
        Array.from({ length: QUIET }, () => ({ type: "NoteAdded", payload: { about: "a", text: "b" } })),
      )
  }
  return log
}

const treeOf = (base: string) => BASES.get(base)

const entryIn = (base: string, path: string) => {
  const tree = BASES.get(base)
  return tree === undefined ? { isKnown: false } : { isKnown: true, entry: tree.get(path) }
}

describe("the looks at a workspace", () => {
  it.each([
    { isWide: false, numRuns: 60 },
    { isWide: true, numRuns: 10 },
  ])(
    "are those of all tasks; the last task's alone tell the files (quiet in between: $isWide)",
    ({ isWide, numRuns }) =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(TOLD, { minLength: 1, maxLength: 30 }),
          FastCheck.nat(20),
          async (told, early) => {
            const log = await logOf(told, isWide)
            const { position: head } = await Effect.runPromise(log.head)
            const until = Math.max(1, head - early)
            const events = await Effect.runPromise(log.readPage({ until }, 5_000))
            const slow = ["t1", "t2", "t3"]
              .flatMap((task) => Looks.among(events.filter(({ taskId }) => taskId === task)))
              .sort((one, other) => one.event.position - other.event.position)
            const starts = await Effect.runPromise(Looks.starts(log, { until }))
            const all = await Effect.runPromise(Looks.since(log, starts, until))
            expect(all).toEqual(slow)
            const last = await Effect.runPromise(Looks.ofLastTask(log, starts, until))
            expect(last).toEqual(slow.filter(({ taskId }) => taskId === slow.at(-1)?.taskId))
            const tree = FileVersions.treeAfter(slow, treeOf)
            expect(FileVersions.treeAfter(last, treeOf)).toEqual(tree)
            if (tree === undefined) return
            for (const path of PATHS)
              expect(FileVersions.entryAfter(last, path, entryIn)).toEqual({ isKnown: true, entry: tree.get(path) })
          },
        ),
        { numRuns },
      ),
  )
})
