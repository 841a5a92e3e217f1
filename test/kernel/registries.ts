import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { Effect } from "effect"
import { EventLog } from "../../src/events/log/EventLog.ts"
import { Registry } from "../../src/kernel/registry/Registry.ts"
import type { Projector } from "../../src/projections/projector/Projector.ts"
import { temporaryDirectory } from "../temporary.ts"
import { testKernel } from "./testKernel.ts"

/** What a test says of a plugin; the rest is as small as a plugin can be. */
export interface Sample {
  readonly version?: string
  readonly permissions?: object
  readonly sensors?: ReadonlyArray<string>
  /** More files, by their paths. */
  readonly files?: { readonly [file: string]: string }
}

/** The files of a plugin called `sample`. */
export const filesOf = ({ version = "1.0.0", permissions = {}, sensors = ["look"], files = {} }: Sample = {}) => ({
  "looper-plugin.json": JSON.stringify({
    name: "sample",
    description: "A plugin for a test",
    version,
    entry: "main.ts",
    permissions: { read: [], run: [], ...permissions },
    peas: {
      performance: [{ name: "m", description: "d", rewards: [{ name: "r", when: "never", weight: 0.5 }] }],
      sensors: sensors.map((name) => ({ name, description: `Senses by ${name}` })),
    },
  }),
  "main.ts": `export default { sensors: { ${sensors.map((name) => `${name}: () => ${JSON.stringify(version)}`).join(", ")} } }`,
  ...files,
})

/** Writes a plugin's files, and nothing else, into a directory. */
export const write = (directory: string, sample?: Sample): string => {
  fs.rmSync(directory, { recursive: true, force: true })
  for (const [file, text] of Object.entries(filesOf(sample))) {
    fs.mkdirSync(path.dirname(path.join(directory, file)), { recursive: true })
    fs.writeFileSync(path.join(directory, file), text)
  }
  return directory
}

/** A registry beside a new log, with a workspace, and room for sources. */
export const place = Effect.gen(function* () {
  const base = yield* temporaryDirectory
  const workspace = path.join(base, "workspace")
  fs.mkdirSync(workspace)
  const { log, layerLog } = yield* testKernel({ directory: path.join(base, "log"), workspace, actor: "human:ann" })
  return {
    base,
    workspace,
    layer: layerLog,
    copies: `${log}.plugins`,
    source: (sample?: Sample, name = "source") => write(path.join(base, name), sample),
  }
})

type Place = Effect.Effect.Success<typeof place>

/** Runs a test with a registry of its own. */
export const withRegistry = <A, E>(
  test: (registry: Registry.Service, place: Place) => Effect.Effect<A, E, EventLog | Projector | Registry>,
) =>
  Effect.flatMap(place, (made) =>
    Effect.flatMap(Registry, (registry) => test(registry, made)).pipe(Effect.provide(made.layer)),
  ).pipe(Effect.scoped)

/** The types of all events so far. */
export const types = Effect.gen(function* () {
  const events = yield* (yield* EventLog).readPage({}, 1000)
  return events.map(({ type }) => type)
})

/** Runs Git in a directory as nobody in particular; answers what it prints. */
export const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", directory, "-c", "user.name=a", "-c", "user.email=a@example.org", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
    stdio: ["ignore", "pipe", "pipe"],
  }).trim()

/** Makes a repository with one commit of all that is in a directory; answers the commit. */
export const repository = (directory: string): string => {
  git(directory, "init", "--quiet", "--initial-branch=main")
  return commit(directory)
}

/** Commits all that is in a repository; answers the commit. */
export const commit = (directory: string): string => {
  git(directory, "add", "--all")
  git(directory, "commit", "--quiet", "--message=change")
  return git(directory, "rev-parse", "HEAD")
}
