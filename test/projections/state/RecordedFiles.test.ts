import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Projection from "../../../src/projections/fold/Projection.ts"
import { MAX_CALLS } from "../../../src/projections/state/files/RecentCalls.ts"
import * as RecordedFiles from "../../../src/projections/state/files/RecordedFiles.ts"
import { findNonJson, type Json, pointerToken } from "../../../src/values/Json.ts"
import { deepFreeze, event, idOf, place, type Unplaced } from "../given.ts"

const opened = event("TaskOpened", { goal: "g", measures: [], agent: "a@1" })
const reset = (state: Json = { root: "/w", base: "b", files: {} }) =>
  event("EnvironmentReset", { plugin: "workspace", seed: 0, options: {}, state })
const prompt = event("InputReceived", { source: "user", content: "go" })
const closed = event("TaskClosed", { outcome: "achieved" })
const broken = event("CaptureNoted", {
  unseen: [{ what: "the workspace's files, from here on", target: "full", count: 1 }],
})

const asked = (commandId: string, file?: string, actuator = "claude-code/Edit") =>
  event("ActuatorCommanded", {
    ...{ commandId, actuator, argsDigest: "d", priority: 0 },
    args: file === undefined ? {} : { file_path: file },
  })
const ended = (commandId: string) => event("CommandSucceeded", { commandId, result: null, latencyMs: 1 })
const failed = (commandId: string) =>
  event("CommandFailed", { commandId, error: { code: "x", message: "x" }, latencyMs: 1 })

interface Change {
  readonly path: string
  readonly digest?: string
  readonly kind?: string
  readonly from?: string
  readonly lines?: readonly [unknown, unknown]
  readonly before?: Json
  readonly kept?: unknown
}

const changed = (changes: ReadonlyArray<Change>, more: object = {}, causationId: string | null = null) =>
  event(
    "EnvironmentChanged",
    {
      plugin: "workspace",
      patch: changes.map(({ path, digest, kind = digest === undefined ? "removed" : "changed", lines, ...others }) => ({
        ...{ op: "add" as const, path: `/files/${pointerToken(path)}` },
        value: JSON.parse(
          JSON.stringify({
            ...{ ...others, kind, digest, added: lines?.[0], removed: lines?.[1] },
            ...(digest === undefined ? {} : { mode: "644", size: 1 }),
          }),
        ),
      })),
      ...more,
    },
    { causationId },
  )

/** A call that is the only one, and what a look after it finds. Its end is at the position `at`. */
const call = (id: string, at: number, file: string, ...changes: ReadonlyArray<Change>): ReadonlyArray<Unplaced> => [
  ...[asked(id, file), ended(id)],
  ...(changes.length === 0 ? [] : [changed(changes, {}, idOf(at))]),
]

const facts = (...events: ReadonlyArray<Unplaced>) =>
  RecordedFiles.section(Projection.fold(RecordedFiles.projection, place(events)))

const NOTHING = { touched: 0, undone: 0, outside: 0, unattributed: 0, emptyEdits: 0, unclearEdits: 0 }

