import { describe, expect, it } from "vitest"
import * as OwnConnections from "../../src/platform/recorded/OwnConnections.ts"
import * as ClosedNetwork from "../../src/record/network/ClosedNetwork.ts"
import * as Within from "../../src/record/Within.ts"

/** A second copy of a module, as a package that is installed twice brings it, or what is loaded before a recorded program. */
const copyOf = async <Module>(module: Module, file: string): Promise<Module> => {
  const copy: Module = await import(/* @vite-ignore */ `../../src/${file}?copy`)
  expect(copy).not.toBe(module)
  return copy
}

describe("copies of this package in one process", () => {
  it("know each other's own connections, which are neither recorded nor refused", async () => {
    const other = await copyOf(OwnConnections, "platform/recorded/OwnConnections.ts")
    other.watch()
    expect(other.during(() => OwnConnections.isInside())).toBe(true)
    expect(OwnConnections.during(() => other.isInside())).toBe(true)
    expect(OwnConnections.isInside() || other.isInside()).toBe(false)
  })

  it("know where the other closed the network, and where it goes out", async () => {
    const other = await copyOf(ClosedNetwork, "record/network/ClosedNetwork.ts")
    const closing = { allowed: [], advice: () => "", onAttempt: () => undefined }
    expect(other.during(closing, () => ClosedNetwork.region())).toBe(closing)
    expect(ClosedNetwork.during(closing, () => other.outside(() => ClosedNetwork.isOutside()))).toBe(true)
    expect(ClosedNetwork.isOutside() || other.isOutside()).toBe(false)
  })

  it("give a call that one makes within a call of the other its cause", async () => {
    const other = await copyOf(Within, "record/Within.ts")
    const events = [{ type: "Noted", payload: {} }] as unknown as Parameters<ReturnType<typeof Within.causing>>[0]
    expect(other.run("event-1", () => Within.causing()(events))).toMatchObject([{ causationId: "event-1" }])
    expect(Within.causing()(events)).toBe(events)
  })
})
