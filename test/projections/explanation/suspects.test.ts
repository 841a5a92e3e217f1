import { describe, expect, it } from "vitest"
import { story } from "./courses.ts"

describe("a denied command", () => {
  it("is suspect, and another that reached the same thing is more so", () => {
    const { step, of } = story()
    step("files/write", { path: "/etc/hosts" }, { denied: ["no-etc", "Not here"] })
    expect(of("denied")).toEqual([
      {
        kind: "denied",
        at: 2,
        says: 'files/write {"path":"/etc/hosts"} was denied @2 by no-etc (Not here); no later call reached the same thing.',
        weight: 4,
      },
    ])
    step("shell/run", { command: "read x > /etc/hosts" }, { error: ["E", "no"] })
    expect(of("worked around")).toEqual([])
    const around = step("shell/run", { command: "echo x > /etc/hosts" })
    expect(of("denied")).toEqual([])
    expect(of("worked around")).toEqual([
      {
        kind: "worked around",
        at: around,
        says: 'files/write {"path":"/etc/hosts"} was denied @2 by no-etc (Not here), but shell/run {"command":"echo x > /etc/hosts"} @5 reached the same thing.',
        weight: 9,
      },
    ])
  })

  it("is not worked around by what came before, or without a thing that it was about", () => {
    const { step, of } = story()
    step("files/read", { path: "/etc/hosts" })
    step("files/write", { path: "/etc/hosts" }, { denied: ["no-etc", ""] })
    step("files/write", { text: "word" }, { denied: ["no-words", ""] })
    step("files/read", { text: "word" })
    expect(of("worked around")).toEqual([])
    expect(of("denied").map(({ at }) => at)).toEqual([4, 6])
    expect(of("denied")[0]?.says).toContain("by no-etc; no later call")
  })
})

describe("a failed command", () => {
  it("is named once for a code, with the failures like it", () => {
    const { step, of } = story()
    step("shop/buy", { sku: "word" }, { error: ["Busy", "try later"] })
    expect(of("failed")[0]?.says).toBe('shop/buy {"sku":"word"} failed @2 with Busy: try later; it was not retried.')
    step("shop/buy", { sku: "other" }, { error: ["Busy", "try later"] })
    step("shop/buy", { sku: "other" }, { error: ["Gone", "sold out"] })
    step("shop/buy", { sku: "third" })
    expect(of("failed").map(({ at, says }) => [at, says])).toEqual([
      [2, 'shop/buy {"sku":"word"} failed @2 with Busy: try later (2 more like it).'],
      [6, 'shop/buy {"sku":"other"} failed @6 with Gone: sold out.'],
    ])
  })

  it("weighs more if the failure shows there, and less once it succeeded later", () => {
    const { step, of } = story()
    step("shop/buy", { sku: "word" }, { error: ["Busy", "try later"] })
    expect(of("failed")[0]?.weight).toBe(6)
    expect(of("failed", 2)[0]?.weight).toBe(8)
    step("shop/buy", { sku: "word" })
    expect(of("failed")).toEqual([])
    expect(of("failed once")).toEqual([
      {
        kind: "failed once",
        at: 2,
        says: 'shop/buy {"sku":"word"} failed @2 with Busy: try later; repeated @3, it succeeded.',
        weight: 3,
      },
    ])
  })

  it("of another actuator does not make it good", () => {
    const { step, of } = story()
    step("shop/buy", { sku: "word" }, { error: ["Busy", "later"] })
    step("shop/look", { sku: "word" })
    expect(of("failed once")).toEqual([])
  })
})

describe("a success whose result reports a problem", () => {
  it("is suspect, with the command that used it", () => {
    const { step, of } = story()
    step("db/query", { q: "all" }, { result: { rows: ["order-77"], truncated: true } })
    const used = step("shop/cancel", { order: "order-77" })
    const [suspect] = of("problem in a result")
    expect(suspect).toMatchObject({ at: 2, weight: 5 })
    expect(suspect?.says).toBe(
      'db/query succeeded, but its result has "truncated": true. shop/cancel {"order":"order-77"} @3 used it.',
    )
    expect(of("problem in a result", used)[0]?.weight).toBe(7)
  })

  it("is not one whose result has none", () => {
    const { step, of } = story()
    step("db/query", { q: "all" }, { result: { ok: true, errors: [] } })
    expect(of("problem in a result")).toEqual([])
  })
})

