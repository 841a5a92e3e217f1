/** Opens, pauses, suspends and closes a task, and interrupts its work when it closes. */

import { Data, Deferred, Effect, Fiber } from "effect"
import type { Event } from "../../events/vocabulary/Event.ts"
import { is, type PayloadOf } from "../../events/vocabulary/Vocabulary.ts"
import { plainText } from "../../values/Json.ts"
import { quoteWord } from "../../values/ShellWord.ts"

/** The task is closed or was suspended. Open a new one. */
export class TaskClosed extends Data.TaggedError("TaskClosed")<{
  readonly taskId: string
  /** Set if something other than its agent ended the work. A suspended task is still open in the log. */
  readonly because?: "suspended" | "cancelled"
}> {
  override get message() {
    if (this.because === "suspended") {
      return `Task ${this.taskId} was suspended: it is still open in the log, but this kernel no longer works on it. Resume it (\`tasks.resume\`, \`hindcast resume ${quoteWord(this.taskId)}\`).`
    }
    if (this.because === "cancelled")
      return `Task ${this.taskId} was cancelled: it accepts no further readings and commands.`
    return `Task ${this.taskId} is closed: it accepts no further readings and commands. Open a new task.`
  }
}

/** Work in a task starts only while it is open, and has ended when it closes. */
export interface TaskLifecycle {
  readonly ifOpen: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E | TaskClosed>
  /**
   * Runs an effect that may take long. It starts after a pause. Closing the task interrupts it and waits until its end
   * is recorded.
   *
   * @param isWork whether `drain` waits for it. Default: true
   */
  readonly runUntilClosed: <A, E>(effect: Effect.Effect<A, E>, isWork?: boolean) => Effect.Effect<A, E | TaskClosed>
  /**
   * Interrupts the work in progress, records the end, and then runs `afterwards`. If the end cannot be recorded, the
   * task is open again.
   */
  readonly close: <A, E, E2>(
    record: Effect.Effect<A, E>,
    afterwards: (recorded: A) => Effect.Effect<void, E2>,
  ) => Effect.Effect<void, E | E2 | TaskClosed>
  /**
   * Runs `before`, interrupts the work in progress, and releases the task's resources without an end in the log. Has no
   * effect on a task that is not open.
   */
  readonly suspend: (before: Effect.Effect<void>, release: Effect.Effect<void>) => Effect.Effect<void>
  /** Begins nothing new in the task from now on, and waits for the work in progress. */
  readonly drain: Effect.Effect<void>
  /** Fails after a suspension or `stop`. It ends an agent that thinks without calling the task. */
  readonly stopped: Effect.Effect<never, TaskClosed>
  readonly stop: Effect.Effect<void>
  readonly continued: Effect.Effect<void>
  readonly isPaused: () => boolean
  /** Whether new work would wait now. */
  readonly isHalted: () => boolean
  readonly noticed: (events: ReadonlyArray<Event>) => void
  /** Calls a function at a cancellation, or at once after one. */
  readonly whenCancelled: (cancel: (request: CancelRequest) => void) => void
}

export type CancelRequest = PayloadOf<"TaskCancelled">

export const cancelledReason = (by: string, reason?: string): string =>
  plainText(`${by} cancelled it${reason === undefined ? "" : `: ${reason}`}`)

/** @param beforeWait runs before new work waits for the end of a pause. Default: nothing */
export const make = (taskId: string, beforeWait: Effect.Effect<void> = Effect.void): Effect.Effect<TaskLifecycle> =>
  Effect.gen(function* () {
    const stopped = yield* Deferred.make<never, TaskClosed>()
    const underWay = new Set<Fiber.RuntimeFiber<unknown, unknown>>()
    let open = true
    let refuse = new TaskClosed({ taskId })
    const unpaused = Effect.unsafeMakeLatch(true)
    let paused = false
    let latest = 0
    let cancelled: CancelRequest | undefined
    let onCancel: ((request: CancelRequest) => void) | undefined
    let isDraining = false
    let working = 0
    const idle = Effect.unsafeMakeLatch(true)

    const ifOpen = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E | TaskClosed> =>
      Effect.suspend((): Effect.Effect<A, E | TaskClosed> => (open ? effect : refuse))

    /** Suspends a new piece of work while the task is paused, and for good while it drains. */
    const begun = <A, E>(effect: Effect.Effect<A, E>, isWork: boolean): Effect.Effect<A, E> => {
      const afterPause = <A, E>(effect: Effect.Effect<A, E>) =>
        paused ? Effect.zipRight(Effect.zipRight(beforeWait, unpaused.await), effect) : effect
      if (!isWork) return afterPause(effect)
      const counted = Effect.suspend(() => {
        if (isDraining) return Effect.zipRight(beforeWait, Effect.never)
        working += 1
        idle.unsafeClose()
        return Effect.ensuring(effect, ended)
      })
      return afterPause(counted)
    }

    const ended = Effect.sync(() => {
      working -= 1
      if (working === 0) idle.unsafeOpen()
    })

    const runUntilClosed = <A, E>(effect: Effect.Effect<A, E>, isWork = true): Effect.Effect<A, E | TaskClosed> =>
      Effect.suspend(() => {
        if (!open) return Effect.fail(refuse)
        return Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.fork(restore(begun(effect, isWork))), (fiber) => {
            underWay.add(fiber)
            fiber.addObserver(() => underWay.delete(fiber))
            return Effect.onInterrupt(restore(endOf(fiber)), () => Fiber.interrupt(fiber))
          }),
        )
      })

    const endOf = <A, E>(fiber: Fiber.RuntimeFiber<A, E>): Effect.Effect<A, E | TaskClosed> =>
      Effect.async((resume) => {
        // If closing the task interrupted the effect, the caller gets `TaskClosed`, not an interruption.
        fiber.addObserver((exit) => resume(exit._tag === "Failure" && !open ? refuse : exit))
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

    const stop = Effect.suspend(() => Effect.asVoid(Deferred.fail(stopped, refuse)))

    const suspend: TaskLifecycle["suspend"] = (before, release) =>
      Effect.suspend(() => {
        if (!open) return Effect.void
        open = false
        refuse = new TaskClosed({ taskId, because: "suspended" })
        return before.pipe(
          Effect.zipRight(Fiber.interruptAll(underWay)),
          Effect.zipRight(release),
          Effect.zipRight(stop),
        )
      }).pipe(Effect.uninterruptible)

    const pause = (isPaused: boolean) => {
      paused = isPaused
      if (isPaused) unpaused.unsafeClose()
      else unpaused.unsafeOpen()
    }

    return {
      ifOpen,
      runUntilClosed,
      close,
      suspend,
      drain: Effect.suspend(() => {
        isDraining = true
        return idle.await
      }),
      stop,
      stopped: Deferred.await(stopped),
      continued: unpaused.await,
      isPaused: () => paused,
      isHalted: () => !open || paused || isDraining,
      noticed: (events) => {
        for (const event of events) {
          // An append that met many events may report some of them twice and miss the last ones.
          if (event.position <= latest) continue
          latest = event.position
          if (is(event, "TaskPaused")) pause(true)
          else if (is(event, "TaskContinued")) pause(false)
          else if (is(event, "TaskCancelled")) {
            if (cancelled === undefined) onCancel?.(event.payload)
            cancelled ??= event.payload
            refuse = new TaskClosed({ taskId, because: "cancelled" })
          }
        }
      },
      whenCancelled: (cancel) => {
        onCancel = cancel
        if (cancelled !== undefined) cancel(cancelled)
      },
    }
  })
