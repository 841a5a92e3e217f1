import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import * as Agent from "../../../src/agents/Agent.ts"
import * as Conversation from "../../../src/agents/Conversation.ts"
import { EventLog } from "../../../src/events/log/EventLog.ts"
import { Kernel } from "../../../src/kernel/Kernel.ts"
import { eventsOf, text, typesOf } from "../../agents/given.ts"
import { temporaryDirectory } from "../../temporary.ts"
import { about, seen } from "../given.ts"
import { testKernel } from "../testKernel.ts"
import { answering, flawIn } from "./given.ts"

const TASK = "talk"

const TURNS = [[text("Who are you?")], [text("Hello Ada.")], [text("Bye.")]]

const talking = (model: ReturnType<typeof answering>["model"]) =>
  Agent.fromModel({ name: "host", model, conversation: true })

const say = (content: string) =>
  Effect.flatMap(EventLog, (log) =>
    log.append({
      stream: `task/${TASK}`,
      taskId: TASK,
      actor: "human:ada",
      events: [{ type: "InputReceived", payload: { source: "test", content } }],
    }),
  )

const kernelOn = (directory: string) =>
  Effect.flatMap(testKernel({ directory, onOpenTasks: "resume" }), ({ start }) => start)

describe("a conversation whose kernel ended", () => {
  for (const [when, type, count] of [
    ["while the agent waited, and something was said when none ran", "DecisionMade", 1],
    ["right after something was delivered", "InputDelivered", 1],
    ["after the answer to it", "ModelResponded", 2],
  ] as const) {
    it.scopedLive(`${when}: it is heard once, and the conversation goes on`, () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const { model, requests } = answering(TURNS)
        yield* Effect.gen(function* () {
          const { run } = yield* kernelOn(directory)
          const working = run(
            Effect.flatMap(Kernel, ({ tasks }) => tasks.run(talking(model), { id: TASK, goal: "Hi" })),
          )
          yield* Effect.forkDaemon(Effect.exit(working))
          yield* run(seen(about("DecisionMade")))
          if (type !== "DecisionMade") yield* run(say("I am Ada"))
          yield* run(seen(about(type), count))
        }).pipe(Effect.scoped)
        const { layerLog } = yield* testKernel({ directory })
        if (type === "DecisionMade") yield* Effect.provide(say("I am Ada"), layerLog)
        yield* Effect.gen(function* () {
          const { run } = yield* kernelOn(directory)
          const working = run(Effect.flatMap(Kernel, ({ tasks }) => tasks.resume(TASK, talking(model))))
          yield* Effect.forkDaemon(Effect.exit(working))
          yield* run(seen(about("MessageSent"), 2))
          yield* run(say("Bye then"))
          yield* run(seen(about("MessageSent"), 3))
          const events = yield* run(eventsOf(TASK))
          const types = typesOf(events)
          expect(types.filter((one) => one === "InputDelivered")).toHaveLength(2)
          expect(types.filter((one) => one === "ModelResponded")).toHaveLength(3)
          const said = JSON.stringify(Conversation.of(events).messages)
          expect(said.split("I am Ada")).toHaveLength(2)
          for (const { messages } of requests) expect(flawIn(messages)).toBeUndefined()
          expect(requests.at(-1)?.messages).toHaveLength(5)
          const replayed = yield* run(Effect.flatMap(Kernel, (kernel) => kernel.replay(TASK, talking(model))))
          expect(replayed).toMatchObject({ verdict: "identical" })
        }).pipe(Effect.scoped)
      }),
    )
  }
})
