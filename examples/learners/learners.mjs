/**
 * Learners as folds: each makes its knowledge from episodes in the order in which the log has them, and decides by it.
 * Everything is pure, so the same record gives the same knowledge, after a stop, on another machine, or in a fork.
 *
 * An episode is a list of transitions `{ observation, action, reward, next, terminated }`; `next` is null where the
 * episode ended.
 */

/** Chances are from 0 to 1; `random` returns a number in [0, 1). */
const anyOf = (count, random) => Math.floor(random() * count)

/** One of the actions of the highest value. */
const bestOf = (values, random) => {
  const highest = Math.max(...values)
  const best = values.flatMap((value, action) => (value === highest ? [action] : []))
  return best[anyOf(best.length, random)]
}

/** Explores less from episode to episode, down to one action in ten. */
const exploration = (episode, episodes) => Math.max(0.1, 1 - episode / (0.6 * episodes))

/** γ: the worth of a reward one step later. */
const DISCOUNT = 0.99

/** Passes over the whole record after each batch. */
const SWEEPS = 100

/** Acts by a table of values: explores in training, and takes the best action otherwise. */
const byTable = ({ values }, observation, { random, greedy, episode, episodes }) => {
  const row = values[observation]
  return !greedy && random() < exploration(episode, episodes) ? anyOf(row.length, random) : bestOf(row, random)
}

/** The observations and actions of the lake of 4 × 4. */
const LAKE = { states: 16, actions: 4 }

const tableOf = ({ states, actions }) => Array.from({ length: states }, () => Array(actions).fill(0))

/**
 * A tabular learner that goes over its record again after each batch: the value of an action is the mean, over all
 * recorded transitions with it, of the reward and the discounted value of what followed.
 *
 * @param following the value of what followed a transition, by the table
 * @param remembered the number of newest episodes that count
 */
const tabular = (name, following, remembered) => ({
  name,
  world: "frozen-lake",
  batch: 50,
  begin: () => ({ values: tableOf(LAKE), record: [] }),
  learn: ({ values: before, record: known }, episodes) => {
    const values = before.map((row) => [...row])
    const record = [...known, ...episodes].slice(-remembered)
    const groups = new Map()
    for (const episode of record)
      for (const [index, transition] of episode.entries()) {
        const key = `${transition.observation} ${transition.action}`
        const group = groups.get(key) ?? { ...transition, all: [] }
        group.all.push({ transition, after: episode[index + 1] })
        groups.set(key, group)
      }
    for (let sweep = 0; sweep < SWEEPS; sweep++)
      for (const { observation, action, all } of groups.values()) {
        let sum = 0
        for (const { transition, after } of all)
          sum += transition.reward + (transition.terminated ? 0 : DISCOUNT * following(values, transition, after))
        values[observation][action] = sum / all.length
      }
    return { values, record }
  },
  act: byTable,
})

/** Q-learning: the best action follows, whatever the agent did. */
export const qLearning = tabular(
  "q-learning",
  (values, { next }) => (next === null ? 0 : Math.max(...values[next])),
  Number.POSITIVE_INFINITY,
)

/** SARSA: the action follows that the agent took. Old episodes, from another policy, count no longer. */
export const sarsa = tabular(
  "sarsa",
  (values, { next }, after) =>
    after === undefined ? (next === null ? 0 : Math.max(...values[next])) : values[after.observation][after.action],
  800,
)

/** The sums at which the arms of the bandit stop. */
const STOPS = [12, 14, 16, 18, 20, 22]

/** How many standard deviations an arm that was tried little is given the benefit of. */
const CONFIDENCE = 1

/**
 * A bandit in blackjack: each arm is a whole policy, to stop at a sum of cards, and an episode pulls one. UCB1: it pulls
 * the arm with the highest mean return plus a bonus for what it tried little.
 */
export const bandit = {
  name: "bandit",
  world: "blackjack",
  batch: 1,
  begin: () => ({ pulls: STOPS.map(() => 0), returns: STOPS.map(() => 0) }),
  learn: ({ pulls: before, returns: earned }, episodes) => {
    const pulls = [...before]
    const returns = [...earned]
    for (const episode of episodes) {
      const arm = armOf(pulls, returns)
      pulls[arm] += 1
      returns[arm] += episode.reduce((sum, { reward }) => sum + reward, 0)
    }
    return { pulls, returns }
  },
  act: ({ pulls, returns }, [sum], { greedy }) => {
    const arm = greedy ? mostPulled(pulls) : armOf(pulls, returns)
    return sum < STOPS[arm] ? 1 : 0
  },
}

/** The arm that an episode pulls, which follows from the episodes before it. */
const armOf = (pulls, returns) => {
  const untried = pulls.indexOf(0)
  if (untried >= 0) return untried
  const all = pulls.reduce((sum, count) => sum + count, 0)
  const bounds = pulls.map((count, arm) => returns[arm] / count + CONFIDENCE * Math.sqrt((2 * Math.log(all)) / count))
  return bounds.indexOf(Math.max(...bounds))
}

const mostPulled = (pulls) => pulls.indexOf(Math.max(...pulls))

/** The scales of cart pole's observations. */
const SCALES = [2.4, 3, 0.21, 3]

/** The size of a step up the gradient. */
const STEP = 1.5

/**
 * Policy gradient (REINFORCE) in cart pole: it pushes to the right with a chance that is a logistic function of the
 * scaled observation. After each batch, the weights move towards the pushes with which more came than on average.
 */
export const policyGradient = {
  name: "policy-gradient",
  world: "cart-pole",
  batch: 10,
  begin: () => ({ weights: SCALES.map(() => 0) }),
  learn: ({ weights: before }, episodes) => {
    const steps = episodes.flatMap((episode) => {
      let toGo = 0
      const togo = episode.map(() => 0)
      for (let index = episode.length - 1; index >= 0; index--)
        togo[index] = toGo = episode[index].reward + DISCOUNT * toGo
      return episode.map((transition, index) => ({ ...transition, toGo: togo[index] }))
    })
    const mean = steps.reduce((sum, { toGo }) => sum + toGo, 0) / Math.max(1, steps.length)
    const variance = steps.reduce((sum, { toGo }) => sum + (toGo - mean) ** 2, 0) / Math.max(1, steps.length)
    const deviation = Math.sqrt(variance) || 1
    const weights = [...before]
    for (const { observation, action, toGo } of steps) {
      const error = action - chanceOfRight(before, observation)
      for (const [index, scale] of SCALES.entries())
        weights[index] += (STEP * error * (observation[index] / scale) * ((toGo - mean) / deviation)) / steps.length
    }
    return { weights }
  },
  act: ({ weights }, observation, { random, greedy }) => {
    const chance = chanceOfRight(weights, observation)
    return greedy ? Number(chance >= 0.5) : Number(random() < chance)
  },
}

const chanceOfRight = (weights, observation) =>
  1 / (1 + Math.exp(-weights.reduce((sum, weight, index) => sum + (weight * observation[index]) / SCALES[index], 0)))

/** All learners by name. */
export const LEARNERS = Object.fromEntries(
  [qLearning, sarsa, bandit, policyGradient].map((learner) => [learner.name, learner]),
)
