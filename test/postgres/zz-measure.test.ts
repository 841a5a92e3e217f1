import { Context, Effect, Layer } from "effect"
import { it } from "vitest"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { layer } from "../../src/events/postgres/PostgresEventLog.ts"
import * as Search from "../../src/search/Search.ts"
import { schema, sql, urlOf } from "./server.ts"

it("measures", () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function* () {
    const name = yield* schema
    const url = yield* Effect.promise(() => urlOf(name))
    const context = yield* Layer.build(layer({ url, durability: "normal" }))
    const log = Context.get(context, EventLog)
    for (let at = 0; at < 40; at++)
      yield* Effect.forEach(Array.from({ length: 1000 }), (_, i) => log.append({ stream: `task/t${at}`, taskId: `t${at}`, actor: "agent:a@1", events: [{ type: "MessageSent", payload: { content: `the message number ${at * 1000 + i} of agent ${(i * 7919) % 997} says word${(i * 31 + at) % 5000} and the boiler is ${i % 50 === 0 ? "cold" : "warm"}`, format: "text" } }] }), { concurrency: "unbounded", discard: true })
    const search = yield* Effect.provide(Search.make, context)
    const measured = <A>(what: string, run: Effect.Effect<A, unknown>) => Effect.gen(function* () {
      const stat = () => sql(`SELECT xact_commit::int, tup_returned::int, tup_fetched::int, blks_hit::int FROM pg_stat_database WHERE datname = current_database()`)
      yield* Effect.promise(() => sql("SELECT pg_stat_force_next_flush()"))
      yield* Effect.sleep(1500)
      const before = yield* Effect.promise(stat)
      const cpu = process.cpuUsage(); const clock = performance.now()
      const out = yield* run
      const used = process.cpuUsage(cpu); const took = performance.now() - clock
      yield* Effect.sleep(1500)
      const after = yield* Effect.promise(stat)
      console.log(what, "cpu ms", (used.user + used.system) / 1000 | 0, "clock ms", took | 0, "xact,returned,fetched,blks", after[0]?.map((x, i) => Number(x) - Number(before[0]?.[i])).join(","), JSON.stringify(out)?.slice(0, 100))
      return out
    })
    const find = (text: string, more = {}) => Effect.map(search.find({ text, limit: 20, ...more }), ({ hits }) => hits.length)
    yield* Effect.promise(() => sql(`SELECT 1`))
    for (const text of ["message 77", "word4999 cold", "boiler", "kettle"]) {
      // Old: a user who may not extend reads all.
      yield* Effect.promise(() => sql(`UPDATE ${name}.words_reach SET version = 99`))
      yield* measured(`old ${text}`, find(text))
      yield* Effect.promise(() => sql(`UPDATE ${name}.words_reach SET version = 0`))
      if (text === "message 77") yield* measured("build", search.build())
      else yield* Effect.promise(() => sql(`UPDATE ${name}.words_reach SET version = 2`))
      if (text === "message 77") yield* Effect.promise(() => sql(`ANALYZE ${name}.words`))
      yield* measured(`new ${text}`, find(text))
    }
    yield* measured("new best boiler", find("boiler", { order: "best" }))
    for (let i = 0; i < 12; i++) yield* find("boiler")
    yield* measured("new generic boiler", find("boiler"))
    yield* measured("new generic word4999", find("word4999"))
    console.log((yield* Effect.promise(() => sql(`SELECT pg_total_relation_size('${name}.words'), pg_total_relation_size('${name}.events')`)))[0])
  }))), 500_000)
