import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect, Option, Stream } from "effect"
import { CaughtUp, EventLog } from "../../src/events/log/EventLog.ts"
import type { Event } from "../../src/events/vocabulary/Event.ts"

/** What a test says of a plugin; the rest has its defaults. */
export interface Sample {
  readonly name: string
  /** The source of `main.ts`. */
  readonly entry: string
  readonly sensors?: ReadonlyArray<Component>
  readonly actuators?: ReadonlyArray<Component>
  readonly environment?: boolean
  /** How its environment can be brought back. */
  readonly rewind?: ReadonlyArray<string>
  readonly instance?: "task" | "kernel"
  readonly concurrent?: boolean
  /** Default: none. */
  readonly permissions?: { readonly [field: string]: ReadonlyArray<string> } | undefined
  readonly precomputed?: PrecomputedSample
}

/** The bytes that a plugin has computed before its first start. */
export interface PrecomputedSample {
  /** The text of the bytes. */
  readonly text: string
  /** What the module prints while it computes them. */
  readonly prints: string
}

interface Component {
  readonly name: string
  readonly priority?: number
  readonly interval?: number
  readonly timeout?: number
  readonly metadata?: { readonly [key: string]: string }
  /** Of an actuator. */
  readonly risk?: "none" | "low" | "high"
  readonly idempotent?: boolean
  readonly retry?: { readonly times: number; readonly waitMs: number }
  readonly cacheFor?: number
}

const described = (components: ReadonlyArray<Component> = []) =>
  components.map((component) => ({ description: `It is ${component.name}`, ...component }))

/** Writes the module of a plugin's `precomputed` bytes. Answers what the manifest says of it. */
export const writePrecomputed = (directory: string, { text, prints }: PrecomputedSample) => {
  fs.mkdirSync(directory, { recursive: true })
  const bytes = `new TextEncoder().encode(${JSON.stringify(text)})`
  const source = `console.log(${JSON.stringify(prints)})\nexport default () => ${bytes}`
  fs.writeFileSync(path.join(directory, "table.ts"), source)
  return { module: "table.ts", sha256: crypto.createHash("sha256").update(text).digest("hex") }
}

/** Writes a plugin's directory. */
export const writePlugin = (directory: string, sample: Sample): string => {
  const { name, entry, sensors, actuators, environment, instance, concurrent, permissions, precomputed } = sample
  const { rewind } = sample
  const manifest = {
    name,
    description: "A plugin for a test",
    version: "1.0.0",
    entry: "main.ts",
    permissions: { read: [], run: [], ...permissions },
    peas: {
      performance: [
        {
          name: "honesty",
          description: "Does what it says",
          rewards: [{ name: "opened", when: "a task is opened", weight: 0.5, rule: "event.type == 'TaskOpened'" }],
        },
      ],
      sensors: described(sensors),
      actuators: described(actuators),
      ...(environment === true
        ? { environment: { name: "world", description: "A world", ...(rewind === undefined ? {} : { rewind }) } }
        : {}),
    },
    ...(instance === undefined ? {} : { instance }),
    ...(concurrent === undefined ? {} : { concurrent }),
    ...(precomputed === undefined ? {} : { precomputed: writePrecomputed(directory, precomputed) }),
  }
  fs.mkdirSync(directory, { recursive: true })
  fs.writeFileSync(path.join(directory, "looper-plugin.json"), JSON.stringify(manifest))
  fs.writeFileSync(path.join(directory, "main.ts"), entry)
  return directory
}

/** The plugins of tests did not come with Hindcast: they are started wherever the tests run. */
export const CONSENT = { consent: "flags" } as const

/** Waits for the `count`th event, from the beginning of the log, that a test looks for. */
export const seen = (looksFor: (event: Event) => boolean, count = 1): Effect.Effect<Event, never, EventLog> =>
  Effect.flatMap(EventLog, (log) =>
    log.follow().pipe(
      Stream.filter((item): item is Event => !(item instanceof CaughtUp) && looksFor(item)),
      Stream.drop(count - 1),
      Stream.runHead,
      Effect.map(Option.getOrThrow),
      Effect.orDie,
    ),
  )

/** Whether a plugin wrote a line of this text. */
export const logged =
  (text: string) =>
  ({ type, payload }: Event): boolean =>
    type === "PluginLogged" && payload.message === text

/** Whether an event is of a type, and about a component where one is named. */
export const about =
  (wanted: string, component?: string) =>
  ({ type, payload }: Event): boolean =>
    type === wanted && (component === undefined || payload.sensor === component || payload.actuator === component)

/** All events of some types. */
export const events = (...types: ReadonlyArray<string>) =>
  Effect.flatMap(EventLog, (log) => log.readPage({ types }, 1000))
