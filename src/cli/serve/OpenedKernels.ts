/**
 * The kernels of a connection, by number. On each, the client's agent works on one task at a time: the kernel asks, and the
 * client takes the questions one after another.
 */
import { Context, Data, Deferred, Effect, ExecutionStrategy, Exit, Fiber, Layer, Option, Scope } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { DecidingAgent } from "../../kernel/agents/Agent.ts"
import { Kernel } from "../../kernel/Kernel.ts"
import type { Registry } from "../../kernel/registry/Registry.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as WorldToPlay from "../play/WorldToPlay.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"
import * as RunPlugins from "../task/RunPlugins.ts"
import * as Asks from "./Asks.ts"
import * as ClientAgent from "./ClientAgent.ts"

/** Open the kernel first (`kernel.open`). */
export class NoSuchKernel extends Data.TaggedError("NoSuchKernel")<{ readonly kernel: number }> {
  override get message() {
    return `Expected the number of an open kernel, found ${this.kernel}. Open one with kernel.open.`
  }
}

/** A kernel asks one client about one task at a time. Wait for its end, or open another kernel on another log. */
export class KernelBusy extends Data.TaggedError("KernelBusy")<{ readonly kernel: number }> {
  override get message() {
    return `Kernel ${this.kernel}: expected no agent at work, found one. Ask kernel.next until it has ended, or stop it with kernel.stop.`
  }
}

/** Begin something first (`kernel.run`, `kernel.replay`, `kernel.fork`, `kernel.resume`). */
export class NobodyAtWork extends Data.TaggedError("NobodyAtWork")<{ readonly kernel: number }> {
  override get message() {
    return `Kernel ${this.kernel}: expected an agent at work, found none. Begin with kernel.run, kernel.replay, kernel.fork or kernel.resume.`
  }
}

export interface Opening {
  /** Default: as for all commands. */
  readonly log?: string
  readonly gate: "ask" | "allow" | "deny"
  readonly sandbox: "auto" | "namespaces" | "flags"
  readonly trust: boolean
  readonly seed?: number
  readonly workspace?: string
  /** Milliseconds that a person has to answer. */
  readonly confirmWithinMs?: number
  /** Names of worlds, or directories of plugins. */
  readonly worlds: ReadonlyArray<string>
  readonly plugins: ReadonlyArray<string>
  readonly tools: ReadonlyArray<ClientAgent.DeclaredTool>
  readonly sensors: ReadonlyArray<ClientAgent.DeclaredSensor>
}

/** The services that a kernel's own effects need. */
export type Services = Kernel | EventLog | Projector | Registry

/** The kernel's next question, or the end of the work. */
export type Next = { readonly ask: Asks.Ask } | { readonly ended: unknown }

interface AtWork {
  readonly agent: ClientAgent.ClientAgent
  readonly ended: Deferred.Deferred<unknown, unknown>
  readonly fiber: Fiber.RuntimeFiber<unknown, unknown>
}

interface OpenedKernel {
  readonly services: Context.Context<Services>
  readonly scope: Scope.CloseableScope
  /** Ends before the kernel does. */
  readonly works: Scope.Scope
  readonly asks: Asks.Asks
  atWork: AtWork | undefined
}

export interface Opened {
  readonly number: number
  readonly filename: string
  readonly plugins: ReadonlyArray<string>
}

export interface OpenedKernels {
  readonly open: (opening: Opening) => Effect.Effect<Opened, unknown>
  /** Lets an agent of the client work. `kernel.next` asks for it. */
  readonly begin: (
    number: number,
    named: Pick<DecidingAgent, "name" | "version">,
    work: (agent: DecidingAgent) => Effect.Effect<unknown, unknown, Services>,
  ) => Effect.Effect<void, unknown>
  readonly answer: (number: number, ask: number, reply: Asks.Reply) => Effect.Effect<boolean, NoSuchKernel>
  /** Waits for the next question, or for the end of the work. Fails as the work did. */
  readonly next: (number: number) => Effect.Effect<Next, unknown>
  readonly deciding: (number: number) => Effect.Effect<ClientAgent.Deciding, NoSuchKernel | NobodyAtWork>
  /** The open tasks that the kernel does not work on, oldest first. */
  readonly unfinished: (number: number) => Effect.Effect<unknown, unknown>
  /** Interrupts the work: its task closes as `abandoned`. */
  readonly stop: (number: number) => Effect.Effect<void, NoSuchKernel>
  /** Stops the work, and ends the kernel. Nothing happens if it is closed. */
  readonly close: (number: number) => Effect.Effect<void>
}

/** The program's plugin, with the client's tools and sensors. */
const PROGRAM = "program"

