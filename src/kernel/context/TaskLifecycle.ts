/** Whether a task is open, and which work in it must be interrupted when it closes. */

import { Data, Effect, Fiber } from "effect"

/** Open a new task: this one is closed. */
export class TaskClosed extends Data.TaggedError("TaskClosed")<{ readonly taskId: string }> {
  override get message() {
    return `Task ${this.taskId} is closed; nothing more is perceived or done in it. Open a new task.`
  }
}

/** The lifecycle of one task. Work in a task starts only while it is open, and has ended when it closes. */
export interface TaskLifecycle {
  /** Runs a short effect if the task is open. */
  readonly ifOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
  /** Runs an effect that may take long. Closing the task interrupts it, and waits until its end is recorded. */
  readonly runUntilClosed: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
  /**
   * Interrupts the work in progress, records the end, and then runs `afterwards`. If the end cannot be recorded, the
   * task is open again, so that the caller can retry.
   */
  readonly close: <A, E, E2>(
    record: Effect.Effect<A, E>,
    afterwards: (recorded: A) => Effect.Effect<void, E2>,
  ) => Effect.Effect<void, E | E2 | TaskClosed>
}

export const make = (taskId: string): Effect.Effect<TaskLifecycle> =>
  Effect.sync(() => {
    const underWay = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
    let open = true
    const refuse = new TaskClosed({ taskId })

    const ifOpen = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
      Effect.suspend((): Effect.Effect<A, E | TaskClosed> => (open ? effect : refuse))

    const runUntilClosed = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
      Effect.suspend(() => {
        if (!open) return Effect.fail(refuse)
        return Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.fork(restore(effect))
            underWay.add(fiber)
            const exit = yield* restore(Fiber.await(fiber)).pipe(
              Effect.onInterrupt(() => Fiber.interrupt(fiber)),
              Effect.ensuring(Effect.sync(() => underWay.delete(fiber))),
            )
            // If closing the task interrupted the effect, the caller gets `TaskClosed`, not an interruption.
            return yield* exit._tag === "Failure" && !open ? refuse : exit
          }),
        )
      })

    const close = <A, E, E2>(
      record: Effect.Effect<A, E>,
      afterwards: (recorded: A) => Effect.Effect<void, E2>,
    ): Effect.Effect<void, E | E2 | TaskClosed> =>
      Effect.suspend((): Effect.Effect<void, E | E2 | TaskClosed> => {
        if (!open) return Effect.fail(refuse)
        open = false
        return Effect.gen(function* () {
          yield* Fiber.interruptAll(underWay)
          const recorded = yield* Effect.tapErrorCause(record, () =>
            Effect.sync(() => {
              open = true
            }),
          )
          yield* afterwards(recorded)
        })
      }).pipe(Effect.uninterruptible)

    return { ifOpen, runUntilClosed, close }
  })
