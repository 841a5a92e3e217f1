/** Assigns the tasks of a season to lanes that run concurrently. */
import type { Planned } from "./Plan.ts"

/**
 * Minimum number of tasks for concurrency. Fewer tasks run one after the other, so that their logs are the same each
 * time, including positions.
 */
const MANY = 200

/** Number of concurrent lanes. With one lane the kernel would mostly wait for processes. */
const LANES = 4

/**
 * Splits the tasks into lanes. Each lane keeps its order, and all tasks of one agent are in the same lane, so that what
 * an agent learns does not depend on the speed of others. Every task is therefore the same each time; only the
 * interleaving of tasks in the log differs.
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