export const make: Effect.Effect<OpenedKernels, never, Scope.Scope> = Effect.gen(function* () {
  const session = yield* Effect.scope
  const opened = new Map<number, OpenedKernel>()
  let last = 0

  const open = (opening: Opening) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(session, ExecutionStrategy.sequential)
        const built = yield* restore(Scope.extend(kernelOf(opening), scope)).pipe(
          Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
        )
        const { services, asks, filename, plugins } = built
        const number = ++last
        const works = yield* Scope.fork(scope, ExecutionStrategy.sequential)
        const kernel: OpenedKernel = { services, scope, works, asks, atWork: undefined }
        opened.set(number, kernel)
        // A client that vanishes leaves its task open, and another one can resume it: this precedes the end of the work.
        yield* Scope.addFinalizer(
          scope,
          Effect.suspend(() =>
            kernel.atWork === undefined ? Effect.void : Context.get(services, Kernel).tasks.suspend,
          ),
        )
        return { number, filename, plugins }
      }),
    )

  const find = (number: number): Effect.Effect<OpenedKernel, NoSuchKernel> => {
    const kernel = opened.get(number)
    return kernel === undefined ? new NoSuchKernel({ kernel: number }) : Effect.succeed(kernel)
  }

  const atWorkIn = (number: number) =>
    Effect.flatMap(
      find(number),
      (kernel): Effect.Effect<AtWork, NobodyAtWork> =>
        kernel.atWork === undefined ? new NobodyAtWork({ kernel: number }) : Effect.succeed(kernel.atWork),
    )

  const stopIn = (kernel: OpenedKernel) =>
    Effect.suspend(() => {
      const { atWork } = kernel
      kernel.atWork = undefined
      return atWork === undefined ? Effect.void : Effect.asVoid(Fiber.interrupt(atWork.fiber))
    })

  return {
    open,
    begin: (number, named, work) =>
      Effect.gen(function* () {
        const kernel = yield* find(number)
        if (kernel.atWork !== undefined) return yield* new KernelBusy({ kernel: number })
        const agent = ClientAgent.make(kernel.asks, named)
        const ended = yield* Deferred.make<unknown, unknown>()
        const whole = Effect.intoDeferred(Effect.provide(work(agent.agent), kernel.services), ended)
        const fiber = yield* Effect.forkIn(whole, kernel.works)
        kernel.atWork = { agent, ended, fiber }
      }),
    answer: (number, ask, reply) => Effect.flatMap(find(number), ({ asks }) => asks.answer(ask, reply)),
    next: (number) =>
      Effect.gen(function* () {
        const { asks } = yield* find(number)
        const { ended } = yield* atWorkIn(number)
        const result = Effect.map(Deferred.await(ended), (ended): Next => ({ ended }))
        const asked = Effect.map(asks.next, (ask): Next => ({ ask }))
        const found = yield* Effect.exit(Effect.raceFirst(asked, result))
        const kernel = yield* find(number)
        if (Exit.isFailure(found) ? yield* Deferred.isDone(ended) : "ended" in found.value) kernel.atWork = undefined
        return yield* found
      }),
    deciding: (number) =>
      Effect.flatMap(atWorkIn(number), ({ agent }): Effect.Effect<ClientAgent.Deciding, NobodyAtWork> => {
        const deciding = agent.deciding()
        return deciding === undefined ? new NobodyAtWork({ kernel: number }) : Effect.succeed(deciding)
      }),
    unfinished: (number) =>
      Effect.flatMap(find(number), ({ services }) => Context.get(services, Kernel).tasks.unfinished),
    stop: (number) => Effect.flatMap(find(number), stopIn),
    close: (number) =>
      Effect.suspend(() => {
        const kernel = opened.get(number)
        opened.delete(number)
        return kernel === undefined
          ? Effect.void
          : Effect.zipRight(stopIn(kernel), Scope.close(kernel.scope, Exit.void))
      }),
  }
})

const kernelOf = ({ log, worlds, plugins, tools, sensors, seed, workspace, confirmWithinMs, ...settings }: Opening) =>
  Effect.gen(function* () {
    const asks = yield* Asks.make
    const { open, name: filename } = yield* OpenLog.placeOf(Option.fromNullable(log))
    const layer = yield* AgentAtWork.kernel("serve", open, {
      gate: settings.gate,
      sandbox: settings.sandbox,
      trustLog: settings.trust,
      confirmWithinMs: Option.fromNullable(confirmWithinMs),
      workspace: Option.fromNullable(workspace),
      seed: Option.fromNullable(seed),
      program: {
        tools: ClientAgent.toolsOf(asks, tools),
        sensors: ClientAgent.sensorsOf(asks, sensors),
      },
      json: true,
    })
    const services = yield* Layer.build(layer)
    const found = yield* Effect.gen(function* () {
      const known = yield* Effect.forEach(worlds, (typed) => WorldToPlay.find(typed, true))
      const imported = yield* Effect.forEach(plugins, (directory) => RunPlugins.importPlugin(directory, true))
      return [...known.map(({ plugin }) => plugin), ...imported.map(({ manifest }) => manifest.name)]
    }).pipe(Effect.provide(services))
    const own = tools.length + sensors.length > 0 ? [PROGRAM] : []
    return { services, asks, filename, plugins: [...own, ...found] }
  })
