/** Records the failures: each in a log of its own, with its cause's position. */
import * as path from "node:path"
import { open } from "hindcast/promise"
import { FAILURES } from "./failures.mjs"

/** Records one failure; answers its log, its task and the position of its cause. */
export const record = async (failure, directory, number) => {
  const log = path.join(directory, `failure-${number}.db`)
  const { tools, gate = { default: "allow" }, plugins = [] } = failure
  const hindcast = await open({ log, gate, plugins, workspace: directory, ...(tools === undefined ? {} : { tools }) })
  try {
    const { taskId } =
      failure.scenario === undefined
        ? await hindcast.tasks.run(staged(failure, hindcast), {
            goal: failure.goal,
            ...(failure.maxSteps === undefined ? {} : { maxSteps: failure.maxSteps }),
          })
        : await hindcast.scenarios.run(failure.agent, failure.scenario)
    const events = []
    for await (const event of hindcast.events.read()) events.push(event)
    const cause = failure.cause(events.filter((event) => event.taskId === taskId))
    if (cause === undefined) throw new Error(`${failure.name}: expected an event that is its cause, found none`)
    return { name: failure.name, log, taskId, cause: cause.position, events: events.length }
  } finally {
    await hindcast.close()
  }
}

/** The agent, with the moments at which another agent acts or the user says something. */
const staged = ({ agent, other }, hindcast) => ({
  ...agent,
  decide: async (view) => {
    let choice = agent.decide(view)
    while (choice.during !== undefined || choice.input !== undefined) {
      if (choice.during !== undefined) await hindcast.tasks.run(other.agent, { goal: other.goal })
      else await tell(hindcast, choice.input)
      choice = agent.decide(view)
    }
    return choice
  },
})

/** Appends what a user says to the open task. */
const tell = async (hindcast, content) => {
  const opened = []
  for await (const event of hindcast.events.read({ types: ["TaskOpened"] })) opened.push(event)
  const { taskId } = opened.at(-1)
  await hindcast.events.append({
    stream: `task/${taskId}`,
    actor: "human:ada",
    taskId,
    events: [{ type: "InputReceived", payload: { source: "chat", content } }],
  })
}

export const recordAll = async (directory) => {
  const recorded = []
  for (const [index, failure] of FAILURES.entries()) recorded.push(await record(failure, directory, index + 1))
  return recorded
}
