import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as OtherRecorders from "../../src/workspace/OtherRecorders.ts"
import { temporary } from "../record/recorded.ts"

const KNOWN = process.env.HINDCAST_STATE
let state = ""
beforeEach(() => {
  state = temporary("state")
  process.env.HINDCAST_STATE = state
})
afterEach(() => {
  process.env.HINDCAST_STATE = KNOWN
})

const root = "/somewhere/project"
const files = () => fs.readdirSync(path.join(state, "recorders"))

/** Asks again and again: whether others have worked since the last question. */
const asking = (directory: string) => {
  const recorder = OtherRecorders.of(directory)
  let before = recorder.heard()
  return () => {
    const now = recorder.heard()
    const worked = OtherRecorders.haveWorked(before, now)
    before = now
    return worked
  }
}

describe("calls of other recorders of a directory", () => {
  it("count while they are in progress, and at the first question after them", () => {
    const [haveWorked, other] = [asking(root), OtherRecorders.of(root)]
    expect(haveWorked()).toBe(false)
    expect(fs.existsSync(state)).toBe(false)
    other.begin()
    expect([haveWorked(), haveWorked()]).toEqual([true, true])
    other.rest()
    expect([haveWorked(), haveWorked()]).toEqual([true, false])
    other.begin()
    other.begin()
    other.rest()
    expect([haveWorked(), haveWorked()]).toEqual([true, false])
    other.close()
    expect(haveWorked()).toBe(false)
    const brief = OtherRecorders.of(root)
    brief.begin()
    brief.close()
    expect([haveWorked(), haveWorked()]).toEqual([true, false])
  })

  it("count in a directory above or below, and in no other", () => {
    const [above, here, beside] = [asking("/somewhere"), asking(root), asking("/somewhere/project-2")]
    const other = OtherRecorders.of(`${root}/packages/one`)
    other.begin()
    expect([above(), here(), beside()]).toEqual([true, true, false])
    const own = OtherRecorders.of("/elsewhere")
    own.begin()
    expect(OtherRecorders.haveWorked(own.heard(), own.heard())).toBe(false)
  })

  it("of a recorder that was killed count once", () => {
    const haveWorked = asking(root)
    const other = OtherRecorders.of(root)
    other.begin()
    const [name = ""] = files()
    const file = path.join(state, "recorders", name)
    const recorder = JSON.parse(fs.readFileSync(file, "utf8"))
    const { pid } = spawnSync("true")
    fs.writeFileSync(file, JSON.stringify({ ...recorder, process: { ...recorder.process, pid } }))
    expect([haveWorked(), haveWorked()]).toEqual([true, false])
  })

  it("may be in progress where a file says nothing of them", () => {
    const haveWorked = asking(root)
    OtherRecorders.of(root).begin()
    const [name = ""] = files()
    fs.writeFileSync(path.join(state, "recorders", name), "{")
    expect([haveWorked(), haveWorked()]).toEqual([true, true])
  })

  it("are not known where the user's store cannot be used, with the reason", () => {
    fs.writeFileSync(state, "a file")
    const recorder = OtherRecorders.of(root)
    recorder.begin()
    expect(recorder.heard()).toEqual({ unknown: expect.stringContaining(state) })
    recorder.rest()
    recorder.close()
  })

  it("leave no files for ever", () => {
    const ended = OtherRecorders.of(root)
    ended.begin()
    ended.close()
    const later = Date.now() + 25 * 60 * 60 * 1000
    const clock = Date.now
    Date.now = () => later
    try {
      OtherRecorders.of(root).begin()
    } finally {
      Date.now = clock
    }
    expect(files()).toEqual([expect.stringMatching(/-1-busy$/)])
  })
})