describe("sources that disagree", () => {
  const price = (price: number) => ({ sku: "sku-77", price })

  it("are named at the first, with the command that used it", () => {
    const { step, of } = story()
    step("a/look", { q: "x" }, { result: price(12) })
    step("shop/buy", { sku: "sku-77" }, { error: ["E", "no"] })
    step("b/look", { q: "x" }, { result: price(13) })
    expect(of("sources disagree")).toEqual([
      {
        kind: "sources disagree",
        at: 2,
        says: 'a/look said price of sku-77 is 12; b/look said 13 @6. shop/buy {"sku":"sku-77"} @3 used the first.',
        weight: 8,
      },
    ])
  })

  it("weigh less if nobody used the first, and agree if they say the same", () => {
    const { step, of } = story()
    step("a/look", { q: "x" }, { result: price(12) })
    step("b/look", { q: "x" }, { result: price(12) })
    expect(of("sources disagree")).toEqual([])
    step("c/look", { q: "x" }, { result: price(14) })
    expect(of("sources disagree")).toMatchObject([{ at: 4, weight: 6 }])
  })

  it("do not disagree if a command changed the thing in between", () => {
    const between = (end: object, actuator = "shop/set") => {
      const { step, of } = story()
      step("a/look", { q: "x" }, { result: price(12) })
      step(actuator, { sku: "sku-77", to: "new" }, end as { result: string })
      step("b/look", { q: "x" }, { result: price(13) })
      return of("sources disagree").length
    }
    expect(between({ result: "done" })).toBe(0)
    expect(between({ error: ["E", "no"] })).toBe(1)
    // A read by the same actuator changes nothing.
    expect(between({ result: "done" }, "a/look")).toBe(1)
  })

  it("are no two readings of one sensor", () => {
    const { reading, of } = story()
    reading("shop/prices", price(12))
    reading("shop/prices", price(13))
    expect(of("sources disagree")).toEqual([])
    reading("shop/other", price(14))
    expect(of("sources disagree")).toHaveLength(1)
  })

  it("are no two facts of one result", () => {
    const { step, of } = story()
    step("a/look", { q: "x" }, { result: [price(12), price(13)] })
    expect(of("sources disagree")).toEqual([])
  })
})

describe("a command on a value that was read before somebody else changed it", () => {
  const acts = (
    who: string,
    of = "t",
    at: "before" | "after" | "between" = "between",
    end: object = { result: "x" },
  ) => {
    const told = story()
    const change = () => told.step("shop/take", { sku: "sku-77" }, end as { result: string }, who, of)
    if (at === "before") change()
    told.step("shop/look", { q: "x" }, { result: { sku: "sku-77", left: "one" } })
    if (at === "between") change()
    told.step("shop/buy", { sku: "sku-77" })
    if (at === "after") change()
    return told.of("stale read")
  }

  it("is suspect, and names both", () => {
    expect(acts("bob")).toEqual([
      {
        kind: "stale read",
        at: 5,
        says: 'ada acted @5 (shop/buy {"sku":"sku-77"}) on what it read @2, but bob did shop/take {"sku":"sku-77"} @3 in between.',
        weight: 9,
        unread: {
          at: 3,
          says: 'bob did shop/take {"sku":"sku-77"} after the reading @2, and before the call @5',
        },
      },
    ])
    expect(acts("ada", "another task")).toHaveLength(1)
  })

  it("is none if the same agent did it, or before, after, or in vain", () => {
    expect(acts("ada")).toEqual([])
    expect(acts("bob", "t", "before")).toEqual([])
    expect(acts("bob", "t", "after")).toEqual([])
    expect(acts("bob", "t", "between", { error: ["E", "no"] })).toEqual([])
  })

  it("is none of a reading, of another's read, or of the same actuator", () => {
    const reading = story()
    reading.reading("shop/state", { sku: "sku-77" })
    reading.step("shop/take", { sku: "sku-77" }, { result: "x" }, "bob")
    reading.step("shop/buy", { sku: "sku-77" })
    expect(reading.of("stale read")).toEqual([])
    const others = story()
    others.step("shop/look", { q: "x" }, { result: { sku: "sku-77" } }, "bob")
    others.step("shop/take", { sku: "sku-77" }, { result: "x" }, "bob")
    others.step("shop/buy", { sku: "sku-77" })
    expect(others.of("stale read")).toEqual([])
    const same = story()
    same.step("shop/buy", { q: "x" }, { result: { sku: "sku-77" } })
    same.step("shop/take", { sku: "sku-77" }, { result: "x" }, "bob")
    same.step("shop/buy", { sku: "sku-77" })
    expect(same.of("stale read")).toEqual([])
  })
})

