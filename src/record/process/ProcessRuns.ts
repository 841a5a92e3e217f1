/**
 * Runs of a process recorded as a whole. A program is one task, with its titles, summaries and sub-agents. A server has
 * a task for each conversation; calls during a served request belong to the conversation that it continues, or to a new
 * one. All other calls belong to the process's own task.
 */

import type { RunEnding } from "../conversations/ConversationRuns.ts"
import * as ConversationRuns from "../conversations/ConversationRuns.ts"
import type { Exchange } from "../http/Exchange.ts"
import type { SentRequest } from "../http/HttpMessage.ts"
import type { RunAtWork } from "../RunAtWork.ts"
import type { Serving } from "./Serving.ts"

export interface ProcessOptions extends Omit<ConversationRuns.ConversationOptions, "onBegun"> {
  readonly goal: string
  readonly taskId: string
  readonly onTask: (taskId: string) => void
}

export interface ProcessRuns {
  readonly exchange: (sent: SentRequest) => Promise<Exchange>
  /** Records a model call that telemetry alone shows, in the process's own task. */
  readonly observedModel: RunAtWork["observedModel"]
  readonly end: (...how: RunEnding) => Promise<void>
  readonly leave: () => Promise<void>
}

export const begin = async (
  { goal, taskId, onTask, ...options }: ProcessOptions,
  serving: Serving,
): Promise<ProcessRuns> => {
  const onBegun = (begun: string) => {
    if (begun !== taskId) onTask(begun)
  }
  const runs = await ConversationRuns.open({ ...options, onBegun, continues: taskId })
  const own = await runs.begin(goal, taskId)
  /** Whether the process's own task is empty, so that the first conversation may take it. */
  let isUnused = true

  return {
    end: (...how) => runs.close(how),
    leave: () => runs.close("leave"),
    observedModel: (...seen) => {
      isUnused = false
      return own.observedModel(...seen)
    },
    exchange: async (sent) => {
      const served = serving.current()
      if (served === undefined) {
        isUnused = false
        return runs.exchange(sent, { run: taskId })
      }
      // The first of several simultaneous requests decides where all belong.
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
