/** Serves listeners: brings their signals in, opens a task for each by the rules, and resumes open tasks. */

import { Deferred, Effect, Either, Fiber, Schema, type Scope } from "effect"
import { type AppendError, EventLog, type LogError } from "../events/log/EventLog.ts"
import type { NoSuchListener } from "../kernel/instances/PluginListeners.ts"
import { Kernel } from "../kernel/Kernel.ts"
import type { NotInRegistry } from "../kernel/registry/Registry.ts"
import { LOOPBACK } from "../platform/loopback/Listening.ts"
import type { PortUnavailable } from "../platform/loopback/PortUnavailable.ts"
import * as Options from "../values/Options.ts"
import * as Dispatcher from "./Dispatcher.ts"
import * as HttpHost from "./http/HttpHost.ts"
import * as Inbox from "./Inbox.ts"
import { Listener } from "./Listener.ts"
import * as PluginListener from "./PluginListener.ts"
import * as Progress from "./Progress.ts"
import * as Rules from "./Rule.ts"
import * as Supervised from "./Supervised.ts"

/** Options of `serve`. */
export interface ServeOptions {
  /** Listeners of the program, or names of plugins' listeners, as `plugin/listener`. */
  readonly listeners: ReadonlyArray<Listener | string>
  /** Which agent works on which signal: the first rule that wants a signal gets it. Without one, the signal is ignored. */
  readonly rules: ReadonlyArray<Rules.Rule>
  /** The port for webhooks and WebSockets. Default: a free one. */
  readonly port?: number
  /** The address to listen on. On another one than the loopback, each webhook needs a signature. Default: 127.0.0.1. */
  readonly host?: string
  /** The number of tasks at work at the same time. Further signals wait. Default: 8. */
  readonly maxTasks?: number
  /** The number of signals that may wait for their tasks. Then webhooks answer 503, and other listeners wait. Default: 1,000. */
  readonly maxWaiting?: number
}

/** The name in the log. */
const nameOf = (listener: Listener | string): string =>
  typeof listener === "string" ? listener.replace("/", "-").toLowerCase() : listener.name

/** Schema of `ServeOptions`. */
export const ServeOptions: Schema.Schema<ServeOptions> = Options.of<ServeOptions>({
  required: {
    listeners: Schema.Array(
      Schema.Union(
        Listener,
        Schema.String.pipe(
          Schema.pattern(PluginListener.NAME),
          Schema.annotations({ description: "the name of a plugin's listener, as plugin/listener" }),
        ),
      ),
    ).pipe(
      Schema.filter((all) => all.length > 0 && new Set(all.map(nameOf)).size === all.length, {
        description: "one or more listeners with different names",
      }),
    ),
    rules: Schema.Array(Rules.Rule),
  },
  optional: {
    port: Options.wholeNumber(0, 65_535),
    host: Options.Name,
    maxTasks: Options.wholeNumber(1, 100_000),
    maxWaiting: Options.wholeNumber(1, 10_000_000),
  },
})

/** Listeners at work. */
export interface Serving {
  /** The URLs of the listeners that have one, by name. */
  readonly urls: { readonly [listener: string]: string }
  /**
   * Ends when every listener has ended by itself, as at the end of the standard input, and the tasks of all signals are
   * done. Fails if the serving broke.
   */
  readonly ended: Effect.Effect<void, AppendError | LogError>
}

/**
 * Starts the listeners, resumes the open tasks of the rules' agents, and opens a task for each signal until the scope
 * closes. Succeeds when each listener has started, or has failed once: a failed one starts again after a back-off.
 *
 * Needs a kernel with `onOpenTasks: "resume"`, because a task must survive the process that acknowledged its signal. The
 * tasks belong to the kernel and go on when the scope closes.
 */
export const serve = (
  input: ServeOptions,
): Effect.Effect<
  Serving,
  Options.InvalidOptions | PortUnavailable | NotInRegistry | NoSuchListener | AppendError | LogError,
  Kernel | EventLog | Scope.Scope
> =>
  Effect.gen(function* () {
    const options = yield* Options.decode("Listener.serve", ServeOptions, input)
    const { port = 0, host: address = LOOPBACK, maxTasks = 8, maxWaiting = 1_000 } = options
    const kernel = yield* Kernel
    const log = yield* EventLog
    const rules = yield* Either.mapLeft(Rules.compile(options.rules), invalid)
    yield* Either.mapLeft(checked(options, kernel), invalid)
    const listeners = yield* Effect.forEach(options.listeners, (listener) =>
      typeof listener === "string" ? PluginListener.named(kernel, listener) : Effect.succeed(listener),
    )
    const host = yield* HttpHost.make({ port, host: address })
    // A port that is taken is a mistake of the caller, not of a listener.
    if (listeners.some(({ usesPort }) => usesPort === true)) yield* host.open
    const inbox = Inbox.make(log, maxWaiting)
    const names = new Set(listeners.map(({ name }) => name))
    const progress = Progress.make()
    const { position: before } = yield* log.head
    const dispatching = yield* Effect.forkScoped(
      Dispatcher.run({ log, kernel, inbox, listeners: names, rules, maxTasks, progress }),
    )
    const urls: Record<string, string> = {}
    const supervising = { log, inbox, host, restarts: Supervised.restarts }
    const running = yield* Effect.forEach(listeners, (listener) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<string | undefined, AppendError>()
        const fiber = yield* Effect.forkScoped(
          Supervised.run(supervising, listener, (url) => Deferred.unsafeDone(begun, Effect.succeed(url))).pipe(
            Effect.tapErrorCause((cause) => Deferred.failCause(begun, cause)),
          ),
        )
        const url = yield* Deferred.await(begun)
        if (url !== undefined) urls[listener.name] = url
        return fiber
      }),
    )
    const over = Effect.zipRight(
      Fiber.joinAll(running),
      Effect.suspend(() => progress.idle(Math.max(before, inbox.last()))),
    )
    return { urls, ended: Effect.raceFirst(over, Fiber.join(dispatching)) }
  })

const invalid = (problems: ReadonlyArray<Options.Problem>) =>
  new Options.InvalidOptions({ of: "Listener.serve", problems })

/** What only the options and the kernel together tell. */
const checked = (
  { listeners, rules }: ServeOptions,
  { tasks }: Kernel.Service,
): Either.Either<void, ReadonlyArray<Options.Problem>> => {
  const names = listeners.map(nameOf)
  const named = rules.flatMap(({ listener }, index) =>
    listener === undefined ? [] : [{ name: listener, keys: ["rules", index, "listener"] }],
  )
  const problems = [
    ...Options.unknownNames("listener", names, named),
    ...(tasks.keptOpen
      ? []
      : [
          {
            path: "the kernel's onOpenTasks",
            expected: '"resume", so that tasks survive the process',
            found: '"abandon"',
          },
        ]),
  ]
  return problems.length > 0 ? Either.left(problems) : Either.right(undefined)
}
