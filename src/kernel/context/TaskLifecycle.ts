import { Data, Effect, Fiber } from "effect"

/** Open a new task: this one is closed. */
export class TaskClosed extends Data.TaggedError("TaskClosed")<{ readonly taskId: string }> {
  override get message() {
    return `Task ${this.taskId} is closed; nothing more is perceived or done in it. Open a new task.`
  }
}

/** The life of a task: what is done in it is done while it is open, and has ended when it closes. */
export interface TaskLifecycle {
  /** Does something short that belongs to the task, if it is open. */
  readonly whileOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
  /** Does something that belongs to the task and may take long. Closing the task interrupts it, and waits until that is recorded. */
  readonly during: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
  /**
   * Ends what is under way, records the end, and then does what follows from it. Where the end cannot be recorded the task
   * is open again, so that closing it can be tried again.
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

    const whileOpen = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
      Effect.suspend((): Effect.Effect<A, E | TaskClosed> => (open ? effect : refuse))

    const during = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
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
            // Closing the task interrupted it: to the caller that is an answer, not an interruption of its own.
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

    return { whileOpen, during, close }
  })
