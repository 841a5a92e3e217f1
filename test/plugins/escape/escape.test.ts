import { Effect } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { sayWhichTiers, tiers } from "../tiers.ts"
import type { Attempts } from "./attempts/Attempt.ts"
import { environment } from "./attempts/environment.ts"
import { modules } from "./attempts/modules.ts"
import { network } from "./attempts/network.ts"
import { processes } from "./attempts/processes.ts"
import { reading } from "./attempts/reading.ts"
import { storage } from "./attempts/storage.ts"
import { workers } from "./attempts/workers.ts"
import { writing } from "./attempts/writing.ts"
import { inFreedom, inSandbox, type Verdicts } from "./shoot.ts"

const confined = { ...reading, ...environment, ...network, ...processes, ...writing, ...storage, ...modules }
const attempts: Attempts = { ...confined, ...workers }

/** Those that get out where nothing holds them: that they do not, shows something. */
const harmfulOf = (some: Attempts): Attempts =>
  Object.fromEntries(Object.entries(some).filter(([, attempt]) => typeof attempt === "string"))

/** Enough for a worker, so that it is the permissions that hold it. */
const WORKERS_MIB = 3_000

it(`makes at least 100 attempts`, () => {
  expect(Object.keys(attempts).length).toBeGreaterThanOrEqual(100)
})

sayWhichTiers()

describe.each(tiers)("in the %s tier", (tier) => {
  let verdicts: Verdicts = new Map()
  beforeAll(async () => {
    const first = await Effect.runPromise(inSandbox(tier, confined))
    const second = await Effect.runPromise(inSandbox(tier, workers, { memoryMiB: WORKERS_MIB }))
    verdicts = new Map([...first, ...second])
  }, 120_000)

  it.each(Object.entries(attempts))("%s does not get out", (name, attempt) => {
    const { escaped, found } = verdicts.get(name) ?? { escaped: true, found: "not made" }
    expect(escaped, found).toBe(false)
    expect(found).toMatch(typeof attempt === "string" ? /^(threw|ended|returned)/ : /^(threw|ended)/)
  })
})

describe("with nothing to hold it", () => {
  let verdicts: Verdicts = new Map()
  beforeAll(async () => {
    const first = await Effect.runPromise(inFreedom(harmfulOf(confined)))
    const second = await Effect.runPromise(inFreedom(harmfulOf(workers)))
    verdicts = new Map([...first, ...second])
  }, 120_000)

  it.each(Object.keys(harmfulOf(attempts)))("%s gets out", (name) => {
    const { escaped, found } = verdicts.get(name) ?? { escaped: false, found: "not made" }
    expect(escaped, found).toBe(true)
  })
})
