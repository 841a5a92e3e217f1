/** Finds the first recorded state of a workspace's files on which a command fails, as `git bisect run` does with commits. */

import { Effect } from "effect"
import type { Contents } from "../history/Content.ts"
import type { TreeOf } from "../history/FileVersions.ts"
import type { Look } from "../history/Looks.ts"
import { reading, type StoreUnavailable } from "../store/StoreFile.ts"
import type { CopiedFiles } from "./CopiedFiles.ts"
import { EndUnfit, OnlySkippedLeft } from "./Failures.ts"
import * as Halving from "./Halving.ts"
import * as Search from "./Search.ts"
import type { State } from "./States.ts"
import * as States from "./States.ts"
import { position, type Tested } from "./Tested.ts"
import * as TreeRuns from "./TreeRuns.ts"

export interface FileBisectionOptions {
  readonly states: ReadonlyArray<State>
  readonly looks: ReadonlyArray<Look>
  readonly treeOf: TreeOf
  readonly contents: Contents
  readonly copied: CopiedFiles
  readonly command: string
  readonly timeoutMs: number
  readonly jobs: number
  /** Whether both ends are tested at the same time. Default: no, unless `jobs` says so. */
  readonly endsAtOnce?: boolean | undefined
  /** An empty directory of this process's own, without links in its path. */
  readonly scratch: string
  readonly known: ReadonlyArray<Earlier>
  /** What to do if an end of the search has the wrong mark. */
  readonly advice: string
  readonly onTested: (tested: Tested) => Effect.Effect<void>
}

/** The result of an earlier search. */
export type Earlier = Pick<Tested, "tree" | "verdict" | "exitCode" | "output" | "ms"> & {
  readonly position: number
  readonly timeline: string
}

export interface FileBisection {
  /** In order of their moments. */
  readonly tested: ReadonlyArray<Tested>
  readonly good: Tested
  readonly bad: Tested
  /** Good states after a bad one, which contradict the search's assumption. */
  readonly goodAfterBad: ReadonlyArray<Tested>
}

/** Fails with an error of `Failures`. Runs the recorded program's own code: ask for trust in a foreign log first. */
export const find = (options: FileBisectionOptions) =>
  Effect.gen(function* () {
    const { states, looks, treeOf, known, onTested, command, advice } = options
    const tested = new Map<number, Tested>()
    const byTree = new Map<string, Tested>()
    const stateAt = (index: number): State => {
      const state = states[index]
      if (state === undefined) throw new Error(`expected one of ${states.length} states, found ${index}`)
      return state
    }
    const treeAt = (index: number) => reading(() => States.treeIn(stateAt(index), looks, treeOf))
    const keys = new Map<number, string>()
    /** A tree that the store lacks equals no other. */
    const keyOf = (index: number) =>
      reading(() => {
        const before = keys.get(index)
        if (before !== undefined) return before
        const tree = States.treeIn(stateAt(index), looks, treeOf)
        const key = tree === undefined ? `unknown ${index}` : States.digest(tree)
        keys.set(index, key)
        return key
      })
    const take = (one: Tested) =>
      Effect.suspend(() => {
        tested.set(one.index, one)
        byTree.set(one.tree, one)
        return Effect.as(onTested(one), one.verdict)
      })

    const earlier = new Map(known.map((one) => [one.tree, one]))
    const moments = new Set(known.map(({ timeline, position }) => `${timeline}@${position}`))
    for (const [index, { look }] of states.entries()) {
      if (!moments.has(`${look.event.timeline}@${look.event.position}`)) continue
      const one = earlier.get(yield* keyOf(index))
      if (one !== undefined) yield* take(fromEarlier(one, index, stateAt(index)))
    }

    const ran = TreeRuns.runner(options)
    const marks = yield* Search.run({
      count: states.length,
      jobs: options.jobs,
      endsAtOnce: options.endsAtOnce === true,
      known: new Map([...tested].map(([index, { verdict }]) => [index, verdict])),
      keyOf,
      test: (index, lane) =>
        Effect.gen(function* () {
          const [tree, key, state] = [yield* treeAt(index), yield* keyOf(index), stateAt(index)]
          const before = earlier.get(key)
          if (before !== undefined) return yield* take(fromEarlier(before, index, state))
          return yield* take({
            index,
            state,
            tree: key,
            ...(yield* ran({ tree, position: position({ state }), lane })),
          })
        }),
    })

    const testedAt = (index: number): Effect.Effect<Tested, StoreUnavailable> =>
      Effect.map(keyOf(index), (key) => {
        const one = tested.get(index) ?? byTree.get(key)
        if (one === undefined) throw new Error(`expected a test of state ${index}, found none`)
        return { ...one, index, state: stateAt(index) }
      })
    const all = (indexes: Iterable<number>) =>
      Effect.forEach(
        [...indexes].sort((one, other) => one - other),
        testedAt,
      )
    const last = states.length - 1
    if ((marks.get(0) ?? "good") !== "good")
      return yield* new EndUnfit({ end: "first", command, tested: yield* testedAt(0), advice })
    const found = Halving.bounds(marks, states.length)
    if (found === undefined) return yield* new EndUnfit({ end: "last", command, tested: yield* testedAt(last), advice })
    const [good, bad] = [yield* testedAt(found.good), yield* testedAt(found.bad)]
    const between = [...marks.keys()].filter((index) => index > found.good && index < found.bad)
    if (between.length > 0) return yield* new OnlySkippedLeft({ command, good, bad, skipped: yield* all(between) })
    const goodAfterBad = yield* all(Halving.goodAfterBad(marks))
    return { tested: yield* all(marks.keys()), good, bad, goodAfterBad } satisfies FileBisection
  })

const fromEarlier = ({ verdict, exitCode, output, ms, tree }: Earlier, index: number, state: State): Tested => {
  const tests = { index, state, tree, verdict, exitCode, output, ms, at: 0 }
  return { ...tests, isCached: true, isLate: exitCode === null, lost: [], omitted: [] }
}
