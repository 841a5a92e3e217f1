/** Assigns the tasks of a season to lanes that run concurrently. */
import type { Planned } from "./Plan.ts"

/**
 * Minimum tasks for concurrency. Fewer run one after the other, so that their logs are always the same, including
 * positions.
 */
const MANY = 200

/** With one lane, the kernel would mostly wait for processes. */
const LANES = 4

/**
 * Splits the tasks into lanes. Each lane keeps its order, and an agent's tasks share a lane, so that its learning does
 * not depend on the others' speed. Every task is therefore always the same; only their interleaving in the log differs.
 */
export const dealt = (planned: ReadonlyArray<Planned>): ReadonlyArray<ReadonlyArray<Planned>> => {
  if (planned.length < MANY) return [planned]
  const tasksOf = new Map<string, number>()
  for (const { agent } of planned) tasksOf.set(agent, (tasksOf.get(agent) ?? 0) + 1)
  const lanes = Array.from({ length: LANES }, () => ({ agents: new Set<string>(), tasks: 0 }))
  for (const [agent, tasks] of [...tasksOf].sort(([, a], [, b]) => b - a)) {
    const shortest = lanes.reduce((least, lane) => (lane.tasks < least.tasks ? lane : least))
    shortest.agents.add(agent)
    shortest.tasks += tasks
  }
  return lanes.map(({ agents }) => planned.filter(({ agent }) => agents.has(agent)))
}
