import { describe, expect, it } from "vitest"
import type { Tree } from "../../src/workspace/model/Entry.ts"
import { notedAmong } from "../../src/workspace/restore/RemovalEvidence.ts"
import { type Gap, UNREAD_DIRECTORY } from "../../src/workspace/scan/Scan.ts"
import * as UnseenFiles from "../../src/workspace/UnseenFiles.ts"

const NONE: Tree = new Map()

const unread = (path: string): Gap => ({ what: UNREAD_DIRECTORY, path })

const noted = (unseen: ReturnType<ReturnType<typeof UnseenFiles.make>>) => ({
  type: "CaptureNoted",
  position: 1,
  payload: { unseen },
})

const unreadAmong = (...notes: ReadonlyArray<ReturnType<typeof noted>>) => notedAmong(notes as never, 1).unread

describe("gaps of snapshots", () => {
  it("are each named once, with the number of those of a kind", () => {
    const news = UnseenFiles.make()
    const pipe: Gap = { what: "a pipe, socket or device", path: "p" }
    const secret: Tree = new Map([[".env", { kind: "file", mode: 0o600, size: 1, omitted: "secret" }]])
    expect(news(secret, [pipe, { ...pipe, path: "q" }])).toEqual([
      { what: pipe.what, target: "p and 1 more", count: 2 },
      { what: "the content of a file with secrets: recorded by a digest", target: ".env", count: 1 },
    ])
    expect(news(secret, [pipe])).toEqual([])
  })

  it("beyond those that a task names leave it unknown which directories were not read", () => {
    const news = UnseenFiles.make(2)
    const first = noted(news(NONE, [unread("a")]))
    expect(unreadAmong(first)).toEqual(new Set(["a"]))
    const second = noted(news(NONE, [unread("a"), { what: "a name that is not UTF-8", path: "x" }, unread("b")]))
    expect(unreadAmong(first, second)).toBeUndefined()
    expect(news(NONE, [unread("c")])).toEqual([])
  })
})
