import { type Gate, Scoring } from "hindcast"
import { describe, expect, it } from "vitest"
import { InvalidOptions } from "../../src/values/Options.ts"
import { outside, placesOf } from "../wrongOptions.ts"
import { first, opened, rejection, typesIn } from "./opened.ts"

describe("a rejection", () => {
  it("is the tagged error itself, with its class, fields and message", async () => {
    const hindcast = await opened()
    const error = await rejection(hindcast.audit("nobody"))
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ _tag: "TaskNotFound", taskId: "nobody", message: expect.stringContaining("nobody") })
    expect(await rejection(hindcast.tasks.open(outside({ gaol: "Count" })))).toBeInstanceOf(InvalidOptions)
    expect(String(error)).not.toContain("FiberFailure")
  })

  it("says of a task that is closed that it is", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Count" })
    await task.close("achieved")
    expect(await rejection(task.act("desk/add"))).toMatchObject({ _tag: "TaskClosed", taskId: task.id })
  })

  it("is a defect itself", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Count" })
    expect(await rejection(task.decided(outside(undefined)))).toBeInstanceOf(TypeError)
  })

  it("is none where a command fails or is denied: that is its outcome", async () => {
    const rules = [{ name: "no breaking", actuator: "desk/break", decision: "deny" }] as const
    const gate: Gate.GateConfig = { default: "allow", rules }
    const hindcast = await opened({ gate })
    const task = await hindcast.tasks.open({ goal: "Break" })
    expect(await task.act("desk/break")).toMatchObject({ status: "denied", rule: "no breaking" })
  })
})

describe("looks for inputs, again and again", () => {
  it("let the event loop run, without which no input could arrive", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Wait" })
    let hasRun = false
    setTimeout(() => {
      hasRun = true
    }, 0)
    for (let looks = 0; looks < 100_000 && !hasRun; looks++) expect(await task.inputs()).toEqual([])
    expect(hasRun).toBe(true)
  })
})

describe("a signal", () => {
  it("interrupts a command: the promise is rejected with its reason, after the end is recorded", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Hang" })
    const stopping = new AbortController()
    const acting = rejection(task.act("desk/hang", {}, { signal: stopping.signal }))
    await first(1, hindcast.events.follow({ types: ["CommandDispatched"] }))
    stopping.abort(new Error("enough"))
    expect(await acting).toEqual(new Error("enough"))
    expect(await typesIn(hindcast, "CommandDispatched", "CommandFailed")).toEqual([
      "CommandDispatched",
      "CommandFailed",
    ])
    expect(await task.act("desk/add")).toMatchObject({ status: "succeeded" })
  })

  it("interrupts a run, and its task is abandoned; without a reason it is an AbortError", async () => {
    const hindcast = await opened()
    const stopping = new AbortController()
    const agent = { name: "hanger", version: "1", decide: () => ({ act: "desk/hang" }) }
    const running = rejection(hindcast.tasks.run(agent, { goal: "Hang", signal: stopping.signal }))
    await first(1, hindcast.events.follow({ types: ["CommandDispatched"] }))
    stopping.abort()
    expect(await running).toMatchObject({ name: "AbortError" })
    const [closed] = await first(1, hindcast.events.read({ types: ["TaskClosed"] }))
    expect(closed?.payload).toEqual({ outcome: "abandoned", reason: "it was interrupted" })
  })

  it("that is aborted begins nothing", async () => {
    const hindcast = await opened()
    const signal = AbortSignal.abort()
    expect(await rejection(hindcast.tasks.open({ goal: "Count", signal }))).toMatchObject({ name: "AbortError" })
    expect(await typesIn(hindcast, "TaskOpened")).toEqual([])
  })

  it("may come after the arguments, in the options, or as undefined", async () => {
    const hindcast = await opened()
    const { signal } = new AbortController()
    const task = await hindcast.tasks.open({ goal: "Count", signal: undefined })
    await task.perceive({ signal })
    await task.perceive({ deadlineMs: 10_000, signal })
    await hindcast.audit(task.id, { signal })
    await hindcast.events.head({ signal })
    await task.close("achieved", undefined, { signal })
  })

  it("that is none is refused", async () => {
    const hindcast = await opened()
    const signal = outside(new AbortController())
    expect(placesOf(await rejection(hindcast.audit("nobody", { signal })))).toEqual(["signal"])
    for (const iterable of [hindcast.events.read({ signal }), hindcast.confirmations.follow({ signal })]) {
      expect(placesOf(await rejection(iterable[Symbol.asyncIterator]().next()))).toEqual(["signal"])
    }
  })

  it("is an argument of an actuator where it is JSON", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Count" })
    expect(await task.act("desk/add", { signal: "red" })).toMatchObject({ args: { signal: "red" } })
  })

  it("may be shared by many calls without a warning", async () => {
    const hindcast = await opened()
    const warnings: Array<Error> = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on("warning", warned)
    const { signal } = new AbortController()
    await Promise.all(Array.from({ length: 30 }, () => hindcast.events.head({ signal })))
    await new Promise((resolve) => setImmediate(resolve))
    process.off("warning", warned)
    expect(warnings).toEqual([])
  })
})

