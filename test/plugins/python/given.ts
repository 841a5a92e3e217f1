/** Plugins whose environments are classes of Python, written for a test and started. */

import * as path from "node:path"
import { Effect, Either, type Scope } from "effect"
import type { CoreNewEvent } from "../../../src/events/log/EventLog.ts"
import * as Grants from "../../../src/plugins/manifest/Grants.ts"
import * as Manifest from "../../../src/plugins/manifest/Manifest.ts"
import { PluginHost } from "../../../src/plugins/process/PluginHost.ts"
import type { PluginError, PluginProcess } from "../../../src/plugins/process/PluginProcess.ts"
import type { ProcessLimits } from "../../../src/plugins/process/ProcessSpec.ts"
import "../../built.ts"
import { temporaryDirectory, writeFiles } from "../fixtures.ts"

/** Two whole numbers or more are the observations, and 0 and 1 the actions. */
export const SPACES = {
  observation: { type: "Box", dtype: "float64", shape: [2], low: "-Infinity", high: "Infinity" },
  action: { type: "Discrete", n: 2 },
}

/** What every class begins with: a climb against a wind that a seed decides. */
export const HILL = `
import random
from hindcast.spaces import Box, Discrete

class Hill:
    observation_space = Box({"dtype": "float64", "shape": [2], "low": "-Infinity", "high": "Infinity"})
    action_space = Discrete({"n": 2})

    def __init__(self, height=3):
        self.height = height

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.wind = random.Random(seed)
        self.at, self.gust = (options or {}).get("from", 0), 0.0
        return [self.at, self.gust], {"height": self.height}

    def step(self, action):
        self.gust = self.wind.random()
        self.at = max(0, self.at + (1 if action == 1 else -1))
        return [self.at, self.gust], -self.gust, self.at >= self.height, False, {"gust": self.gust}
`

/** A class that derives from `Hill`, and the lines within it. */
export const derived = (lines: string): string =>
  `${HILL}\nclass Sample(Hill):\n${lines
    .trim()
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n")}\n`

/** What a test says of an environment; the rest has its defaults. */
export interface PythonSample {
  /** The text of `sample.py`. */
  readonly code: string
  /** Default: `sample:Sample`. */
  readonly entry?: string
  /** Default: `>=3.9`. */
  readonly python?: string
  readonly name?: string
  readonly environment?: object
  readonly variables?: Manifest.Manifest["variables"]
  readonly permissions?: object
  readonly files?: { readonly [name: string]: string }
}

/** The manifest of a sample. */
export const manifestOf = (sample: PythonSample) => ({
  name: sample.name ?? "sample",
  description: "An environment for a test",
  version: "1.0.0",
  runtime: "python",
  python: sample.python ?? ">=3.9",
  entry: sample.entry ?? "sample:Sample",
  permissions: { read: [], run: [], ...sample.permissions },
  peas: {
    performance: [
      { name: "calm", description: "Stays calm", rewards: [{ name: "quiet", when: "no error", weight: 0.5 }] },
    ],
    environment: { name: "Sample", description: "A sample", spaces: SPACES, ...sample.environment },
  },
  ...(sample.variables === undefined ? {} : { variables: sample.variables }),
})

/** Writes a sample into a directory. */
export const write = (directory: string, sample: PythonSample) =>
  writeFiles(directory, {
    "looper-plugin.json": JSON.stringify(manifestOf(sample)),
    "sample.py": sample.code,
    ...sample.files,
  })

/** A started environment, and the events recorded so far. */
export interface StartedPython {
  readonly process: PluginProcess
  readonly directory: string
  readonly base: string
  readonly events: Array<CoreNewEvent>
}

/** How to start a sample. */
export interface StartOptions {
  readonly limits?: ProcessLimits
  readonly read?: ReadonlyArray<string>
  readonly events?: Array<CoreNewEvent>
  /** Files next to the plugin's directory. */
  readonly outside?: { readonly [name: string]: string }
}

/** Writes a sample into a directory of its own and starts it. Paths of `read` start at the directory above. */
export const startPython = (
  sample: PythonSample,
  { limits, read = [], events = [], outside = {} }: StartOptions = {},
): Effect.Effect<StartedPython, PluginError, Scope.Scope | PluginHost> =>
  Effect.gen(function* () {
    const base = yield* temporaryDirectory
    const directory = path.join(base, "plugin")
    const workspace = path.join(base, "workspace")
    const places = read.map((place) => path.join(base, place))
    yield* writeFiles(base, outside)
    yield* write(directory, { ...sample, permissions: { read: places, ...sample.permissions } })
    yield* writeFiles(workspace, { ".keep": "" })
    const { manifest } = yield* Effect.orDie(Manifest.load(directory))
    const grants = Either.getOrThrow(Grants.resolve(manifest, { directory, workspace, extra: { read: places } }))
    const { start } = yield* PluginHost
    const process = yield* start({
      manifest,
      directory,
      grants,
      workspace,
      seed: 1,
      instance: "task",
      denoDir: path.join(base, "deno"),
      metadata: { plugin: {}, components: {} },
      limits: { niceness: 0, stopMs: 300, cancelMs: 300, ...limits },
      record: (event) => Effect.sync(() => events.push(event)),
    })
    return { process, directory, base, events }
  })
