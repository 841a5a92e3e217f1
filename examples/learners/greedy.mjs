/**
 * An agent that acts by what a learner has learned, without exploration, for `hindcast run`, `fork`, `replay` and
 * `curriculum run`. It reads the record of the run in LEARNER_RUN, in the log LEARNER_LOG, up to LEARNER_EPISODES:
 *
 *     LEARNER=q-learning LEARNER_LOG=lake.db LEARNER_RUN=q-learning-1 LEARNER_EPISODES=1000 \
 *       hindcast fork @412 --agent examples/learners/greedy.mjs --log lake.db
 */
import { Effect, Stream } from "effect"
import { EventLog } from "hindcast"
import { LEARNERS } from "./learners.mjs"
import { agentOf, knowledgeOf } from "./recorded.mjs"

const { LEARNER = "q-learning", LEARNER_LOG = "learners.db", LEARNER_EPISODES = "1000" } = process.env
const run = process.env.LEARNER_RUN ?? `${LEARNER}-1`
const learner = LEARNERS[LEARNER]
if (learner === undefined) throw new Error(`LEARNER: expected ${Object.keys(LEARNERS).join(", ")}, found ${LEARNER}`)

const known = Effect.gen(function* () {
  const log = yield* EventLog.EventLog
  const read = (query) => Stream.toAsyncIterable(log.read(query))
  return yield* Effect.promise(() => knowledgeOf(read, learner, run, Number(LEARNER_EPISODES)))
})
const layer = EventLog.layerSqlite({ filename: LEARNER_LOG, readonly: true })

export default agentOf(learner, await Effect.runPromise(Effect.provide(known, layer)), { greedy: true })
