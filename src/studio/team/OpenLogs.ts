/**
 * The logs of a shared Studio, each open on its own: one that cannot be opened does not stop the others, and is tried
 * again when somebody asks for it.
 */

import { type Context, Data, Effect, ExecutionStrategy, Exit, Fiber, Layer, Scope } from "effect"
import * as ServerUrl from "../../events/log/ServerUrl.ts"
import * as ProgramLog from "../../platform/ProgramLog.ts"
import type { NamedLog } from "./ShareFile.ts"

export interface Openable<Services> {
  readonly named: NamedLog
  /** Opens the log, with or without the keys of its personal data. */
  readonly open: (personal: boolean) => Layer.Layer<Services, unknown>
}

/** The log could not be opened. Only the program's log says why: the reason may name files of the server. */
export class LogNotOpen extends Data.TaggedError("LogNotOpen")<{ readonly log: string }> {
  override get message() {
    return `Log ${this.log}: expected a log that can be opened, found that it cannot be now. The terminal of whoever runs Studio says why. Studio tries again in ${RETRY_MS / 1000} s.`
  }
}

export interface OpenLog<Services> {
  readonly named: NamedLog
  readonly services: (personal: boolean) => Effect.Effect<Context.Context<Services>, LogNotOpen>
  /** Whether the last attempt to open it succeeded. */
  readonly isOpen: () => boolean
}

/** Time after which a log that could not be opened is tried again. */
const RETRY_MS = 10_000

/** Opens the logs when they are first needed, until the scope closes. */
export const make = <Services>(
  logs: ReadonlyArray<Openable<Services>>,
): Effect.Effect<ReadonlyMap<string, OpenLog<Services>>, never, Scope.Scope> =>
  Effect.map(
    Effect.forEach(logs, (log) => Effect.map(one(log), (opened) => [log.named.id, opened] as const)),
    (opened) => new Map(opened),
  )

/** A log with or without the keys of its personal data. */
interface Variant<Services> {
  /** The attempt to open it that runs or succeeded; undefined before the first one and after a failure. */
  opening: Fiber.Fiber<Context.Context<Services>, LogNotOpen> | undefined
  failedAt: number | undefined
}

const one = <Services>({ named, open }: Openable<Services>) =>
  Effect.gen(function* () {
    const outer = yield* Effect.scope
    const turns = yield* Effect.makeSemaphore(1)
    const variants = new Map<boolean, Variant<Services>>()
    const notOpen = new LogNotOpen({ log: named.id })

    const attempt = (variant: Variant<Services>, personal: boolean) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(outer, ExecutionStrategy.sequential)
        const built = yield* Effect.exit(Layer.buildWithScope(open(personal), scope))
        if (Exit.isSuccess(built)) {
          variant.failedAt = undefined
          return built.value
        }
        yield* Scope.close(scope, built)
        variant.opening = undefined
        variant.failedAt = performance.now()
        yield* ProgramLog.warning(
          `the log ${named.id} (${ServerUrl.nameOf(named.file)}) could not be opened`,
          built.cause,
        )
        return yield* notOpen
      })

    const opening = (variant: Variant<Services>, personal: boolean) =>
      Effect.gen(function* () {
        if (variant.opening !== undefined) return variant.opening
        if (variant.failedAt !== undefined && performance.now() - variant.failedAt < RETRY_MS) return yield* notOpen
        // Not in the fiber of the request: a person who goes away must not leave a log half open.
        variant.opening = yield* Effect.forkIn(attempt(variant, personal), outer)
        return variant.opening
      })

    const services = (personal: boolean) =>
      Effect.suspend(() => {
        const variant = variants.get(personal) ?? { opening: undefined, failedAt: undefined }
        variants.set(personal, variant)
        return Effect.flatMap(turns.withPermits(1)(opening(variant, personal)), Fiber.join)
      })
    return {
      named,
      services,
      isOpen: () => ![...variants.values()].some(({ failedAt }) => failedAt !== undefined),
    } satisfies OpenLog<Services>
  })
