import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as AgentTools from "../../src/agents/AgentTools.ts"
import type { ActuatorCapability } from "../../src/kernel/agents/Agent.ts"

const capability = (name: string): ActuatorCapability => ({
  name,
  description: `Does ${name}`,
  idempotent: false,
  risk: "low",
  effectiveRisk: "low",
})

const toolsOf = (...names: ReadonlyArray<string>) => AgentTools.of({ actuators: names.map(capability), sensors: [] })

describe("the names of an agent's tools", () => {
  it("stay apart if two actuators have one name after conversion", () => {
    const { actuators, descriptions } = toolsOf("shop/find.item", "shop/find_item")
    const [first, second] = descriptions.map(({ name }) => name)
    expect(first).toBe("shop__find_item")
    expect(second).toMatch(/^shop__find_item_[0-9a-f]{8}$/)
    expect(actuators.get(first ?? "")).toBe("shop/find.item")
    expect(actuators.get(second ?? "")).toBe("shop/find_item")
    expect(descriptions.map(({ description }) => description)).toEqual(["Does shop/find.item", "Does shop/find_item"])
  })

  it("stay apart from the tools that every agent has", () => {
    const own = [AgentTools.PERCEIVE, AgentTools.ANSWER, AgentTools.HAND_OFF]
    for (const name of own) expect([...toolsOf(name).actuators.keys()]).not.toContain(name)
  })

  it("lead back to their actuators, and suit every provider", () => {
    const word = fc.string({ unit: fc.constantFrom(..."aB1._-é ".split("")), minLength: 1, maxLength: 60 })
    const names = fc.uniqueArray(
      fc.tuple(word, word).map(([plugin, name]) => `${plugin}/${name}`),
      { maxLength: 20 },
    )
    fc.assert(
      fc.property(names, (actuators) => {
        const tools = toolsOf(...actuators)
        const offered = tools.descriptions.map(({ name }) => name)
        expect(new Set(offered).size).toBe(actuators.length)
        expect(offered.map((name) => tools.actuators.get(name))).toEqual(actuators)
        for (const name of offered) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      }),
    )
  })
})
