/**
 * Studio: the time-travel debugger in a browser. The program that has the log open serves it, so that people can debug
 * a running system.
 */

import * as fs from "node:fs"
import { Context, Effect, Either, Layer, Option, Schema } from "effect"
import type { Deltas } from "../agents/channel/Deltas.ts"
import { EventLog, type LogError } from "../events/log/EventLog.ts"
import type { Records } from "../events/read/Records.ts"
import * as Agent from "../kernel/agents/Agent.ts"
import type { Confirmations } from "../kernel/gate/Confirmations.ts"
import { Kernel } from "../kernel/Kernel.ts"
import * as PluginCopies from "../kernel/registry/copies/PluginCopies.ts"
import { Registry } from "../kernel/registry/Registry.ts"
import * as Trust from "../kernel/trust/Trust.ts"
import type { PortUnavailable } from "../platform/loopback/PortUnavailable.ts"
import * as PluginHost from "../plugins/process/PluginHost.ts"
import type { Projector } from "../projections/projector/Projector.ts"
import type { TimeTravel } from "../projections/timetravel/TimeTravel.ts"
import * as Options from "../values/Options.ts"
import { Allowed, type Forking, inScope, staged as runsOf, type Staging } from "./Allowed.ts"
import * as Consent from "./drawing/Consent.ts"
import * as Drawing from "./drawing/Drawing.ts"
import * as StudioLog from "./StudioLog.ts"
import * as Staged from "./scenarios/Staging.ts"
import * as Server from "./server/Server.ts"

export type { PortUnavailable } from "../platform/loopback/PortUnavailable.ts"

/** Options of `layer`. Without any, Studio is read-only. */
export interface StudioOptions {
  /** Default: a free port. */
  readonly port?: number
  /**
   * Whether people may answer questions in the page, and talk to the agents of a `Kernel` in the context. Default:
   * false.
   */
  readonly answer?: boolean
  /**
   * The hub whose `onDelta` the agents have (`Channel.deltas`); the page then shows answers while they stream. Default:
   * none.
   */
  readonly deltas?: Deltas
  /**
   * Agents that may fork a task, by the names that the page shows. Needs a `Kernel` in the context, which runs them.
   * Default: none.
   */
  readonly fork?: { readonly [name: string]: Agent.Agent }
  /** Whether the page may score tasks again. Default: false. */
  readonly write?: boolean
  /** Whether people may add notes, stars, tags and labels in the page. Default: false. */
  readonly annotate?: boolean
  /** With `write`: scenario and rubric files that the page may edit, and agents that run them. Default: none. */
  readonly scenarios?: ScenarioOptions
  /** Who answers and writes: the actor is `human:<by>`. Default: `studio`. */
  readonly by?: string
  /**
   * Plugin versions that may draw their worlds with their own code (`viewHtml` of their manifests): `name@digest`, with
   * at least 16 digits of the digest in the log, and `=directory` if the version's copy next to the log is missing. The
   * code runs in the browser, confined in frames of other origins. Default: none.
   */
  readonly draw?: ReadonlyArray<string>
  /**
   * Whether to trust a log that this user did not write on this machine, if the page may answer, fork or write; see
   * `ForeignLog`. A kernel in the context has already decided. Default: false.
   */
  readonly trust?: boolean
}

/** Scenarios that the page may edit. */
export interface ScenarioOptions {
  /** Directories that contain the scenarios, at any depth. */
  readonly directories: ReadonlyArray<string>
  /**
   * Agents that may play them, by the names that the page shows. Needs a `Kernel` in the context, which runs them.
   * Default: none.
   */
  readonly agents?: { readonly [name: string]: Agent.Agent }
}

const Agents = Schema.Record({ key: Schema.String, value: Agent.Agent })

const StudioOptions = Options.of<StudioOptions>({
  optional: {
    port: Options.wholeNumber(0, 65_535),
    answer: Schema.Boolean,
    deltas: Options.kind<Deltas>("a hub of `Deltas.make`", Options.has("piecesOf")),
    fork: Agents,
    write: Schema.Boolean,
    annotate: Schema.Boolean,
    scenarios: Options.of<ScenarioOptions>({
      required: { directories: Schema.Array(Options.Text).pipe(Schema.minItems(1)) },
      optional: { agents: Agents },
    }),
    by: Options.Name,
    draw: Schema.Array(Consent.ConsentText),
    trust: Schema.Boolean,
  },
})

/** The running server. */
export class Studio extends Context.Tag("hindcast/Studio")<Studio, Studio.Service>() {}

/** The type of the service: `Studio.Service`. */
export declare namespace Studio {
  /** A running server. */
  export interface Service {
    /** The page's address, with the token in the fragment. Keep it secret. */
    readonly url: string
    readonly port: number
    /** The token of API requests: `Authorization: Bearer <token>`. */
    readonly token: string
  }
}

/** The services of a log that a server needs. */
type Services = EventLog | Records | Projector | TimeTravel | Confirmations

