/**
 * The worlds and vectors of worlds that a connection has opened, by number. Those on the same log share one kernel, which
 * holds the log's lease from the first of them to the last.
 */
import { type Context, Data, Effect, ExecutionStrategy, Exit, Layer, Option, Scope } from "effect"
import type { EventLog } from "../../events/log/EventLog.ts"
import type { Autoreset } from "../../events/vocabulary/Worlds.ts"
import type { Kernel } from "../../kernel/Kernel.ts"
import type { Registry } from "../../kernel/registry/Registry.ts"
import type { Projector } from "../../projections/projector/Projector.ts"
import { defined } from "../../values/defined.ts"
import type { JsonObject } from "../../values/Json.ts"
import { type AECEnv, aec } from "../../worlds/adapters/AgentCycle.ts"
import * as PluginWorld from "../../worlds/handle/PluginWorld.ts"
import type { World } from "../../worlds/handle/World.ts"
import * as VectorWorld from "../../worlds/rollout/VectorWorld.ts"
import * as OpenLog from "../command/OpenLog.ts"
import * as WorldToPlay from "../play/WorldToPlay.ts"
import * as AgentAtWork from "../task/AgentAtWork.ts"

/** Make the world first (`world.make`). */
export class NoSuchWorld extends Data.TaggedError("NoSuchWorld")<{ readonly world: number }> {
  override get message() {
    return `Expected the number of an open world, found ${this.world}, which was closed or never made. Make one with world.make.`
  }
}

/** Make the vector first (`vector.make`). */
export class NoSuchVector extends Data.TaggedError("NoSuchVector")<{ readonly vector: number }> {
  override get message() {
    return `Expected the number of an open vector, found ${this.vector}, which was closed or never made. Make one with vector.make.`
  }
}

/** Close worlds that nobody acts in. */
export class TooManyWorlds extends Data.TaggedError("TooManyWorlds")<{ readonly open: number }> {
  override get message() {
    return `Expected at most ${MAX_WORLDS} open worlds, found ${this.open}. Close some (world.close).`
  }
}

/** The log is open with other settings. Close its worlds, or name the same settings. */
export class OtherSettings extends Data.TaggedError("OtherSettings")<{
  readonly log: string
  readonly found: string
  readonly expected: string
}> {
  override get message() {
    return `${this.log}: expected the settings of its open worlds (${this.expected}), found ${this.found}. Worlds on one log share a kernel: close the others first, or use another log.`
  }
}

/** Maximum number of open worlds of one connection. */
const MAX_WORLDS = 1024

/** Where a world records its episodes, and how it is confined. */
export interface Settings {
  readonly gate: "ask" | "allow" | "deny"
  readonly sandbox: "auto" | "namespaces" | "flags"
  /** Trust a log that this user did not write on this machine. */
  readonly trust: boolean
}

export interface Making extends Settings {
  /** An imported plugin, a plugin's directory, or a world that comes with Hindcast. */
  readonly world: string
  /** Default: as for all commands. */
  readonly log?: string
  readonly goal?: string
  /** The names of those who take part. Default: one agent. */
  readonly agents?: ReadonlyArray<string>
  readonly options?: JsonObject
}

export interface OpenedWorld {
  readonly world: World
  /** The same world, in which agents act one after another. */
  readonly cycle: AECEnv
  readonly filename: string
  readonly services: Context.Context<Services>
}

export interface MakingVector extends Settings {
  readonly world: string
  /** Default: as for all commands. */
  readonly log?: string
  readonly count: number
  readonly autoreset?: Autoreset
  readonly options?: JsonObject
  readonly policy?: string
}

export interface OpenedVector {
  readonly vector: VectorWorld.VectorWorld
  /** The world's plugin. */
  readonly plugin: string
  readonly filename: string
}

type Services = Kernel | Projector | EventLog | Registry

/** The open worlds of a connection. */
export interface OpenedWorlds {
  readonly open: (making: Making) => Effect.Effect<OpenedWorld & { readonly number: number }, unknown>
  readonly find: (number: number) => Effect.Effect<OpenedWorld, NoSuchWorld>
  /** Ends a world's episode, and the kernel after the last world of its log. Nothing happens if it is closed. */
  readonly close: (number: number) => Effect.Effect<void>
  readonly openVector: (making: MakingVector) => Effect.Effect<OpenedVector & { readonly number: number }, unknown>
  readonly findVector: (number: number) => Effect.Effect<OpenedVector, NoSuchVector>
  /** Ends a vector's episodes, and the kernel after the last world of its log. Nothing happens if it is closed. */
  readonly closeVector: (number: number) => Effect.Effect<void>
}

