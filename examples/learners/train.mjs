/**
 * Trains a learner, and then evaluates it without exploration:
 *
 *     node examples/learners/train.mjs q-learning --log lake.db --seed 1 --episodes 1000 --evaluate 1000
 *
 * Each episode is a task. After each batch of episodes, the learner reads their transitions from the log. Stop the program
 * at any time, even with kill -9, and start it again: it reads the record, continues the open episodes, and ends with the
 * same knowledge. `--from RUN:EPISODES` forks a learner: it begins with what another run had recorded up to an episode.
 */
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { open } from "hindcast/promise"
import { LEARNERS } from "./learners.mjs"
import { agentOf, episodeOf, knowledgeOf, taskOf } from "./recorded.mjs"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    log: { type: "string", default: "learners.db" },
    seed: { type: "string", default: "1" },
    episodes: { type: "string", default: "1000" },
    evaluate: { type: "string", default: "0" },
    run: { type: "string" },
    from: { type: "string" },
    worlds: { type: "string", default: fileURLToPath(new URL("../../packages/worlds", import.meta.url)) },
  },
})

const whole = (name, least) => {
  const number = Number(values[name])
  if (Number.isSafeInteger(number) && number >= least) return number
  throw new Error(`--${name}: expected a whole number, ${least} or more, found ${values[name]}`)
}

const learner = Object.hasOwn(LEARNERS, positionals[0] ?? "") ? LEARNERS[positionals[0]] : undefined
if (learner === undefined)
  throw new Error(`expected a learner (${Object.keys(LEARNERS).join(", ")}), found ${positionals[0] ?? "none"}`)
const seed = whole("seed", 0)
const episodes = whole("episodes", 1)
const evaluations = whole("evaluate", 0)
const run = values.run ?? `${learner.name}-${seed}`

/** The seeds of evaluations are far from those of training. */
const EVALUATION = 1_000_000

/** Episodes at once. Within a batch, their order decides nothing. */
const PARALLEL = Math.max(2, availableParallelism())

const hindcast = await open({
  log: values.log,
  plugins: [`${values.worlds}/${learner.world}`],
  gate: { default: "allow" },
  onOpenTasks: "resume",
})
const read = (query) => hindcast.events.read(query)

/** Plays an episode, unless the log has it; continues it if it is open. */
const played = async (taskId, agent, options) => {
  const [opened] = await firstOf(read({ taskId, types: ["TaskOpened"] }))
  if (opened === undefined) return hindcast.tasks.run(agent, { ...options, id: taskId, plugins: [learner.world] })
  const audit = await hindcast.audit(taskId)
  return audit.outcome === null ? hindcast.tasks.resume(taskId, agent) : audit
}

const firstOf = async (events) => {
  for await (const event of events) return [event]
  return []
}

/** Plays the episodes from `first` to before `end`, several at once. */
const playedAll = async (part, first, end, agentFor, goal) => {
  let next = first
  const worker = async () => {
    while (next < end) {
      const index = next++
      const offset = part === "train" ? 0 : EVALUATION
      const options = { goal, seed: seed * 2 * EVALUATION + offset + index, maxSteps: STEPS }
      await played(taskOf(run, part, index), agentFor(index), options)
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, end - first) }, worker))
}

/** More than the longest episode of a world here. */
const STEPS = 1_000

/** What another run knew, for a learner that was forked from it. */
const inherited = async (text) => {
  const [, other = "", count = ""] = /^(.+):(\d+)$/.exec(text) ?? []
  const known = Number(count)
  if (other === "" || known % learner.batch !== 0)
    throw new Error(`--from: expected RUN:EPISODES with a multiple of ${learner.batch}, found ${text}`)
  const [recorded] = await firstOf(read({ taskId: taskOf(other, "train", known - 1), types: ["TaskClosed"] }))
  if (known > 0 && recorded === undefined) throw new Error(`--from: the log has no ${known} episodes of ${other}`)
  return knowledgeOf(read, learner, other, known)
}

let knowledge = values.from === undefined ? learner.begin() : await inherited(values.from)
for (let first = 0; first < episodes; first += learner.batch) {
  const end = Math.min(first + learner.batch, episodes)
  const before = knowledge
  const agentFor = (episode) => agentOf(learner, before, { greedy: false, episode, episodes })
  await playedAll("train", first, end, agentFor, `Learn ${learner.world}`)
  const batch = []
  for (let index = first; index < end; index++)
    batch.push(await episodeOf(read, learner.world, taskOf(run, "train", index)))
  knowledge = learner.learn(before, batch)
}
console.log(JSON.stringify({ run, episodes, knowledge: { ...knowledge, record: undefined } }))

if (evaluations > 0) {
  const agent = agentOf(learner, knowledge, { greedy: true })
  await playedAll("evaluate", 0, evaluations, () => agent, `Show what was learned of ${learner.world}`)
  let sum = 0
  for (let index = 0; index < evaluations; index++)
    for (const { reward } of await episodeOf(read, learner.world, taskOf(run, "evaluate", index))) sum += reward
  console.log(JSON.stringify({ run, evaluations, return: sum / evaluations }))
}
await hindcast.close()
