import * as path from "node:path"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../../src/events/memory/MemoryEventLog.ts"
import type { Event } from "../../../src/events/vocabulary/Event.ts"
import * as SeenContents from "../../../src/workspace/history/SeenContents.ts"
import type { Entry } from "../../../src/workspace/model/Entry.ts"
import * as IgnoredThen from "../../../src/workspace/restore/IgnoredThen.ts"
import * as Removal from "../../../src/workspace/restore/Removal.ts"
import * as RemovalEvidence from "../../../src/workspace/restore/RemovalEvidence.ts"
import { digestOf } from "../../../src/workspace/store/ContentStore.ts"
import * as Trees from "../../../src/workspace/store/Trees.ts"

const file = (text: string, more: Partial<Entry> = {}): Entry => ({
  kind: "file",
  mode: 0o644,
  size: text.length,
  digest: digestOf(Buffer.from(text)),
  ...more,
})

/** Which of some paths snapshots could not hold, for `.gitignore` files by their directories. */
const hidden = (
  rules: Readonly<Record<string, string | Entry>>,
  paths: ReadonlyArray<string>,
  others: Partial<IgnoredThen.Rules> = {},
) => {
  const entries = Object.entries(rules).map(([at, rule]): [string, Entry] => [
    path.posix.join(at, ".gitignore"),
    typeof rule === "string" ? file(rule) : rule,
  ])
  const bytes = new Map(
    Object.values(rules).flatMap((rule) =>
      typeof rule === "string" ? [[digestOf(Buffer.from(rule)), Buffer.from(rule)]] : [],
    ),
  )
  const wasHidden = IgnoredThen.of({
    tree: new Map(entries),
    contents: { get: (digest) => bytes.get(digest) },
    outerRules: [],
    isIgnoredToday: () => false,
    unread: new Set(),
    ...others,
  })
  return paths.filter((one) => wasHidden(one))
}

describe("paths that no snapshot of a moment could hold", () => {
  it("are those that its .gitignore files exclude, the deepest first, and all below excluded directories", () => {
    const rules = { "": "*.log\nbuild\n", d: "!kept.log\n", build: "!x\n" }
    expect(hidden(rules, ["a", "a.log", "d/a.log", "d/kept.log", "build/x", "d/build/x"])).toEqual([
      "a.log",
      "d/a.log",
      "build/x",
      "d/build/x",
    ])
  })

  it("are all below a .gitignore that is not known; a link is no such file", () => {
    for (const unknown of [file("gone"), file("k", { omitted: "secret" }), file("k", { omitted: "large" })])
      expect(hidden({ d: unknown }, ["a", "d/a", "d/e/a"])).toEqual(["d/a", "d/e/a"])
    expect(hidden({ "": file("gone"), d: "!a\n" }, ["a", "d/a"])).toEqual(["a", "d/a"])
    expect(hidden({ "": file("a", { kind: "link" }) }, ["a", "b"])).toEqual([])
  })

  it("are read as Git reads them: bytes that are not UTF-8, and a NUL, end no rule", () => {
    expect(hidden({ "": "a\0\nb\n" }, ["a", "b"])).toEqual(["b"])
  })

  it("are those of rules outside of the tree, unless its own decide", () => {
    const isIgnoredToday = (path: string) => path.endsWith(".log") || path === "out"
    expect(hidden({ d: "!a.log\n" }, ["a.log", "d/a.log", "d/b.log", "out/a", "a"], { isIgnoredToday })).toEqual([
      "a.log",
      "d/b.log",
      "out/a",
    ])
  })

  it("are those of rules that the task noted, by the last that matches, unless its own rules decide", () => {
    const outerRules = ["*.log", "!kept.log", "/out/", "d/e"]
    const paths = ["a.log", "d/a.log", "d/kept.log", "out/a", "d/out/a", "d/e/a", "e/a"]
    expect(hidden({ d: "!a.log\n" }, paths, { outerRules })).toEqual(["a.log", "out/a", "d/e/a"])
    expect(hidden({ "": "!*.log\n" }, ["a.log", "out/a"], { outerRules })).toEqual(["out/a"])
    const both = { outerRules, isIgnoredToday: (path: string) => path === "kept.log" }
    expect(hidden({}, ["a.log", "kept.log", "a"], both)).toEqual(["a.log", "kept.log"])
    expect(hidden({}, paths, { outerRules: undefined })).toEqual(paths)
  })

  it("are all below a directory that could not be read, and all where nobody knows which those are", () => {
    const paths = ["a", "d/a", "d/e/f/a", "da"]
    expect(hidden({}, paths, { unread: new Set(["d"]) })).toEqual(["d/a", "d/e/f/a"])
    expect(hidden({}, paths, { unread: new Set(["d/e"]) })).toEqual(["d/e/f/a"])
    expect(hidden({}, paths, { unread: undefined })).toEqual(paths)
  })
})

