import { it } from "@effect/vitest"
import { Effect } from "effect"
import { describe, expect } from "vitest"
import { Any, EventLog } from "../../../src/events/log/EventLog.ts"
import * as MemoryEventLog from "../../../src/events/memory/MemoryEventLog.ts"
import * as ObservedCommand from "../../../src/kernel/acting/command/ObservedCommand.ts"
import { leftIn } from "../../../src/kernel/acting/LeftCommand.ts"
import * as LeftCommands from "../../../src/kernel/acting/LeftCommands.ts"
import * as Closing from "../../../src/kernel/recovery/Closing.ts"

const taskId = "observed"
const opened = { type: "TaskOpened", payload: { goal: "go", agent: "a@1", measures: [] } } as const
const call = { commandId: "c", actuator: "program/pay", args: { euros: 5 }, callId: "call-1" }
const observed = [ObservedCommand.requested(call), ...ObservedCommand.passed("c", "observed")] as const
const { observed: _, ...asked } = ObservedCommand.requested(call).payload
const own = [{ type: "ActuatorCommanded", payload: asked }, ...ObservedCommand.passed("c", "observed")] as const

const left = (events: typeof observed | typeof own) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const appended = yield* log.append({
      stream: `task/${taskId}`,
      taskId,
      actor: "agent:a",
      expected: Any,
      events: [opened, ...events],
    })
    return leftIn(appended.events, () => undefined)
  })

const requested = { actuator: "program/pay", args: { euros: 5 }, callId: "call-1" }

describe("a command that a program carried out itself, and that has no outcome", () => {
  it.effect("is never taken for one that an agent requests, though a kernel's own is", () =>
    Effect.gen(function* () {
      const commands = yield* left(own)
      expect(LeftCommands.make({ commands, by: "resume" }).take(requested)).toEqual(commands[0])
    }).pipe(Effect.provide(MemoryEventLog.layer())),
  )

  it.effect("ends as unknown where its task is closed, because its program may have carried it out", () =>
    Effect.gen(function* () {
      const commands = yield* left(observed)
      expect(commands).toHaveLength(1)
      expect(LeftCommands.make({ commands, by: "resume" }).take(requested)).toBeUndefined()
      yield* Closing.closeTask(taskId, () => Effect.void)
      const events = yield* (yield* EventLog).readPage({ taskId }, 100)
      expect(events.slice(-2).map(({ type, payload }) => [type, payload.commandId])).toEqual([
        ["CommandOutcomeUnknown", "c"],
        ["TaskClosed", undefined],
      ])
    }).pipe(Effect.provide(MemoryEventLog.layer())),
  )
})
