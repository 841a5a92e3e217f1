/** Serves listeners, with promises. */

import { Effect, ExecutionStrategy, Exit, Scope } from "effect"
import { EventLog } from "../events/log/EventLog.ts"
import { Kernel } from "../kernel/Kernel.ts"
import type * as Rules from "../listeners/Rule.ts"
import * as Serve from "../listeners/Serve.ts"
import { type Agent, adapted } from "./Agent.ts"
import type { CallOptions, Calls } from "./Calls.ts"
import { promised } from "./Promised.ts"

/** Which agent works on which signal. See `Listener.Rule` of `hindcast`. */
export interface ListenRule extends Omit<Rules.Rule, "agent"> {
  readonly agent: Agent
}

/** Options of `listen`. */
export interface ListenOptions extends Omit<Serve.ServeOptions, "rules">, CallOptions {
  /** The first rule that wants a signal gets it. Without one, the signal is ignored. */
  readonly rules: ReadonlyArray<ListenRule>
}

/** Listeners at work. */
export interface Listening {
  /** The URLs of the listeners that have one, by name. */
  readonly urls: { readonly [listener: string]: string }
  /**
   * Resolves when every listener has ended by itself, as at the end of the standard input, and the tasks of all signals
   * are done. Rejects if the serving broke.
   */
  readonly ended: () => Promise<void>
  /** Stops the listeners. Tasks at work go on. */
  readonly close: () => Promise<void>
}

export const listenersOf = (
  { log, kernel }: { readonly log: EventLog.Service; readonly kernel: Kernel.Service },
  calls: Calls,
) =>
  promised(
    {
      listen: (options: Omit<ListenOptions, "signal">) =>
        Effect.gen(function* () {
          const scope = yield* Scope.fork(calls.scope, ExecutionStrategy.sequential)
          const serving = Serve.serve({ ...options, rules: adaptedRules(options, calls) }).pipe(
            Effect.provideService(EventLog, log),
            Effect.provideService(Kernel, kernel),
          )
          const { urls, ended } = yield* Scope.extend(serving, scope).pipe(
            Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
          )
          return { urls, ended: () => calls.run(ended), close: () => calls.run(Scope.close(scope, Exit.void)) }
        }),
    },
    calls,
  )

/** A JavaScript program may pass anything; `serve` reports what is wrong. */
const adaptedRules = ({ rules }: Pick<ListenOptions, "rules">, calls: Calls): Serve.ServeOptions["rules"] =>
  Array.isArray(rules)
    ? rules.map((rule: ListenRule) =>
        typeof rule === "object" && rule !== null ? { ...rule, agent: adapted(rule.agent, calls) } : rule,
      )
    : (rules as never)