describe("a value that nothing told", () => {
  it("is suspect, and more so if a told one is like it", () => {
    const { goal, step, of } = story()
    goal("Cancel order-1234")
    step("shop/cancel", { id: "order-1243" })
    step("shop/cancel", { id: "zz99" })
    step("shop/cancel", { id: "order-1234" })
    expect(of("altered value")).toEqual([
      {
        kind: "altered value",
        at: 2,
        says: 'shop/cancel {"id":"order-1243"} has "order-1243", which no earlier goal, input, reading or result contains. It resembles "order-1234".',
        weight: 6,
      },
    ])
    expect(of("unheard value")).toMatchObject([{ at: 4, weight: 3 }])
    expect(of("altered value", 2)[0]?.weight).toBe(8)
    expect(of("unheard value", 4)[0]?.weight).toBe(5)
  })

  it("is told by its own letters in any case, and only by what came before", () => {
    const { input, step, of } = story()
    input({ id: "ORDER-7" })
    step("shop/cancel", { id: "order-7" })
    step("shop/cancel", { id: "later-8" })
    input({ id: "later-8" })
    expect([...of("unheard value"), ...of("altered value")].map(({ at }) => at)).toEqual([4])
  })
})

describe("the same command again and again", () => {
  it("is a loop from the third time on, with the same outcome", () => {
    const { step, of } = story()
    step("shop/look", { q: "word" })
    step("shop/look", { q: "word" })
    step("shop/look", { q: "word" }, { error: ["E", "no"] })
    step("shop/look", { q: "other" })
    expect(of("loop")).toEqual([])
    step("shop/look", { q: "word" })
    expect(of("loop")).toEqual([
      {
        kind: "loop",
        at: 1,
        says: 'shop/look {"q":"word"} was called 3 times with the same outcome (also @3, @9).',
        weight: 5,
      },
    ])
    step("shop/look", { q: "word" })
    step("shop/look", { q: "word" })
    expect(of("loop")[0]?.says).toContain("5 times with the same outcome (also @3, @9, @11).")
  })
})

describe("a person's input", () => {
  it("makes the next command on what it names suspect", () => {
    const { input, step, of } = story()
    input("Leave sku-77 alone")
    step("shop/buy", { sku: "sku-78" })
    step("shop/buy", { sku: "sku-77" })
    step("shop/sell", { sku: "sku-77" })
    expect(of("after an input")).toEqual([
      {
        kind: "after an input",
        at: 4,
        says: 'somebody had said @1: "Leave sku-77 alone". Then shop/buy {"sku":"sku-77"} @4 acted on it.',
        weight: 5,
      },
    ])
  })

  it("makes no earlier command suspect, and a goal is none", () => {
    const { goal, input, step, of } = story()
    goal("Buy sku-77")
    step("shop/buy", { sku: "sku-77" })
    input("I said sku-77")
    expect(of("after an input")).toEqual([])
  })
})

describe("a number that nothing told", () => {
  it("is suspect from ten on, and more so where the failure shows", () => {
    const { goal, step, of } = story()
    goal("Pay 120 of 4.5")
    step("bank/pay", { amount: 120 })
    step("bank/pay", { amount: 9 })
    step("bank/pay", { nested: [{ amount: -12 }] })
    expect(of("unheard number")).toEqual([
      {
        kind: "unheard number",
        at: 6,
        says: 'bank/pay {"nested":[{"amount":-12}]} has the number -12, which no earlier goal, input, reading or result contains.',
        weight: 2,
      },
    ])
    expect(of("unheard number", 6)[0]?.weight).toBe(3)
  })

  it("is not told by a longer number, or by one with other decimals", () => {
    const numbers = (goal: string, amount: number) => {
      const told = story()
      told.goal(goal)
      told.step("bank/pay", { amount })
      return told.of("unheard number").length
    }
    expect(numbers("Pay 1200", 120)).toBe(1)
    expect(numbers("Pay 5120", 120)).toBe(1)
    expect(numbers("Pay 120.5", 120)).toBe(1)
    expect(numbers("Pay 3.12", 12)).toBe(1)
    expect(numbers("Pay 12x5", 12.5)).toBe(1)
    expect(numbers("Pay 120.", 120)).toBe(0)
    expect(numbers("Pay 12.5 now", 12.5)).toBe(0)
    expect(numbers("Pay nothing", 10)).toBe(1)
  })
})

