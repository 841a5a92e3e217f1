/** Traces the ways through a curriculum: from each stage, some way must lead to its end. Pure. */

import type { Flaw } from "../../scenario/source.ts"
import { type Curriculum, nextOf, type Stage } from "./Document.ts"

/** A way from a stage to another, or to the end of the curriculum. */
export interface Way {
  readonly from: string
  /** Undefined: the curriculum is completed. */
  readonly to: string | undefined
  readonly by: "PROCEED" | "BRANCH_TO"
}

/** All ways of a curriculum, in the order of its stages. Each criterion may hold. */
export const of = (curriculum: Curriculum): ReadonlyArray<Way> =>
  curriculum.stages.flatMap((stage) => [
    { from: stage.stage, to: nextOf(curriculum, stage), by: "PROCEED" as const },
    ...(stage.rules ?? []).flatMap(({ do: decision, to }) =>
      decision === "BRANCH_TO" && to !== undefined ? [{ from: stage.stage, to, by: "BRANCH_TO" as const }] : [],
    ),
  ])

/** The flaws of a curriculum whose names are known: stages that no way leads to, and cycles that cannot end. */
export const flawsOf = (curriculum: Curriculum): ReadonlyArray<Flaw> => {
  const ways = of(curriculum)
  const [first] = curriculum.stages
  const reached = reachedFrom([first.stage], (stage) =>
    ways.flatMap(({ from, to }) => (from === stage && to !== undefined ? [to] : [])),
  )
  const ending = ways.flatMap(({ from, to }) => (to === undefined ? [from] : []))
  const finishing = reachedFrom(ending, (stage) => ways.flatMap(({ from, to }) => (to === stage ? [from] : [])))
  return curriculum.stages.flatMap(({ stage }, index): ReadonlyArray<Flaw> => {
    const path = `/stages/${index}/stage`
    if (!reached.has(stage)) {
      return [
        {
          path,
          expected: "a stage that another one leads to, by next or BRANCH_TO",
          found: `${stage}, which none does`,
        },
      ]
    }
    if (finishing.has(stage)) return []
    return [
      {
        path,
        expected: "a stage from which some way leads to the end",
        found: `a cycle: ${cycleFrom(curriculum, stage)}`,
      },
    ]
  })
}

const reachedFrom = (
  starts: ReadonlyArray<string>,
  next: (stage: string) => ReadonlyArray<string>,
): ReadonlySet<string> => {
  const found = new Set(starts)
  for (const stage of found) for (const one of next(stage)) found.add(one)
  return found
}

/** The stages that follow by completing each, up to the first that comes again. */
const cycleFrom = (curriculum: Curriculum, start: string): string => {
  const seen: Array<string> = []
  let stage: Stage | undefined = curriculum.stages.find((each) => each.stage === start)
  while (stage !== undefined && !seen.includes(stage.stage)) {
    seen.push(stage.stage)
    const next = nextOf(curriculum, stage)
    stage = curriculum.stages.find((each) => each.stage === next)
  }
  return [...seen, ...(stage === undefined ? [] : [stage.stage])].join(" → ")
}
