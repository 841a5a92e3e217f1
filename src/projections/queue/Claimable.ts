/** Chooses the tasks that a runner claims next. Pure. */

import * as SafeRecord from "../../values/SafeRecord.ts"
import type { Queue } from "./Queue.ts"
import type { QueuedTask } from "./QueuedTasks.ts"

/** A runner that looks for work. */
export interface Claimer {
  /** The names of its agents. */
  readonly agents: ReadonlyArray<string>
  readonly labels: ReadonlyArray<string>
  /** Number of tasks that it can begin now. */
  readonly free: number
  /** Tasks that it does not want, for example because they just failed here. */
  readonly except?: ReadonlySet<string>
  /** No others. Default: all. */
  readonly only?: ReadonlySet<string>
}

export interface Candidate {
  readonly task: string
  readonly queued: QueuedTask
  /** Its last claim ended without an end of the task: its runner died, or could not work on it. */
  readonly hasFailed: boolean
}

/**
 * The tasks that a runner may claim, at most `free`: first those whose runner died, then by priority (the highest
 * first), then by age. Counts the tasks of living runners against the limits of agents and plugins.
 *
 * @param now the log's clock, in epoch milliseconds
 */
export const claimable = (
  { tasks, runners, head }: Queue,
  { agents, labels, free, except, only }: Claimer,
  now: number,
): ReadonlyArray<Candidate> => {
  if (free <= 0) return []
  const isHeld = ({ claim }: QueuedTask) => claim !== undefined && Object.hasOwn(runners, claim.session)
  const [ofAgents, ofPlugins] = [new Map<string, number>(), new Map<string, number>()]
  let atWork = 0
  const take = ({ agent, plugins }: QueuedTask) => {
    atWork += 1
    add(ofAgents, agent)
    for (const plugin of new Set(plugins)) add(ofPlugins, plugin)
  }
  const candidates: Array<Candidate> = []
  for (const [task, queued] of Object.entries(tasks)) {
    if (isHeld(queued)) take(queued)
    else if (
      queued.poisoned === undefined &&
      (queued.notBefore ?? 0) <= now &&
      agents.includes(queued.agent) &&
      queued.labels.every((label) => labels.includes(label)) &&
      except?.has(task) !== true &&
      only?.has(task) !== false
    )
      candidates.push({ task, queued, hasFailed: queued.claim !== undefined || queued.attempts > 0 })
  }
  candidates.sort(inOrder)
  const isBelow = ({ agent, plugins }: QueuedTask) =>
    atWork < (head.total ?? Number.POSITIVE_INFINITY) &&
    (ofAgents.get(agent) ?? 0) < (SafeRecord.get(head.agents, agent) ?? Number.POSITIVE_INFINITY) &&
    plugins.every(
      (name) => (ofPlugins.get(name) ?? 0) < (SafeRecord.get(head.plugins, name) ?? Number.POSITIVE_INFINITY),
    )
  const chosen: Array<Candidate> = []
  for (const candidate of candidates) {
    if (chosen.length >= free) break
    if (!isBelow(candidate.queued)) continue
    take(candidate.queued)
    chosen.push(candidate)
  }
  return chosen
}

/** When the next task that waits for a time is due, in epoch milliseconds; undefined if none waits. */
export const nextDue = ({ tasks }: Queue, now: number): number | undefined => {
  let due: number | undefined
  for (const { notBefore, claim, poisoned } of Object.values(tasks)) {
    if (notBefore === undefined || notBefore <= now || claim !== undefined || poisoned !== undefined) continue
    due = Math.min(due ?? notBefore, notBefore)
  }
  return due
}

const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

const inOrder = (a: Candidate, b: Candidate): number =>
  Number(b.queued.claim !== undefined) - Number(a.queued.claim !== undefined) ||
  b.queued.priority - a.queued.priority ||
  a.queued.submitted - b.queued.submitted
