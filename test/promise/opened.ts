import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { type Hindcast, type OpenOptions, open } from "hindcast/promise"
import { afterEach } from "vitest"
import { CONSENT, type Sample, writePlugin } from "../kernel/given.ts"

/** What a test has to give back, the newest first. */
const given: Array<() => unknown> = []
afterEach(async () => {
  for (const back of given.splice(0).reverse()) await back()
})

/** A directory of its own, which goes with the test. */
export const directory = (): string => {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-promise-")))
  given.push(() => fs.rmSync(made, { recursive: true, force: true }))
  return made
}

/** Hindcast on `log.db` of a directory, with the plugin `desk`, closed after the test. If nothing is said, every command is allowed. */
export const opened = async ({
  at = directory(),
  ...options
}: Partial<OpenOptions> & { readonly at?: string } = {}): Promise<Hindcast> => {
  const settings = { log: path.join(at, "log.db"), workspace: at, gate: { default: "allow" }, seed: 7 } as const
  const plugins = [writePlugin(path.join(at, "sources", "desk"), desk)]
  const hindcast = await open({ ...settings, host: CONSENT, plugins, ...options })
  given.push(hindcast.close)
  return hindcast
}

/** Counts; and has a command that takes as long as nobody ends it. */
const desk: Sample = {
  name: "desk",
  sensors: [{ name: "count" }],
  actuators: [
    { name: "add", risk: "none" },
    { name: "hang", risk: "none", timeout: 80_000 },
    { name: "break", risk: "none" },
  ],
  entry: `let count = 0
  export default {
    sensors: { count: () => count },
    actuators: {
      add: (_, { by = 1 }) => (count += by),
      hang: (_) => new Promise(() => {}),
      break: () => { throw new Error("it is broken") },
    },
  }`,
}

/** What a promise is rejected with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`expected a rejection, found ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )

/** The first values of an iterable. */
export const first = async <A>(count: number, iterable: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const taken: Array<A> = []
  for await (const value of iterable) if (taken.push(value) === count) break
  return taken
}

/** The types of a log's events, in order. */
export const typesIn = async (
  { events }: Hindcast,
  ...types: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const { type } of events.read(types.length === 0 ? {} : { types })) found.push(type)
  return found
}
