/** A program without Effect, for the compiler alone: what it expects of the types of `hindcast/promise`. */
import { type Agent, Lease, type Task, type TaskAudit } from "hindcast"
import * as Promises from "hindcast/promise"

const wanderer: Promises.Agent = {
  name: "wanderer",
  version: "1.0.0",
  advance: async (task) => {
    const [reading] = await task.perceive({ deadlineMs: 100 })
    const outcome = await task.act("text-room/go", { direction: task.random() < 0.5 ? "north" : "south" })
    await task.decided({ agent: "wanderer", choice: {}, basedOn: reading === undefined ? [] : [reading.event] })
    return outcome.status === "succeeded"
  },
}

export const program = async (signal: AbortSignal): Promise<TaskAudit.TaskAudit> => {
  const hindcast: Promises.Hindcast = await Promises.open({ log: { filename: "agent.db" }, signal })
  const task: Promises.Task = await hindcast.tasks.open({ goal: "Look around", signal })
  await task.perceive({ signal })
  await task.close("abandoned", "enough", { signal })
  // @ts-expect-error: there is no such outcome
  await task.close("finished")
  // @ts-expect-error: it is a promise's task, and none of the kernel's
  const kernelTask: Task = task
  // @ts-expect-error: there is no such option
  await hindcast.tasks.run(wanderer, { gaol: "Look around" })
  for await (const event of hindcast.events.follow({ types: ["TaskOpened"], signal })) {
    const position: number = event.position
    if (position > 0) break
  }
  const found: { readonly id: string } | undefined = await hindcast.events.find("an id")
  await hindcast.timeTravel.why(found?.id ?? kernelTask.seed, { signal })
  await hindcast.confirmations.decide("an id", { approved: true, by: "ada", channel: "program", signal })
  const decider: Agent.DecidingAgent = { name: "a", version: "1", decide: () => ({ done: "achieved" }) }
  try {
    await hindcast.replay(task.id, decider)
    return await hindcast.tasks.run(wanderer, { goal: "Look around", signal })
  } catch (error) {
    if (error instanceof Lease.LeaseHeld || error instanceof Promises.Closed) console.log(error._tag, error.message)
    throw error
  } finally {
    await hindcast.close()
  }
}
