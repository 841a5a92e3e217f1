import { Effect } from "effect"
import { expect, it } from "vitest"
import { readiness } from "../../src/cli/queue/RunnerCommands.ts"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Lease } from "../../src/events/log/Lease.ts"
import * as Hindcast from "../../src/kernel/Hindcast.ts"
import * as Registration from "../../src/kernel/queue/Registration.ts"
import { TaskQueue } from "../../src/kernel/queue/TaskQueue.ts"
import { temporaryDirectory } from "../temporary.ts"

it("a runner is ready while its session lives, and neither its program nor the log asks it to drain", () =>
  Effect.gen(function* () {
    const workspace = yield* temporaryDirectory
    yield* Effect.gen(function* () {
      const queue = yield* TaskQueue
      const ready = (isDraining = false) => Effect.either(readiness("one", () => isDraining))
      const refused = (reason: string) => ({ _tag: "Left", left: { reason } })
      expect(yield* ready()).toMatchObject(refused("the runner has no session that lives"))
      const { identity } = yield* (yield* Lease).acquire("one")
      const runner = { name: "one", slots: 1, labels: [], poisonAfter: 3, agents: ["desk"] }
      yield* Registration.register(yield* EventLog, runner, identity)
      expect(yield* ready()).toMatchObject({ _tag: "Right" })
      expect(yield* ready(true)).toMatchObject(refused("the runner is draining"))
      yield* queue.drain("one", { by: "ada" })
      expect(yield* ready()).toMatchObject(refused("the runner is draining"))
    }).pipe(Effect.provide(Hindcast.layerLog({ log: `${workspace}/log.db`, workspace })))
  }).pipe(Effect.scoped, Effect.runPromise))
