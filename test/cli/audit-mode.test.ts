import { Effect, Either, Option } from "effect"
import { describe, expect, it } from "vitest"
import * as AuditMode from "../../src/cli/score/AuditMode.ts"
import * as AuditTable from "../../src/projections/comparison/AuditTable.ts"
import { audited } from "./auditStory.ts"

const given = (more: Partial<AuditMode.AuditInput> = {}): AuditMode.AuditInput => ({
  name: Option.none(),
  json: false,
  all: false,
  trend: false,
  markdown: false,
  tree: false,
  collective: false,
  cooperative: [],
  scores: Option.none(),
  sort: Option.none(),
  group: Option.none(),
  limit: Option.none(),
  parts: Option.none(),
  timeline: Option.none(),
  measure: Option.none(),
  by: Option.none(),
  task: [],
  agent: [],
  plugin: [],
  tag: [],
  outcome: [],
  since: Option.none(),
  until: Option.none(),
  where: Option.none(),
  ...more,
})
const modeOf = (more: Partial<AuditMode.AuditInput>) => Effect.runSync(Effect.either(AuditMode.of(given(more))))
const task = { name: Option.some("some-task") }

describe("what is asked of the audit", () => {
  it("is one task, all of them, or their trend", () => {
    const tags = [task, { all: true }, { trend: true }].map((more) => Either.getOrThrow(modeOf(more))._tag)
    expect(tags).toEqual(["One", "All", "Trend"])
  })

  it("is refused where it is not one of them, or has options of another", () => {
    const cases: ReadonlyArray<readonly [Partial<AuditMode.AuditInput>, says: string]> = [
      [{ all: true, trend: true }, "one of a task, --all and --trend, found --all and --trend"],
      [{ ...task, all: true }, "found a task and --all"],
      [{ all: true, json: true, markdown: true }, "--markdown: expected it or --json, found both"],
      [{ trend: true, group: Option.some("agent") }, "--group: expected it with --all, found it with --trend"],
      [{ trend: true, limit: Option.some(3) }, "--limit: expected it with --all"],
      [{ all: true, measure: Option.some("a/b") }, "--measure: expected it with --trend, found it with --all"],
      [{ all: true, by: Option.some("net") }, "--by: expected it with --trend"],
      [{ ...task, agent: ["me"] }, "--agent: expected it with --all or --trend, found it with a task"],
      [{ ...task, scores: Option.some("live") }, "--scores: expected it with --all or --trend"],
    ]
    for (const [more, says] of cases) {
      expect(Either.getOrThrow(Either.flip(modeOf(more)))).toMatchObject({ message: expect.stringContaining(says) })
    }
    expect(Either.getOrThrow(Either.flip(modeOf({})))).toMatchObject({ _tag: "MissingValue" })
  })
})

describe("the order that is asked for", () => {
  const sorting = (more: Partial<AuditMode.AuditInput>) => Effect.runSync(Effect.either(AuditMode.sorting(given(more))))
  const rows = [3, 1, 2].map((steps) => AuditTable.rowOf(audited({ steps }), new Set()))
  const stepsBy = (sort: string) =>
    Either.getOrThrow(sorting({ sort: Option.some(sort) }))
      .rows(rows)
      .map(({ steps }) => steps)

  it("is a column's, up or down", () => {
    expect([stepsBy("steps"), stepsBy("steps:asc"), stepsBy("steps:desc")]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [3, 2, 1],
    ])
    expect(Either.getOrThrow(sorting({})).rows(rows)).toEqual(rows)
  })

  it("is refused where there is no such column, with those there are", () => {
    const refusal = (more: Partial<AuditMode.AuditInput>) => Either.getOrThrow(Either.flip(sorting(more))).message
    expect(refusal({ sort: Option.some("step") })).toMatch(
      /a column of tasks, .* task, outcome, score.*Did you mean steps\?/,
    )
    expect(refusal({ sort: Option.some("steps:up") })).toContain('found "steps:up"')
    expect(refusal({ sort: Option.some("score"), group: Option.some("agent") })).toContain("a column of groups")
    expect(refusal({ sort: Option.some("constructor") })).toContain('found "constructor"')
  })
})