describe("what stands for the services", () => {
  it("answers with undefined where there is no event", async () => {
    const hindcast = await opened()
    const [event] = await first(1, hindcast.events.read())
    expect(await hindcast.events.find(event?.id ?? "")).toEqual(event)
    expect(await hindcast.events.find("none")).toBeUndefined()
  })

  it("deactivates and activates plugins", async () => {
    const hindcast = await opened()
    await hindcast.plugins.deactivate("desk")
    expect((await hindcast.plugins.state()).desk?.active).toBe(false)
    await hindcast.plugins.activate("desk")
    expect(await rejection(hindcast.plugins.activate("chair"))).toMatchObject({ _tag: "NotInRegistry" })
  })

  it("asks the past, by predicates in CEL too", async () => {
    const hindcast = await opened()
    const { taskId } = await hindcast.tasks.run(
      { name: "adder", version: "1", decide: ({ step }) => (step < 2 ? { act: "desk/add" } : { done: "achieved" }) },
      { goal: "Count", id: "counting" },
    )
    const { timeTravel } = hindcast
    const { position } = await hindcast.events.head()
    expect(await timeTravel.stateAt(position, `/tasks/${taskId}/outcome`)).toBe("achieved")
    const when = `state.tasks["${taskId}"].open`
    expect(await timeTravel.bisect(when)).toMatchObject({ event: { type: "TaskOpened" } })
    expect(await first(1, timeTravel.watch(null, when))).toMatchObject([{ type: "TaskOpened" }])
    const [outcome] = await first(1, hindcast.events.read({ types: ["CommandSucceeded"] }))
    const chain = await timeTravel.why(outcome?.id ?? "")
    expect(chain.map(({ type }) => type).slice(0, 3)).toEqual([
      "CommandSucceeded",
      "CommandDispatched",
      "CommandAllowed",
    ])
    expect((await first(9, timeTravel.history(`/tasks/${taskId}/readings/desk~1count`))).length).toBeGreaterThan(1)
    expect(await rejection(timeTravel.bisect("stat.tasks"))).toMatchObject({ _tag: "PredicateInvalid" })
  })

  it("scores again, tells of its progress, and names all that is wrong", async () => {
    const hindcast = await opened()
    await hindcast.tasks.run(
      { name: "brief", version: "1", decide: () => ({ done: "achieved" as const }) },
      { goal: "Be brief", id: "brief" },
    )
    const rewards = [{ name: "closed", when: "it is closed", weight: 0.5, rule: "event.type == 'TaskClosed'" }]
    const rubric = { name: "plain", measures: [{ name: "ends", description: "Does it end?", rewards }] }
    let told = 0
    const scored = await hindcast.rescore({
      rubric,
      onProgress: async () => {
        told++
      },
    })
    expect(scored).toMatchObject({ label: "plain", taskIds: ["brief"], totals: { brief: { net: 0.5 } } })
    expect(told).toBeGreaterThan(0)
    expect(placesOf(await rejection(hindcast.rescore(outside({ rubrik: 1 }))))).toEqual(["rubrik: rubric?", "rubric"])
    expect(await rejection(hindcast.rescore({ rubric: "none.yaml" }))).toMatchObject({ _tag: "RubricInvalid" })
    expect(await rejection(hindcast.rescore({ rubric, tasks: ["other"] }))).not.toBeInstanceOf(Scoring.ScoringOvertaken)
  })
})
