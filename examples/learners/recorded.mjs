/** Reads recorded episodes as transitions: the record is all that a learner gets. */

const TYPES = ["SensorRead", "ActuatorCommanded", "CommandSucceeded"]

/**
 * The transitions of a task in a world, in their order.
 *
 * @param read reads events by a query, as an async iterable
 */
export const episodeOf = async (read, world, taskId) => {
  const transitions = []
  let observation = null
  let asked
  for await (const { type, payload } of read({ taskId, types: TYPES })) {
    const last = transitions.at(-1)
    if (type === "SensorRead" && payload.sensor === `${world}/observation`) {
      observation = payload.reading
      if (last !== undefined && last.next === null) last.next = observation
    } else if (type === "ActuatorCommanded" && payload.actuator === `${world}/step`) {
      asked = { commandId: payload.commandId, action: payload.args.action, observation }
    } else if (type === "CommandSucceeded" && payload.commandId === asked?.commandId) {
      const { reward, terminated } = payload.result
      transitions.push({ observation: asked.observation, action: asked.action, reward, next: null, terminated })
    }
  }
  return transitions
}

/** The ids of the tasks of a run: of its training, or of its evaluation. */
export const taskOf = (run, part, index) => `${run}-${part}-${index}`

/** Knowledge after the first episodes of a run, from the record alone. */
export const knowledgeOf = async (read, learner, run, episodes) => {
  let knowledge = learner.begin()
  for (let first = 0; first < episodes; first += learner.batch) {
    const batch = []
    for (let index = first; index < Math.min(first + learner.batch, episodes); index++)
      batch.push(await episodeOf(read, learner.world, taskOf(run, "train", index)))
    knowledge = learner.learn(knowledge, batch)
  }
  return knowledge
}

/** An agent that acts by what a learner knows. */
export const agentOf = (learner, knowledge, { greedy, episode = 0, episodes = 1 }) => ({
  name: greedy ? `${learner.name}-greedy` : learner.name,
  version: "1",
  decide: ({ readings, random }) => {
    const observation = readings[`${learner.world}/observation`]
    const action = learner.act(knowledge, observation, { random, greedy, episode, episodes })
    return { act: `${learner.world}/step`, args: { action } }
  },
})
