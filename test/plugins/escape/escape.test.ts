import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { layers, namespaces, sayWhichLayers } from "../layers.ts"
import type { Attempts } from "./attempts/Attempt.ts"
import { descriptors } from "./attempts/descriptors.ts"
import { environment } from "./attempts/environment.ts"
import { modules } from "./attempts/modules.ts"
import { network } from "./attempts/network.ts"
import { processes } from "./attempts/processes.ts"
import { reading } from "./attempts/reading.ts"
import { resources } from "./attempts/resources.ts"
import { storage } from "./attempts/storage.ts"
import { workers } from "./attempts/workers.ts"
import { writing } from "./attempts/writing.ts"
import { inFreedom, inLayerAlone, inSandbox, type Verdicts } from "./shoot.ts"

/** Those that need a layer of the operating system. */
const byLayer = { ...descriptors }
const confined = {
  ...reading,
  ...environment,
  ...network,
  ...processes,
  ...writing,
  ...storage,
  ...modules,
  ...resources,
}
const attempts: Attempts = { ...confined, ...workers, ...byLayer }

/** Those that get out where nothing holds them: that they do not, shows something. */
const harmfulOf = (some: Attempts): Attempts =>
  Object.fromEntries(Object.entries(some).filter(([, attempt]) => typeof attempt === "string"))

/** Enough for a worker, so that it is the permissions that hold it. */
const WORKERS_MIB = 3_000

it(`makes at least 100 attempts`, () => {
  expect(Object.keys(attempts).length).toBeGreaterThanOrEqual(100)
})

sayWhichLayers()

describe.each(layers)("in the layer %s", (layer) => {
  let verdicts: Verdicts = new Map()
  beforeAll(async () => {
    const first = await Effect.runPromise(inSandbox(layer, { ...confined, ...(layer === "none" ? {} : byLayer) }))
    const second = await Effect.runPromise(inSandbox(layer, workers, { memoryMiB: WORKERS_MIB }))
    verdicts = new Map([...first, ...second])
  }, 120_000)

  const held = layer === "none" ? { ...confined, ...workers } : attempts
  it.each(Object.entries(held))("%s does not get out", (name, attempt) => {
    const { escaped, found } = verdicts.get(name) ?? UNTRIED
    expect(escaped, found).toBe(false)
    expect(found).toMatch(typeof attempt === "string" ? /^(threw|ended|returned)/ : /^(threw|ended)/)
  })
})

/** What a layer alone denies a Deno that may do everything; reading and the network are left to Deno in the layer `user`. */
describe.each(layers.filter((layer) => layer !== "none"))("with nothing to hold it but the layer %s", (layer) => {
  let verdicts: Verdicts = new Map()
  beforeAll(async () => {
    verdicts = await Effect.runPromise(inLayerAlone(layer, attempts))
  }, 240_000)

  it.each(Object.keys(attempts))("%s does no harm", (name) => {
    const { escaped, harmed, reached, found } = verdicts.get(name) ?? UNTRIED
    expect(harmed, found).toBe(false)
    if (namespaces.includes(layer)) expect(reached, found).toBe(false)
    if (Object.keys(resources).includes(name)) expect(escaped, found).toBe(false)
  })
})

const UNTRIED = { escaped: true, harmed: true, reached: true, found: "not made" }

describe("with nothing to hold it", () => {
  let verdicts: Verdicts = new Map()
  beforeAll(async () => {
    const first = await Effect.runPromise(inFreedom(harmfulOf({ ...confined, ...byLayer })))
    const second = await Effect.runPromise(inFreedom(harmfulOf(workers)))
    verdicts = new Map([...first, ...second])
  }, 120_000)

  it.each(Object.keys(harmfulOf(attempts)))("%s gets out", (name) => {
    const { escaped, found } = verdicts.get(name) ?? { escaped: false, found: "not made" }
    expect(escaped, found).toBe(true)
  })
})
