/** A campaign: a process that runs a tree of tasks with memories dies at commit after commit, and starts again. */
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { expect } from "vitest"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { is } from "../../../src/events/vocabulary/Vocabulary.ts"
import * as ChildSpending from "../../../src/kernel/teams/ChildSpending.ts"
import * as TreeAudit from "../../../src/projections/tree/TreeAudit.ts"
import "../../built.ts"
import { testKernel } from "../../kernel/testKernel.ts"
import * as Killable from "../../killable.ts"
import { inRepository } from "../../repository.ts"
import { temporaryDirectory } from "../../temporary.ts"

const PROGRAM = inRepository("test/agents/teams/programs/team.mjs")

/** The most lives of one tree: every life makes progress, unless it dies before its kernel has recovered. */
const MOST_LIVES = 60

export interface Campaign {
  readonly kills: number
  readonly trees: number
}

/**
 * Kills processes until it has killed as many as wanted: each tree is resumed until it ends. Checks that each child was
 * opened once and stored its memory once, that each cost counts once, and that the budget was kept.
 *
 * @param commitsOf at which of its commits the next process dies
 * @param tell learns how far the campaign is, after each tree
 */
export const campaign = (
  most: number,
  commitsOf: () => { readonly commits: number; readonly moment: string },
  tell: (sofar: Campaign) => void = () => {},
) =>
  Effect.gen(function* () {
    let [kills, trees] = [0, 0]
    while (kills < most) {
      kills += yield* tree(() => commitsOf())
      trees += 1
      tell({ kills, trees })
    }
    return { kills, trees } satisfies Campaign
  })

const tree = (commitsOf: () => object) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const log = path.join(directory, "log.db")
    let kills = 0
    for (; kills < MOST_LIVES; kills++) {
      const process = yield* Killable.start([PROGRAM, JSON.stringify({ log, ...commitsOf() })])
      const { signal, code, lines, stderr } = yield* process.ended
      if (signal === "SIGKILL") continue
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
      expect(lines.map((line) => JSON.parse(line))).toEqual([{ outcome: "achieved", extra: "achieved" }])
      break
    }
    expect(kills).toBeLessThan(MOST_LIVES)
    const { layerLog } = yield* testKernel({ directory })
    const served = fs.readFileSync(`${log}.served`, "utf8").split("\n").length - 1
    yield* Effect.provide(holds(served), layerLog)
    return kills
  }).pipe(Effect.scoped)

/** @param served how often the provider answered */
const holds = (served: number) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const { tasks, total } = yield* TreeAudit.load("top")
    expect(tasks.map(({ outcome, depth, agent }) => [agent, outcome, depth])).toEqual(
      expect.arrayContaining([
        ["top@1", "achieved", 0],
        ...["one@1", "two@1", "extra@1"].map((agent) => [agent, "achieved", 1]),
      ]),
    )
    expect(tasks).toHaveLength(4)
    // The budget counts whatever was paid, also answers that a kill kept from the log.
    const counted = yield* ChildSpending.of(log, "top")
    expect(counted.steps).toBeGreaterThanOrEqual(served)
    expect(counted.tokens).toBeGreaterThanOrEqual(served * 110)
    // Nine answers of 110 tokens, whatever was asked twice: an answer that the log has is asked for once.
    expect(total).toMatchObject({ tasks: 4, open: 0, knownTokens: 990 })
    expect(yield* log.readPage({ types: ["TaskOpened"] }, 100)).toHaveLength(4)
    const memories = yield* log.readPage({ types: ["MemoryStored"] }, 100)
    expect(memories.map(({ payload }) => payload.text).sort()).toEqual(["extra worked", "one worked", "two worked"])
    const ends = yield* log.readPage({ taskId: "top", types: ["CommandSucceeded"] }, 100)
    const children = ends.flatMap((event) => (is(event, "CommandSucceeded") ? (event.payload.child ?? []) : []))
    expect(children).toHaveLength(2)
    for (const { outcome, used } of children) {
      expect({ outcome, commands: used?.commands }).toEqual({ outcome: "achieved", commands: 1 })
      expect(used?.steps).toBeGreaterThanOrEqual(2)
      expect(used?.tokens).toBeGreaterThanOrEqual(220)
    }
    expect(yield* log.verify).toMatchObject({ _tag: "Intact" })
  })