describe("where the failure shows", () => {
  it("leads to the last commands on the same thing, and to the sources of its values", () => {
    const { reading, step, suspects } = story()
    reading("shop/state", { sku: "sku-77" })
    for (const q of ["one", "two", "three"]) step(`shop/${q}`, { sku: "sku-77" })
    step("shop/fails", { sku: "sku-77" }, { error: ["E", "no"] })
    // What a command changes comes right after its end, and the failure may show there.
    reading("shop/state", "open")
    reading("shop/state", "open")
    const last = step("shop/buy", { sku: "sku-77" })
    expect(suspects(last).filter(({ weight }) => weight < 3)).toEqual([
      {
        kind: "same thing before",
        at: 4,
        says: 'shop/two {"sku":"sku-77"} was about the same thing, before shop/buy {"sku":"sku-77"} @12, where the failure shows.',
        weight: 2.5,
      },
      {
        kind: "same thing before",
        at: 6,
        says: 'shop/three {"sku":"sku-77"} was about the same thing, before shop/buy {"sku":"sku-77"} @12, where the failure shows.',
        weight: 2.5,
      },
      {
        kind: "source of the end",
        at: 1,
        says: 'shop/state contains a value of shop/buy {"sku":"sku-77"} @12, where the failure shows.',
        weight: 2,
      },
    ])
    const shown = (symptom: number) => suspects(symptom).filter(({ kind }) => kind === "same thing before").length
    expect([shown(11), shown(12), shown(13), shown(14), shown(15)]).toEqual([0, 2, 2, 2, 0])
  })
})

describe("events that report trouble", () => {
  it("are suspect by their type, and by their end", () => {
    const { add, begin, end, of, suspects } = story()
    add("SensorSkipped", { sensor: "s" })
    add("AgentLate", {})
    add("ModelFailed", { kind: "overloaded", reason: "busy" })
    end(begin("shop/buy", {}), { unknown: true })
    add("ScenarioEnded", { result: "lost" })
    add("ScenarioEnded", { result: "won" })
    expect(of("ModelFailed")).toEqual([
      { kind: "ModelFailed", at: 3, says: "ModelFailed: overloaded: busy", weight: 5 },
    ])
    expect(suspects().map(({ kind, at, weight }) => [kind, at, weight])).toEqual([
      ["ModelFailed", 3, 5],
      ["CommandOutcomeUnknown", 5, 5],
      ["ScenarioEnded", 6, 5],
      ["SensorSkipped", 1, 3],
      ["AgentLate", 2, 3],
    ])
  })
})

describe("a slow command", () => {
  it("is suspect from ten seconds on", () => {
    const { step, of } = story()
    step("shop/buy", {}, { result: "x", latencyMs: 10_000 })
    step("shop/sell", {}, { result: "x", latencyMs: 9_999 })
    step("shop/look", {})
    expect(of("slow")).toEqual([{ kind: "slow", at: 2, says: "shop/buy {} took 10.0 s.", weight: 1 }])
  })
})

describe("the suspects", () => {
  it("are sorted by weight and then by position, and name an event once, by its likeliest kind", () => {
    const { step, suspects } = story()
    step("shop/buy", { id: "zz-99" }, { error: ["E", "no"] })
    step("shop/slow", { amount: 99, id: "yy-88" }, { result: "x", latencyMs: 20_000 })
    expect(suspects().map(({ kind, at }) => [kind, at])).toEqual([
      ["failed", 2],
      ["unheard value", 1],
      ["unheard value", 3],
      ["slow", 4],
    ])
  })

  it("are none of an empty course", () => {
    expect(story().suspects(1, 2)).toEqual([])
  })
})