describe("the facts of a task's recorded files", () => {
  it("are absent where none were recorded, or where nobody can read them", () => {
    const unreadable = { personal: { keyId: "k", readable: false } }
    expect(facts(opened, ...call("c", 3, "/w/a", { path: "a", digest: "1" }), closed)).toBeUndefined()
    expect(facts(opened, reset(null), closed)).toBeUndefined()
    const shredded = { ...changed([]), envelope: unreadable }
    expect(facts(opened, reset(), shredded, closed)).toBeUndefined()
    expect(facts(opened, reset(), closed)).toEqual({ ...NOTHING, linesAdded: 0, linesRemoved: 0, linesKept: 0 })
  })

  it("tell the task's own changes from those of others, and leave lines out once a count is unknown", () => {
    const text = { path: "a", digest: "1", lines: [3, 1] } as const
    const counted = [
      reset(),
      ...call("c", 3, "/w/a", text),
      changed([{ path: "b", digest: "2" }], { unattributed: "no-call" }),
    ]
    const own = { ...NOTHING, touched: 1, outside: 1, linesAdded: 3, linesRemoved: 1 }
    expect(facts(...counted)).toEqual(own)
    const unseen = changed([{ path: "c", digest: "3" }], { unattributed: "not-watched" })
    const shared = changed([{ path: "d", digest: "3" }], { commands: ["c", "of another task"] })
    const restored = changed([{ path: "e", digest: "3" }], { unattributed: "restored" })
    expect(facts(...counted, unseen, shared, restored)).toEqual({ ...own, unattributed: 2 })
    const { linesAdded: _, linesRemoved: __, ...others } = own
    expect(facts(...counted, ...call("i", 7, "/w/i.png", { path: "i.png", digest: "4" }))).toEqual({
      ...others,
      touched: 2,
    })
  })

  it("count a renamed file at both paths, without lines", () => {
    const moved = [{ path: "a" }, { path: "b", digest: "1", kind: "renamed", from: "a" }]
    expect(facts(reset(), ...call("c", 3, "/w/a", ...moved))).toEqual({
      ...{ ...NOTHING, touched: 2, linesAdded: 0, linesRemoved: 0 },
    })
  })

  it("tell how many lines of the task's own calls its files still have, and nothing where that is unknown", () => {
    const own = (at: number, digest: string, kept?: unknown, path = "a") =>
      call(`c${at}`, at, "/w/none", { path, digest, lines: [3, 0], kept })
    const kept = (...events: ReadonlyArray<Unplaced>) => facts(reset(), ...events)?.linesKept
    expect(kept(...own(3, "1", 3))).toBe(3)
    expect(kept(...own(3, "1", 3), ...own(6, "2", 4, "b"))).toBe(7)
    const byHand = changed([{ path: "a", digest: "2", kept: 1 }], { unattributed: "no-call" })
    expect(kept(...own(3, "1", 3), byHand)).toBe(1)
    expect(kept(...own(3, "1", 3), changed([{ path: "a" }]))).toBe(0)
    const moved = changed([{ path: "a" }, { path: "b", digest: "1", kind: "renamed", from: "a", kept: 3 }])
    expect(kept(...own(3, "1", 3), moved)).toBe(3)
    // Only the files that the task touched count.
    const others = changed([{ path: "b.png", digest: "2" }], { unattributed: "no-call" })
    expect(kept(...own(3, "1", 3), others)).toBe(3)
    for (const unknown of [undefined, -1, "3", 0.5, Number.MAX_SAFE_INTEGER])
      expect(kept(...own(3, "1", 3), ...own(6, "2", unknown, "b"))).toBeUndefined()
    expect(kept(...own(3, "1", 3), broken)).toBeUndefined()
    expect(kept(...own(3, "1", 3), broken, byHand)).toBe(1)
    expect(kept(...own(3, "1", 3), reset(), ...own(7, "1", 3))).toBeUndefined()
    expect(kept(reset(), ...own(4, "1", 3))).toBe(3)
  })

  it("have an edit as undone only where the task puts back what it had itself replaced", () => {
    const to = (id: string, at: number, digest: string) => call(id, at, "/w/a", { path: "a", digest, lines: [1, 1] })
    const byHand = (digest: string) => changed([{ path: "a", digest }], { unattributed: "no-call" })
    const undone = (...events: ReadonlyArray<Unplaced>) => facts(reset(), ...events)?.undone
    expect(undone(...to("1", 3, "x"), ...to("2", 6, "y"), ...to("3", 9, "x"))).toBe(1)
    expect(undone(...to("1", 3, "x"), ...to("2", 6, "y"), byHand("x"))).toBe(0)
    expect(undone(...to("1", 3, "x"), byHand("y"), ...to("2", 7, "x"))).toBe(0)
    expect(undone(...to("1", 3, "x"), ...to("2", 6, "y"), ...to("3", 9, "z"))).toBe(0)
    const first = (before: Json) => call("1", 3, "/w/a", { path: "a", digest: "y", lines: [1, 1], before })
    expect(undone(...first({ digest: "x" }), ...to("2", 6, "x"))).toBe(1)
    expect(undone(...first({ digest: "w" }), ...to("2", 6, "x"))).toBe(0)
    expect(undone(...first({ digest: "x", link: true }), ...to("2", 6, "x"))).toBe(0)
    expect(undone(...first("x"), ...to("2", 6, "x"))).toBe(0)
    const mode = call("1", 3, "/w/a", { path: "a", digest: "x", kind: "mode" })
    expect(undone(...mode, ...to("2", 6, "x"))).toBe(0)
    expect(undone(...mode, ...to("2", 6, "y"), ...to("3", 9, "x"))).toBe(1)
  })

  it("show a successful edit that changed nothing, at the next prompt or at the end", () => {
    const seen = call("1", 3, "/w/a", { path: "a", digest: "x", lines: [1, 1] })
    const edits = (...events: ReadonlyArray<Unplaced>) => {
      const found = facts(reset(), ...seen, ...events)
      return [found?.emptyEdits, found?.unclearEdits]
    }
    expect(edits(...call("2", 6, "/w/a"))).toEqual([0, 0])
    expect(edits(...call("2", 6, "/w/a"), prompt)).toEqual([1, 0])
    expect(edits(...call("2", 6, "./a"), prompt, closed)).toEqual([1, 0])
    // It changed another file than it says.
    expect(edits(...call("2", 6, "/w/a", { path: "b", digest: "y" }), prompt)).toEqual([0, 0])
    // It failed, only reads, or is about a file elsewhere.
    expect(edits(asked("2", "/w/a"), failed("2"), prompt)).toEqual([0, 0])
    expect(edits(asked("2", "/w/a", "claude-code/Read"), ended("2"), prompt)).toEqual([0, 0])
    expect(edits(...call("2", 6, "/tmp/a"), ...call("3", 8, "/w/../a"), prompt)).toEqual([0, 0])
  })

  it("leave edits unclear where calls overlap, nobody watched, the recorder stopped, or the file is unknown", () => {
    const seen = call("1", 3, "/w/a", { path: "a", digest: "x", lines: [1, 1] })
    const edits = (...events: ReadonlyArray<Unplaced>) => {
      const found = facts(reset(), ...seen, ...events)
      return [found?.emptyEdits, found?.unclearEdits]
    }
    expect(edits(asked("2", "/w/a"), asked("3"), ended("2"), ended("3"), prompt)).toEqual([0, 1])
    expect(edits(asked("3"), asked("2", "/w/a"), ended("2"), ended("3"), prompt)).toEqual([0, 1])
    const unseen = changed([{ path: "a", digest: "y" }], { unattributed: "not-watched" })
    expect(edits(...call("2", 6, "/w/a"), unseen, prompt)).toEqual([0, 1])
    const several = changed([{ path: "a", digest: "y" }], { commands: ["2", "of another task"] })
    expect(edits(...call("2", 6, "/w/a"), several, prompt)).toEqual([0, 1])
    expect(edits(...call("2", 6, "/w/a"), closed)).toEqual([0, 1])
    expect(edits(broken, ...call("2", 7, "/w/a"), prompt)).toEqual([0, 1])
    expect(facts(reset(), broken)?.partial).toBe(true)
    // Perhaps it is ignored. Once a change shows that it was recorded all along, the edit was in vain.
    const later = [...call("2", 6, "/w/new"), prompt]
    expect(edits(...later)).toEqual([0, 1])
    expect(edits(...later, ...call("3", 9, "/w/new", { path: "new", digest: "z" }))).toEqual([1, 0])
    expect(edits(...later, ...call("3", 9, "/w/new", { path: "new", digest: "z", kind: "added" }))).toEqual([0, 1])
  })

  it("are those of a slow count over all changes", () => {
    const paths = fc.constantFrom("a", "b/c", "__proto__")
    const step = fc.record({
      by: fc.constantFrom("own" as const, "no-call" as const, "not-watched" as const),
      path: paths,
      digest: fc.constantFrom("1", "2", "3", undefined),
      lines: fc.tuple(fc.nat(9), fc.nat(9)),
      before: fc.constantFrom("1", "2", undefined),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const events: Array<Unplaced> = [reset()]
        const contents = new Map<string, Array<{ digest: string | undefined; by: string }>>()
        for (const [index, { by, path, digest, lines, before }] of steps.entries()) {
          const isFirst = !contents.has(path)
          const was = isFirst && before !== undefined ? { before: { digest: before } } : {}
          const change = { path, lines, ...was, ...(digest === undefined ? {} : { digest }) }
          if (isFirst) contents.set(path, before === undefined ? [] : [{ digest: before, by: "before" }])
          contents.get(path)?.push({ digest, by })
          if (by === "own") events.push(...call(`c${index}`, events.length + 2, "/w/none", change))
          else events.push(changed([change], { unattributed: by }))
        }
        const distinct = (by: string) => new Set(steps.flatMap((one) => (one.by === by ? one.path : []))).size
        const isUndone = (of: ReadonlyArray<{ digest: string | undefined; by: string }>) =>
          of.some(({ digest, by }, at) => {
            const last = of.slice(0, at).findLastIndex((one) => one.digest === digest)
            const between = of.slice(last + 1, at)
            return by === "own" && digest !== undefined && last >= 0 && between.some((one) => one.by === "own")
          })
        const isKept = steps.every(({ by, path }) => by !== "own" || contents.get(path)?.at(-1)?.digest === undefined)
        const own = steps.filter(({ by }) => by === "own")
        expect(facts(...events)).toEqual({
          ...NOTHING,
          touched: distinct("own"),
          outside: distinct("no-call"),
          unattributed: distinct("not-watched"),
          undone: [...contents.values()].filter(isUndone).length,
          // No change says how many lines are kept: only a removed file has none.
          ...(isKept ? { linesKept: 0 } : {}),
          linesAdded: own.reduce((sum, { lines }) => sum + lines[0], 0),
          linesRemoved: own.reduce((sum, { lines }) => sum + lines[1], 0),
        })
      }),
    )
  })

  it("neither throw nor grow without bound on a document that is not one", () => {
    const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
    const hostile = fc.oneof(
      json.map((state) => reset(state)),
      fc
        .array(fc.record({ op: fc.constant("add" as const), path: fc.string(), value: json }))
        .map((patch) => event("EnvironmentChanged", { plugin: "workspace", patch })),
      fc
        .tuple(fc.string(), json)
        .map(([commandId, args]) =>
          event("ActuatorCommanded", { commandId, actuator: "x/Write", args, argsDigest: "d", priority: 0 }),
        ),
      fc.constantFrom(prompt, closed, broken, ended("a")),
    )
    fc.assert(
      fc.property(fc.array(hostile, { maxLength: 15 }), (unplaced) => {
        const events = place([reset(), ...unplaced]).map((one) => deepFreeze(one))
        const state = Projection.fold(RecordedFiles.projection, events)
        expect(findNonJson(state)).toBeUndefined()
      }),
    )
    const lines = [
      [-1, 2],
      [Number.MAX_VALUE, 1],
      ["1", 1],
    ] as const
    for (const of of lines)
      expect(facts(reset(), ...call("c", 3, "a", { path: "a", digest: "1", lines: of }))?.linesAdded).toBeUndefined()
    const long = changed([{ path: "a".repeat(17_000_000), digest: "1" }], { unattributed: "no-call" })
    expect(facts(reset(), long, prompt)).toBeUndefined()
    const many = Array.from({ length: 3 * MAX_CALLS }, (_, at) => asked(`c${at}`, "/w/a"))
    expect(Projection.fold(RecordedFiles.projection, place([reset(), ...many])).calls).toHaveLength(MAX_CALLS)
  })
})
