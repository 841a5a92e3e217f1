/**
 * A world's table of transitions, taken from the world itself: it is put in each state, and each of its draws is made to
 * come out in each way. Value iteration over the table gives the best return that there is.
 */

import type { JsonObject } from "../../src/plugins/author.ts"
import * as Generator from "../../src/plugins/numpy/Generator.ts"
import { contextOf, type Played } from "./Episode.ts"

/** What an action may lead to. */
export interface Transition {
  readonly probability: number
  /** The observation of the next state, which is its number. */
  readonly next: number
  readonly reward: number
  readonly terminated: boolean
}

/** Transitions by state and action. */
export type Table = ReadonlyArray<ReadonlyArray<ReadonlyArray<Transition>>>

/** The table of a world whose observations are the numbers of its states; `documents` are these states. */
export const tableOf = async (
  { world }: Played,
  actions: number,
  documents: ReadonlyArray<JsonObject>,
  options: JsonObject = {},
): Promise<Table> => {
  const rng = Generator.seeded(0)
  const after = async (document: JsonObject, action: number, way: number) => {
    let chances: ReadonlyArray<number> = [1]
    const context = contextOf({
      ...rng,
      categorical: (p) => {
        chances = p
        return way
      },
    })
    await world.restore?.(context, options, document)
    const { reward, terminated = false } = await world.step(context, action)
    const next = Number(await world.observe(context))
    return { ways: chances.length, probability: chances[way] ?? 0, next, reward: Number(reward), terminated }
  }
  const table: Array<Array<Array<Transition>>> = []
  for (const document of documents) {
    const row: Array<Array<Transition>> = []
    for (let action = 0; action < actions; action++) {
      const first = await after(document, action, 0)
      const transitions: Array<Transition> = [first]
      for (let way = 1; way < first.ways; way++) transitions.push(await after(document, action, way))
      row.push(transitions)
    }
    table.push(row)
  }
  return table
}

/** What each state is worth to an agent that acts at its best for that many more steps. */
export const optimum = (table: Table, steps: number): ReadonlyArray<number> => {
  let values = table.map(() => 0)
  for (let step = 0; step < steps; step++)
    values = table.map((row) => Math.max(...row.map((way) => worth(way, values))))
  return values
}

const worth = (transitions: ReadonlyArray<Transition>, values: ReadonlyArray<number>): number => {
  let sum = 0
  for (const { probability, next, reward, terminated } of transitions)
    sum += probability * (reward + (terminated ? 0 : (values[next] ?? 0)))
  return sum
}
