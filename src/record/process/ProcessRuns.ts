/**
 * The runs of a process that is recorded as a whole. A program is one task, whatever it asks beside its conversation: titles, summaries,
 * agents of its own. A program that serves requests is many: each conversation is a task, and what a request leads to belongs to the
 * conversation that it continues, or to a new one. What is asked outside of any request belongs to the process's own task.
 */

import type { RunEnding } from "../conversations/ConversationRuns.ts"
import * as ConversationRuns from "../conversations/ConversationRuns.ts"
import type { Exchange } from "../http/Exchange.ts"
import type { SentRequest } from "../http/HttpMessage.ts"
import type { Serving } from "./Serving.ts"

/** How a process is recorded. */
export interface ProcessOptions extends Omit<ConversationRuns.ConversationOptions, "onBegun"> {
  readonly goal: string
  /** The process's own task. */
  readonly taskId: string
  /** Told each further task. */
  readonly onTask: (taskId: string) => void
}

/** The runs of a process. */
export interface ProcessRuns {
  readonly exchange: (sent: SentRequest) => Promise<Exchange>
  readonly end: (...how: RunEnding) => Promise<void>
  /** Ceases to record, and leaves the tasks open. */
  readonly leave: () => Promise<void>
}

/** Begins the process's own task. */
export const begin = async (
  { goal, taskId, onTask, ...options }: ProcessOptions,
  serving: Serving,
): Promise<ProcessRuns> => {
  const onBegun = (begun: string) => {
    if (begun !== taskId) onTask(begun)
  }
  const runs = await ConversationRuns.open({ ...options, onBegun, continues: taskId })
  await runs.begin(goal, taskId)
  /** Whether nothing is in the process's own task yet, so that the first conversation may have it. */
  let isUnused = true

  return {
    end: (...how) => runs.close(how),
    leave: () => runs.close("leave"),
    exchange: async (sent) => {
      const served = serving.current()
      if (served === undefined) {
        isUnused = false
        return runs.exchange(sent, { run: taskId })
      }
      // The first request of several at once decides where all of them belong.
      for (let task = served.task; task !== undefined; task = served.task) {
        const within = await task
        if (within !== undefined) return runs.exchange(sent, { within, aside: taskId })
        if (served.task === task) delete served.task
      }
      const first = runs.exchange(sent, { ...(isUnused ? { within: taskId } : {}), aside: taskId })
      isUnused = false
      const task = first.then((placed) => (placed.isConversation ? placed.taskId : undefined))
      served.task = task.catch(() => undefined)
      return first
    },
  }
}
