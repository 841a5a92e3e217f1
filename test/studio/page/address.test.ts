import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Address,
  format,
  otherOf,
  othersOf,
  PANES,
  parse,
  VIEWS,
  visit,
  vsOf,
} from "../../../src/studio/page/model/Address.ts"
import { SPANS } from "../../../src/studio/wire/Files.ts"
import { KINDS } from "../../../src/studio/wire/Kind.ts"

const parsed = (link: string): Address => {
  const [path = "", query] = link.split(/\?(.*)/s)
  return parse(path, query === undefined ? "" : `?${query}`)
}

const text = fc
  .string({ minLength: 1, maxLength: 20, unit: "grapheme" })
  .filter((value) => value.isWellFormed() && value !== "." && value !== "..")
const position = fc.nat({ max: 1_000_000 })

describe("a link", () => {
  it("says what it was made of, whatever the names in it are", () => {
    const visits = fc.record({
      screen: fc.constant("visit" as const),
      timeline: text,
      task: fc.option(text),
      at: fc.option(position),
      view: fc.constantFrom(null, ...VIEWS),
      file: fc.string(),
      span: fc.constantFrom("" as const, ...SPANS),
      pane: fc.constantFrom(...PANES),
      path: fc.option(text, { nil: "" }),
      vs: fc.option(text, { nil: "" }),
      scores: fc.option(text, { nil: "" }),
      when: fc.option(text, { nil: "" }),
      zoom: fc.option(fc.tuple(position, position)),
      kind: fc.constantFrom("" as const, ...KINDS),
      agent: fc.option(text, { nil: "" }),
      plugin: fc.option(text, { nil: "" }),
    })
    fc.assert(
      fc.property(visits, (visited) => {
        expect(parsed(format(visited))).toEqual(visited)
      }),
    )
  })

  it("says the search of the screen of notes", () => {
    for (const text of ["", "odd & even", "#/?"]) {
      expect(parsed(format({ screen: "notes", text }))).toEqual({ screen: "notes", text })
    }
  })

  it("names any number of tasks to compare with, whatever their names are", () => {
    const place = fc.record({
      timeline: fc.stringMatching(/^[a-z0-9%,-]{1,8}$/),
      task: text,
    })
    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 5 }), (places) => {
        const visited = visit({ timeline: "main", task: "a" }, null, { vs: vsOf(places) })
        const back = parsed(format(visited))
        expect(back.screen === "visit" ? othersOf(back) : null).toEqual(places)
        expect(otherOf(visited)).toEqual(places.length === 1 ? places[0] : null)
      }),
    )
    expect(othersOf(visit({ timeline: "main", task: "a" }, null, { vs: "@412" }))).toEqual([])
  })

  it("leads to the conversation where it named the pane that once had it", () => {
    expect(parsed("/t/main/a/@3?pane=talk")).toEqual(
      visit({ timeline: "main", task: "a" }, 3, { view: "conversation" }),
    )
  })

  it("says the filter, order and groups of a list of tasks", () => {
    const overview = {
      screen: "tasks",
      timeline: "fork-1",
      where: 'task.outcome == "failed"',
      order: "newest",
      by: "agent",
      text: '"no boiler" heat*',
      state: "failed",
      agent: "daredevil@1.0.0",
      model: "anthropic/claude",
      day: "2026-11-21T20",
      scores: "fork-1/strict & co",
    } as const
    expect(parsed(format(overview))).toEqual(overview)
  })

  it("is as people write it", () => {
    const at = visit({ timeline: "main", task: "task-0015" }, 1036, { path: "/tasks/task-0015/readings", pane: "why" })
    expect(format(at)).toBe("/t/main/task-0015/@1036?path=/tasks/task-0015/readings&pane=why")
  })

  it("of a path that is none of the page's leads nowhere, and says so", () => {
    for (const link of [
      "/x",
      "/t",
      "/t/main",
      "/t/main/task/1036",
      "/t/main/task/@1/more",
      "/l/main/@x",
      "/t/%E0%A4%A/task",
    ])
      expect(parsed(link)).toEqual({ screen: "lost", link })
  })

  it("with parameters that are none of its own shows what can be shown", () => {
    expect(parsed("/t/main/a/@3?pane=nonsense&zoom=9&order=up")).toEqual(visit({ timeline: "main", task: "a" }, 3))
  })
})
