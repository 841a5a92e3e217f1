/** `node runner.mjs postgres://…`: a runner whose tasks pg-boss delivers. Needs the packages hindcast, pg and pg-boss. */
import { defineAgent, runner } from "hindcast/promise"
import PgBoss from "pg-boss"
import { deliveryBy } from "./delivery.mjs"

const log = process.argv[2]
const boss = new PgBoss(log)
boss.on("error", console.error)
await boss.start()

const desk = defineAgent({
  name: "desk",
  version: "1.0.0",
  decide: ({ goal, step }) => (step === 0 ? { say: `I shall ${goal}` } : { done: "achieved" }),
})

const worker = await runner({
  log,
  agents: [desk],
  delivery: await deliveryBy(boss, { log: "desk" }),
  onNews: ({ what, task }) => console.log(what, task),
})
process.once("SIGTERM", () => worker.drain())
await worker.ended
await boss.stop()
