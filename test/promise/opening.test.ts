import * as fs from "node:fs"
import * as path from "node:path"
import { Lease, Models } from "hindcast"
import { Closed, type Hindcast, open } from "hindcast/promise"
import { describe, expect, it } from "vitest"
import { outside, placesOf } from "../wrongOptions.ts"
import { directory, opened, rejection, typesIn } from "./opened.ts"

describe("open", () => {
  it("answers with Hindcast on a log, and a task is perceived in, acted in, closed and audited", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Count" })
    const [before] = await task.perceive()
    const outcome = await task.act("desk/add", { by: 2 })
    const [after] = await task.perceive({ deadlineMs: 10_000 })
    const said = await task.say("done")
    await task.close("achieved")
    expect([before?.reading, outcome.status, after?.reading, said.type]).toEqual([0, "succeeded", 2, "MessageSent"])
    expect(await hindcast.audit(task.id)).toMatchObject({ goal: "Count", outcome: "achieved" })
  })

  it.each([
    ["no options", undefined, ["log"]],
    ["null", null, ["log"]],
    ["no log", {}, ["log"]],
    ["a log that is none", { log: 1 }, ["log"]],
    [
      "all mistakes at once",
      { lgo: "log.db", seed: -1, gate: { default: "alow" } },
      ['gate.default: "allow"?', "lgo: log?", "log", "seed"],
    ],
    ["agents that are none", { log: "log.db", onOpenTasks: "resume", agents: [1] }, ["agents[0]"]],
    ["a signal that is none", { log: "log.db", signal: new AbortController() }, ["signal"]],
  ])("rejects with InvalidOptions: %s", async (_, options, places) => {
    const error = await rejection(open(outside(options)))
    expect([...placesOf(error)].sort()).toEqual(places)
    expect(error).toMatchObject({ _tag: "InvalidOptions", of: "open" })
  })

  it("makes agents that think with its model, or with another one", async () => {
    const model = Models.scripted({ turns: [Models.says("Hello.")] })
    const hindcast = await open({ log: path.join(directory(), "log.db"), model })
    const audit = await hindcast.tasks.run(hindcast.agent({ name: "greeter" }), { goal: "Greet" })
    expect(audit).toMatchObject({ outcome: "achieved", model: { calls: 1 } })
    expect(hindcast.agent({ model: "anthropic/claude-sonnet-4-5" }).name).toBe("anthropic/claude-sonnet-4-5")
    await hindcast.close()
    const without = await open({ log: path.join(directory(), "other.db") })
    expect(() => without.agent()).toThrowError(/model: expected/)
    await without.close()
    expect(await rejection(open(outside({ log: "log.db", model: "opena/knows" })))).toMatchObject({
      _tag: "UnknownProvider",
    })
  })

  it("resumes the tasks of its agents, leaves open what it is closed in, and accepts nothing after that", async () => {
    const log = path.join(directory(), "durable.db")
    let isWaiting = true
    const agent = {
      name: "waiter",
      version: "1",
      decide: ({ step }: { readonly step: number }) =>
        step === 0 ? { say: "I wait" } : isWaiting ? new Promise<never>(() => {}) : ({ done: "achieved" } as const),
    }
    const first = await open({ log, onOpenTasks: "resume" })
    const running = first.tasks.run(agent, { id: "t", goal: "wait" })
    for await (const { type } of first.events.follow()) if (type === "MessageSent") break
    const closing = first.close()
    expect(first.close()).toBe(closing)
    expect(await rejection(first.tasks.open({ goal: "late" }))).toBeInstanceOf(Closed)
    await rejection(running)
    await closing
    isWaiting = false
    const second = await open({ log, onOpenTasks: "resume", agents: [agent] })
    for await (const { type } of second.events.follow()) if (type === "TaskClosed") break
    expect(await second.audit("t")).toMatchObject({ outcome: "achieved" })
    expect(await second.tasks.unfinished()).toEqual([])
    await second.close()
    expect(await rejection(open(outside({ log, agents: [agent] })))).toMatchObject({ _tag: "InvalidOptions" })
    expect(await rejection(open(outside({ log, onOpenTasks: "resume", agents: 1 })))).toMatchObject({
      _tag: "InvalidOptions",
    })
  })

  it("rejects with LeaseHeld where another kernel works on the log, and with nothing left open", async () => {
    const at = directory()
    const hindcast = await opened({ at, owner: "the first" })
    const error = await rejection(opened({ at }))
    expect(error).toBeInstanceOf(Lease.LeaseHeld)
    expect(error).toMatchObject({ _tag: "LeaseHeld", message: expect.stringContaining("the first") })
    await hindcast.close()
    await (await opened({ at })).close()
  })

  it("rejects with the error of a plugin that cannot be imported, and releases the lease", async () => {
    const at = directory()
    expect(await rejection(opened({ at, plugins: [path.join(at, "none")] }))).toMatchObject({
      _tag: "PluginUnavailable",
    })
    await opened({ at })
  })

  it("opens nothing for a signal that is aborted", async () => {
    const log = path.join(directory(), "log.db")
    const error = await rejection(open({ log, signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: "AbortError" })
    expect(fs.existsSync(log)).toBe(false)
  })

  it("is interrupted by its signal, whenever it comes, and leaves the log to the next", async () => {
    const at = directory()
    const begun = performance.now()
    await (await opened({ at })).close()
    const whole = performance.now() - begun
    for (const part of [0, 0.1, 0.2, 0.4, 0.6, 0.8]) {
      const stopping = new AbortController()
      setTimeout(() => stopping.abort("changed my mind"), part * whole)
      const ended = await opened({ at, signal: stopping.signal }).catch((error: unknown) => error)
      if (ended === "changed my mind") continue
      // It was opened before the signal came.
      await (ended as Hindcast).close()
    }
    await opened({ at })
  })
})

