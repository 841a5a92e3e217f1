/**
 * Lets pg-boss deliver the queued tasks of a log to its runners: `Hindcast.runner({ delivery: await deliveryBy(boss, { log }) })`.
 *
 * Each turn of a task is one job. Its id follows from the log, the task and the turn, so every runner may insert it, and
 * only the first insert counts. The log stays the truth and the fence: jobs can be lost or delivered twice without harm,
 * and the queues can be dropped at any time. Tasks that wait get jobs again.
 */
import { createHash } from "node:crypto"

/** Of a task that may not be claimed now, for example because of a limit. In seconds. */
const AGAIN_AFTER = 1

/** A runner may refuse a job this often. */
const MANY = 1_000_000

/** pg-boss keeps a job that waits for no longer. */
const KEPT_FOR_MS = 365 * 24 * 3_600_000

const digest = (...parts) => createHash("sha256").update(JSON.stringify(parts)).digest("hex")

/** A UUID whose order is that of submission: pg-boss delivers jobs of one priority by their times, then by their ids. */
const idOf = (log, { task, turn, submitted }) => {
  const order = submitted.toString(16).padStart(12, "0")
  const rest = digest(log, task, turn)
  return `${order.slice(0, 8)}-${order.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(6, 18)}`
}

/**
 * @param boss a started pg-boss
 * @param log names the log, the same for all its runners. Logs may share a pg-boss
 */
export const deliveryBy = async (boss, { log }) => {
  /** Runners that have an agent and some labels take the jobs of their queue alone. */
  const queueOf = ({ agent, labels }) => `hindcast-${digest(log, agent, [...labels].sort()).slice(0, 32)}`
  const queues = new Set()
  /** Jobs that were inserted, by task: the turn. */
  const inserted = new Map()
  /** Jobs that this runner has: the task's newest. */
  const taken = new Map()

  const insert = async (waiting) => {
    const jobs = waiting.filter(({ task, turn }) => inserted.get(task) !== turn)
    if (jobs.length === 0) return
    for (const name of new Set(jobs.map(queueOf))) {
      if (queues.has(name)) continue
      await boss.createQueue(name)
      queues.add(name)
    }
    await boss.insert(
      jobs.map((one) => ({
        name: queueOf(one),
        id: idOf(log, one),
        data: { task: one.task, turn: one.turn },
        priority: one.priority,
        retryLimit: MANY,
        retryDelay: AGAIN_AFTER,
        keepUntil: new Date(Date.now() + KEPT_FOR_MS),
      })),
    )
    for (const { task, turn } of jobs) inserted.set(task, turn)
  }

  return {
    take: async (waiting, free) => {
      await insert(waiting)
      const offers = []
      // The queue of the task that goes first comes first.
      for (const name of new Set(waiting.map(queueOf))) {
        if (offers.length >= free) break
        for (const { id, data } of await boss.fetch(name, { batchSize: free - offers.length })) {
          const offer = { task: data.task, turn: data.turn }
          taken.set(data.task, { name, id, turn: data.turn })
          offers.push(offer)
        }
      }
      return offers
    },
    settle: async ({ task, turn }, how) => {
      const job = taken.get(task)
      if (job === undefined || job.turn !== turn) return
      taken.delete(task)
      if (how === "refused") await boss.fail(job.name, job.id, { refused: true })
      else {
        await boss.complete(job.name, job.id)
        // The next turn needs no memory of this one.
        if (how === "closed") inserted.delete(task)
      }
    },
  }
}