describe("directories that a task could not read", () => {
  const unread = (noted: ReadonlyArray<{ what: string; target: string; count: number }>, until?: number) =>
    Effect.gen(function* () {
      const log = yield* EventLog
      const stream = "task/t1"
      const { events } = yield* log.append({
        stream,
        taskId: "t1",
        actor: "x",
        events: [{ type: "CaptureNoted", payload: { unseen: noted } }],
      })
      const [event] = events as ReadonlyArray<Event>
      if (event === undefined) throw new Error("no event")
      const look = { event, taskId: "t1", root: "/", base: undefined, files: [] }
      return (yield* RemovalEvidence.notedIn(log, [look], until ?? event.position)).unread
    }).pipe(Effect.provide(MemoryEventLog.layer()), Effect.runPromise)

  it("are named up to the moment, or are not known", async () => {
    const noted = [
      { what: "a directory without permission", target: "d/e", count: 1 },
      { what: "a pipe, socket or device", target: "pipe", count: 1 },
    ]
    expect(await unread(noted)).toEqual(new Set(["d/e"]))
    expect(await unread(noted, 0)).toEqual(new Set())
    expect(await unread([{ what: "a directory without permission", target: "d and 1 more", count: 2 }])).toBeUndefined()
  })

  it("are not known where a task has more notes than one page takes, or where there is no task", async () => {
    const event = { type: "CaptureNoted", version: 1, position: 1, payload: { unseen: [] } } as unknown as Event
    const look = { event, taskId: "t1", root: "/", base: undefined, files: [] }
    const withNotes = (lacking: number) => ({
      readPage: (_: unknown, limit: number) => Effect.succeed(Array.from({ length: limit - lacking }, () => event)),
    })
    const found = (lacking: number, looks: ReadonlyArray<typeof look>) =>
      Effect.runPromise(RemovalEvidence.notedIn(withNotes(lacking), looks, 1))
    expect(await found(1, [look])).toEqual({ unread: new Set(), outerRules: [] })
    for (const unknown of [await found(0, [look]), await found(1, [])])
      expect(unknown).toEqual({ unread: undefined, outerRules: undefined })
  })
})

describe("contents that looks found at their path", () => {
  it("are found in changes and in trees, wherever these are kept, and nothing else is", () => {
    const directories = new Map<string, string>()
    const put = (text: string) => {
      const digest = digestOf(Buffer.from(text))
      directories.set(digest, text)
      return digest
    }
    const base = (files: Readonly<Record<string, string>>) =>
      Trees.write(new Map(Object.entries(files).map(([at, text]) => [at, file(text)])), put)
    // The same directory at two places, and in two trees.
    const bases = [base({ "d/e/a": "1", "f/e/a": "1", b: "old" }), base({ "d/e/a": "1", b: "2" })]
    const event = {} as Event
    const changed = { path: "c", state: { kind: "changed" as const, entry: file("3") } }
    const looks = [
      ...bases.map((one) => ({ event, taskId: "t", root: "/", base: one, files: [] })),
      { event, taskId: "t", root: "/", base: undefined, files: [changed] },
    ]
    const present = { "d/e/a": "1", "f/e/a": "1", b: "old", c: "3", "c/d": "3", "d/e": "1", "d/a": "1" }
    const files = new Map(Object.entries(present).map(([at, text]) => [at, file(text, { mode: 0o755 })]))
    let read = 0
    const get = (digest: string) => {
      read++
      return directories.get(digest)
    }
    const seen = SeenContents.of(files, looks, (root, paths, found) => paths.in(root, get, found))
    expect([...seen].sort()).toEqual(["b", "c", "d/e/a", "f/e/a"])
    // Both roots, d and d/e, and f and f/e: a directory in two trees is read once.
    expect(read).toBe(6)
    expect(SeenContents.of(new Map([["b", file("other")]]), looks, () => {}).size).toBe(0)
  })
})

describe("a present file that the moment lacks", () => {
  const evidence = { isSeen: () => true, wasHidden: () => false, wasAbsent: () => false }
  it("goes if a session recorded it and would have seen it then", () => {
    expect(Removal.whyNot("a", file("a"), evidence)).toBeUndefined()
    expect(Removal.whyNot("a", file("a"), { ...evidence, isSeen: () => false })).toContain("no session has recorded")
    expect(Removal.whyNot("a", file("a"), { ...evidence, wasHidden: () => true })).toContain("ignored at that moment")
    const written = { ...evidence, wasHidden: () => true, wasAbsent: () => true }
    expect(Removal.whyNot("a", file("a"), written)).toBeUndefined()
    expect(Removal.whyNot("a", file("a"), { ...written, isSeen: () => false })).toContain("no session has recorded")
    expect(Removal.whyNot(`d/.hindcast-${"0".repeat(16)}`, file("a"), { ...evidence, isSeen: () => false })).toBe(
      undefined,
    )
  })
})