/** Makes a part of an uninterruptible effect interruptible. */
type Restore = <A, E, R>(part: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** A kernel, and the worlds that use it. */
interface SharedKernel {
  readonly services: Context.Context<Services>
  readonly scope: Scope.CloseableScope
  readonly settings: string
  readonly users: Set<symbol>
}

export const make: Effect.Effect<OpenedWorlds, never, Scope.Scope> = Effect.gen(function* () {
  const session = yield* Effect.scope
  const kernels = new Map<string, SharedKernel>()
  const opened = new Map<number, OpenedWorld & { readonly end: Effect.Effect<void> }>()
  const vectors = new Map<number, OpenedVector & { readonly end: Effect.Effect<void> }>()
  // One opening or closing at a time: a kernel that closes still holds the lease.
  const alone = Effect.unsafeMakeSemaphore(1).withPermits(1)
  let last = 0

  const kernelOn = (filename: string, { gate, sandbox, trust }: Settings, restore: Restore) =>
    Effect.gen(function* () {
      const settings = `gate ${gate}, sandbox ${sandbox}${trust ? ", trusted" : ""}`
      const known = kernels.get(filename)
      if (known?.settings === settings) return known
      if (known !== undefined) {
        return yield* new OtherSettings({ log: filename, expected: known.settings, found: settings })
      }
      const scope = yield* Scope.fork(session, ExecutionStrategy.sequential)
      const services = yield* AgentAtWork.kernel("serve", filename, {
        gate,
        sandbox,
        confirmWithinMs: Option.none(),
        workspace: Option.none(),
        trustLog: trust,
        json: true,
      }).pipe(
        Effect.flatMap((layer) => Layer.buildWithScope(layer, scope)),
        restore,
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause))),
      )
      const kernel: SharedKernel = { services, scope, settings, users: new Set() }
      kernels.set(filename, kernel)
      return kernel
    })

  const leave = (filename: string, kernel: SharedKernel, user: symbol) =>
    Effect.suspend(() => {
      kernel.users.delete(user)
      if (kernel.users.size > 0) return Effect.void
      kernels.delete(filename)
      return Scope.close(kernel.scope, Exit.void)
    })

  /** Opens something of a world on the kernel of its log. `end` closes it, and the kernel after the last of its users. */
  const opening = <A>(
    { world: typed, log, ...settings }: Settings & Pick<Making, "world" | "log">,
    restore: Restore,
    build: (plugin: string) => Effect.Effect<A, unknown, Services | Scope.Scope>,
  ) =>
    Effect.gen(function* () {
      const open = opened.size + vectors.size
      if (open >= MAX_WORLDS) return yield* new TooManyWorlds({ open })
      const { open: place, name: filename } = yield* OpenLog.placeOf(Option.fromNullable(log))
      const kernel = yield* kernelOn(place, settings, restore)
      const user = Symbol(typed)
      kernel.users.add(user)
      const scope = yield* Scope.fork(kernel.scope, ExecutionStrategy.sequential)
      const end = Effect.zipRight(Scope.close(scope, Exit.void), leave(place, kernel, user))
      const built = yield* Effect.flatMap(WorldToPlay.find(typed, true), ({ plugin }) => build(plugin)).pipe(
        Scope.extend(scope),
        Effect.provide(kernel.services),
        restore,
        Effect.onError(() => end),
      )
      return { built, end, filename, services: kernel.services }
    })

  const open = ({ goal, agents, options, ...making }: Making, restore: Restore) =>
    Effect.gen(function* () {
      const { built, end, filename, services } = yield* opening(making, restore, (world) =>
        PluginWorld.open({ world, ...defined({ goal, agents, options }) }),
      )
      const number = ++last
      const one = { world: built, cycle: aec(built), filename, services }
      opened.set(number, { ...one, end })
      return { ...one, number }
    })

  const openVector = ({ count, autoreset, options, policy, ...making }: MakingVector, restore: Restore) =>
    Effect.gen(function* () {
      const { built, end, filename } = yield* opening(making, restore, (plugin) =>
        Effect.map(
          VectorWorld.open({ world: plugin, count, ...defined({ autoreset, options, policy }) }),
          (vector) => ({
            vector,
            plugin,
          }),
        ),
      )
      const number = ++last
      vectors.set(number, { ...built, filename, end })
      return { ...built, filename, number }
    })

  const closeIn = (open: Map<number, { readonly end: Effect.Effect<void> }>, number: number) =>
    alone(
      Effect.suspend(() => {
        const found = open.get(number)
        open.delete(number)
        return found?.end ?? Effect.void
      }),
    )

  return {
    // Only the steps in between cannot be interrupted: the fibers of a kernel must be, for it to close.
    open: (making) => alone(Effect.uninterruptibleMask((restore) => open(making, restore))),
    find: (number) => {
      const found = opened.get(number)
      return found === undefined ? new NoSuchWorld({ world: number }) : Effect.succeed(found)
    },
    close: (number) => closeIn(opened, number),
    openVector: (making) => alone(Effect.uninterruptibleMask((restore) => openVector(making, restore))),
    findVector: (number) => {
      const found = vectors.get(number)
      return found === undefined ? new NoSuchVector({ vector: number }) : Effect.succeed(found)
    },
    closeVector: (number) => closeIn(vectors, number),
  }
})