describe("close", () => {
  it("abandons open tasks, stops the kernel and releases the lease", async () => {
    const at = directory()
    const hindcast = await opened({ at })
    const task = await hindcast.tasks.open({ goal: "Stay open" })
    await hindcast.close()
    const next = await opened({ at })
    expect(await next.audit(task.id)).toMatchObject({ outcome: "abandoned" })
    expect(await typesIn(next, "KernelStopped", "LeaseTakenOver")).toEqual(["KernelStopped"])
  })

  it("rejects every later call with Closed, also one of a task, and an iteration's first", async () => {
    const hindcast = await opened()
    const task = await hindcast.tasks.open({ goal: "Count" })
    await hindcast.close()
    const calls = [
      hindcast.tasks.open({ goal: "Count" }),
      task.act("desk/add"),
      hindcast.plugins.state(),
      hindcast.events.read()[Symbol.asyncIterator]().next(),
      hindcast.events.follow()[Symbol.asyncIterator]().next(),
    ]
    for (const call of calls) {
      const error = await rejection(call)
      expect(error).toBeInstanceOf(Closed)
      expect(error).toMatchObject({ _tag: "Closed", log: expect.stringContaining("log.db") })
    }
  })

  it("interrupts the calls under way: they are rejected with Closed, and their end is in the log", async () => {
    const at = directory()
    const hindcast = await opened({ at })
    const task = await hindcast.tasks.open({ goal: "Hang" })
    const acting = rejection(task.act("desk/hang"))
    const running = rejection(
      hindcast.tasks.run({ name: "hanger", version: "1", decide: () => ({ act: "desk/hang" }) }, { goal: "Hang too" }),
    )
    for await (const { type } of hindcast.events.follow()) if (type === "CommandDispatched") break
    await hindcast.close()
    expect(await acting).toBeInstanceOf(Closed)
    expect(await running).toBeInstanceOf(Closed)
    const next = await opened({ at })
    expect(await typesIn(next, "TaskClosed", "CommandOutcomeUnknown")).toEqual(["TaskClosed", "TaskClosed"])
  })

  it("is idempotent, and may be called from within an agent", async () => {
    const hindcast = await opened()
    let closing: Promise<void> | undefined
    const agent = {
      name: "closer",
      version: "1",
      advance: async () => {
        closing = hindcast.close()
        await closing
        return false
      },
    }
    expect(await rejection(hindcast.tasks.run(agent, { goal: "Close" }))).toBeInstanceOf(Closed)
    expect(hindcast.close()).toBe(closing)
    await closing
  })

  it("is what `await using` calls", async () => {
    const at = directory()
    {
      await using hindcast = await opened({ at })
      await hindcast.tasks.open({ goal: "Stay open" })
    }
    expect(await typesIn(await opened({ at }), "KernelStopped")).toEqual(["KernelStopped"])
  })
})