/**
 * Serves the context's log on 127.0.0.1, until the layer's scope closes.
 *
 * @example Layer.provideMerge(Studio.layer({ answer: true }), Hindcast.layer({ log: "agent.db" }))
 */
export const layer = (
  options: StudioOptions = {},
): Layer.Layer<Studio, Options.InvalidOptions | PortUnavailable | Trust.ForeignLog | LogError, Services> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const decoded = yield* Options.decode("Studio.layer", StudioOptions, options)
      const {
        port,
        answer = false,
        deltas,
        fork,
        write = false,
        annotate = false,
        scenarios,
        by = "studio",
        draw = [],
        trust = false,
      } = decoded
      const isActing = answer || write || annotate || fork !== undefined || scenarios !== undefined
      if (isActing) yield* Trust.assertTrusted(trust ? "option" : undefined)
      const kernel = yield* Effect.serviceOption(Kernel)
      if (fork !== undefined && Option.isNone(kernel)) return yield* withoutKernel("fork")
      if (scenarios !== undefined && !write) return yield* wrong("scenarios", "write: true with it", "none")
      if (scenarios !== undefined && Option.isNone(kernel)) return yield* withoutKernel("scenarios")
      const staging =
        scenarios === undefined || Option.isNone(kernel) ? {} : { scenarios: yield* stagingOf(scenarios, kernel.value) }
      const forks =
        fork === undefined || Option.isNone(kernel)
          ? null
          : { agents: new Map(Object.entries(fork)), run: kernel.value.fork }
      const consents = draw.flatMap((text) =>
        Either.match(Consent.parse(text), { onLeft: () => [], onRight: Array.of }),
      )
      const talk = answer && Option.isSome(kernel) ? { deltas } : null
      return serving({ answer, forks, write, annotate, talk, by, notes: [], ...staging }, { port, draw: consents })
    }),
  )

const wrong = (path: string, expected: string, found: string) =>
  new Options.InvalidOptions({ of: "Studio.layer", problems: [{ path, expected, found }] })

const withoutKernel = (path: string) =>
  wrong(path, "a Kernel in the context, which runs the agents", "none (Hindcast.layer has one)")

/** The real path of a directory. The left side names what was found instead. */
const realDirectory = (directory: string): Effect.Effect<string, string> =>
  Effect.try({
    try: () => fs.realpathSync(directory),
    catch: (cause) => (cause instanceof Error && "code" in cause ? String(cause.code) : String(cause)),
  }).pipe(
    Effect.filterOrFail(
      (real) => fs.statSync(real).isDirectory(),
      () => "which is not a directory",
    ),
  )

/** Scenarios, run by the context's kernel. */
const stagingOf = ({ directories, agents = {} }: ScenarioOptions, kernel: Kernel.Service) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const real = yield* Effect.forEach(directories, (directory, index) =>
      Effect.mapError(realDirectory(directory), (found) =>
        wrong(`scenarios.directories[${index}]`, "a directory", `${JSON.stringify(directory)}, ${found}`),
      ),
    )
    const places = { workspace: fs.realpathSync("."), directory: PluginCopies.directoryOf(log.name) }
    const services = Layer.mergeAll(
      Layer.succeed(EventLog, log),
      Layer.succeed(Registry, kernel.plugins),
      PluginHost.layerOf({}),
    )
    return {
      directories: real,
      agents: new Map(Object.entries(agents)),
      look: (played, seed) => Effect.provide(Staged.look(played, seed, places), services),
      run: (agent, scenario, options) => Effect.provideService(Staged.run(agent, scenario, options), Kernel, kernel),
    } satisfies Staging
  })

/** Actions to allow. */
export interface Allowing extends Omit<Allowed.Service, "forks" | "scenarios"> {
  readonly forks: Forking | null
  /** Default: none. */
  readonly scenarios?: Staging
}

/** The port, and the plugins that may draw with their own code. */
export interface Serving {
  readonly port?: number | undefined
  readonly draw?: ReadonlyArray<Consent.Consent>
}

/**
 * The services that a server needs for one log, apart from the log's own. Forks and scenarios end with the layer's
 * scope.
 */
export const ofLog = ({
  forks,
  scenarios,
  ...rest
}: Allowing): Layer.Layer<StudioLog.StudioLog | Allowed, never, Services> =>
  Layer.merge(
    StudioLog.layer,
    Layer.scoped(
      Allowed,
      Effect.all({
        forks: forks === null ? Effect.succeed(null) : inScope(forks),
        scenarios: scenarios === undefined ? Effect.succeed(null) : runsOf(scenarios),
      }).pipe(Effect.map((begun) => ({ ...rest, ...begun }))),
    ),
  )

/** Serves the context's log with the given permissions. */
export const serving = (
  allowing: Allowing,
  { port, draw = [] }: Serving = {},
): Layer.Layer<Studio, PortUnavailable, Services> =>
  Layer.scoped(
    Studio,
    Effect.map(Server.serve({ port }), ({ url, port: listening, token }) => ({ url, port: listening, token })),
  ).pipe(Layer.provide(Drawing.layer(draw)), Layer.provide(ofLog(allowing)))
