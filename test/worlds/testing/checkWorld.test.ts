import { describe, expect, it } from "vitest"
import { checkWorld, worldSuite } from "../../../src/testing.ts"

const DRIFT = "test/worlds/samples/drift"

worldSuite(DRIFT, { consent: "flags" })

describe("the conformance checks of a world in its process", () => {
  it.each([
    ["test/worlds/samples/nim", [36]],
    ["test/worlds/samples/pennies", [44]],
    // Its passengers leave one after the other, so that a step is taken after an agent's end.
    ["packages/worlds/bus-stop", [37, 44]],
  ])("play worlds for several agents, in turns and at once: %s", { timeout: 120_000 }, async (directory, numbers) => {
    const { findings } = await checkWorld(directory, { consent: "flags", seeds: [1] })
    expect(findings.filter(({ status }) => status === "failed")).toEqual([])
    for (const number of numbers) expect(findings[number - 1]).toMatchObject({ status: "passed" })
    expect(findings[44]).toMatchObject({ name: "everyone-finishes", status: "passed" })
  })

  it("restore a world in a new process, and see what its masks and refusals are worth", async () => {
    const { conforms, findings } = await checkWorld("packages/worlds/connect-four", { consent: "flags", seeds: [1] })
    expect(conforms).toBe(true)
    expect(
      findings.filter(({ number, status }) => number >= 51 && status === "passed").map(({ name }) => name),
    ).toEqual([
      ...["restore-continues", "observation-without-effect", "refusal-without-effect", "mask-not-too-strict"],
      "episodes-end",
    ])
  }, 120_000)

  it("tell which check fails and why, and reset with the given options", { timeout: 120_000 }, async () => {
    const wrongly = (wrong: string) => checkWorld(DRIFT, { consent: "flags", seeds: [1], steps: 3, options: { wrong } })
    const { world, conforms, findings } = await wrongly("observation")
    expect((await wrongly("info")).findings.filter(({ status }) => status === "failed")).toMatchObject([
      { number: 15, why: 'InvalidInfo: expected the info of the reset to be an object, found "calm"' },
    ])
    expect({ world, conforms }).toEqual({ world: "drift", conforms: false })
    expect(findings.filter(({ status }) => status === "failed")).toEqual([
      {
        number: 16,
        name: "observation-after-reset-in-space",
        sentence: "The observation after a reset is in its space.",
        status: "failed",
        why: "ObservationOutsideSpace: the observation of agent: /1: expected a number from -20 to 20, found 1000",
      },
    ])
  })

  it("reject if the plugin has no world, or if the options are wrong", { timeout: 120_000 }, async () => {
    await expect(checkWorld("plugins/text-room", { consent: "flags" })).rejects.toMatchObject({
      _tag: "WorldNotStarted",
      code: "NoWorld",
    })
    await expect(checkWorld(DRIFT, { steps: 0 })).rejects.toThrow("steps")
  })
})
