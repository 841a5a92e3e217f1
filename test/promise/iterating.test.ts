import { describe, expect, it } from "vitest"
import { outside } from "../wrongOptions.ts"
import { directory, first, opened, rejection, typesIn } from "./opened.ts"

describe("an iteration", () => {
  it("reads the past to its end, and again from the beginning each time", async () => {
    const hindcast = await opened()
    const read = hindcast.events.read({ types: ["PluginImported", "KernelStarted"] })
    const types = async () => {
      const found: Array<string> = []
      for await (const { type } of read) found.push(type)
      return found
    }
    expect(await types()).toEqual(["KernelStarted", "PluginImported"])
    expect(await types()).toEqual(["KernelStarted", "PluginImported"])
  })

  it("follows what is committed after it began", async () => {
    const hindcast = await opened()
    const { position } = await hindcast.events.head()
    const following = first(2, hindcast.events.follow({ after: position, types: ["TaskOpened"] }))
    await hindcast.tasks.open({ goal: "one" })
    await hindcast.tasks.open({ goal: "two" })
    expect((await following).map(({ payload }) => payload.goal)).toEqual(["one", "two"])
  })

  it("ends when its loop is left, and answers nothing more", async () => {
    const hindcast = await opened()
    const iterator = hindcast.events.follow()[Symbol.asyncIterator]()
    expect(await iterator.next()).toMatchObject({ done: false })
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it("that waits is ended by return", async () => {
    const hindcast = await opened()
    const { position } = await hindcast.events.head()
    const iterator = hindcast.events.follow({ after: position })[Symbol.asyncIterator]()
    const waiting = iterator.next()
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
  })

  it("keeps the order of what is asked for at once", async () => {
    const hindcast = await opened()
    const iterator = hindcast.events.read()[Symbol.asyncIterator]()
    const asked = await Promise.all([iterator.next(), iterator.next(), iterator.next()])
    expect(asked.map(({ value }) => value?.position)).toEqual([1, 2, 3])
    await iterator.return?.()
  })

  it("reads nothing before it is asked", async () => {
    const hindcast = await opened()
    const iterator = hindcast.events.read({ types: ["TaskOpened"] })[Symbol.asyncIterator]()
    await hindcast.tasks.open({ goal: "Count" })
    expect(await iterator.next()).toMatchObject({ done: false, value: { type: "TaskOpened" } })
    await iterator.return?.()
  })

  it("is rejected with its error, and over after it", async () => {
    const hindcast = await opened()
    const iterator = hindcast.events.read(outside({ after: "first" }))[Symbol.asyncIterator]()
    expect(await rejection(iterator.next())).toMatchObject({ _tag: "InvalidQuery" })
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it("is rejected with the reason of its signal while it waits", async () => {
    const hindcast = await opened()
    const stopping = new AbortController()
    const { position } = await hindcast.events.head()
    const { signal } = stopping
    const iterator = hindcast.events.follow({ after: position, signal })[Symbol.asyncIterator]()
    const waiting = rejection(iterator.next())
    setTimeout(() => stopping.abort("enough"), 20)
    expect(await waiting).toBe("enough")
    expect(await iterator.next()).toEqual({ done: true, value: undefined })
  })

  it("that follows ends without an error when Hindcast is closed, also one that nobody waits for", async () => {
    const hindcast = await opened()
    const seen: Array<number> = []
    const following = (async () => {
      for await (const { position } of hindcast.events.follow()) seen.push(position)
    })()
    const idle = hindcast.events.follow()[Symbol.asyncIterator]()
    await idle.next()
    await first(1, hindcast.events.follow())
    await hindcast.close()
    await following
    expect(seen.length).toBeGreaterThan(0)
    expect(await idle.next()).toMatchObject({ done: true })
  })

  it("that follows ends so too where nothing came that it could tell of", async () => {
    const hindcast = await opened()
    const asked: Array<string> = []
    const following = (async () => {
      for await (const { confirmationId } of hindcast.confirmations.follow()) asked.push(confirmationId)
    })()
    await hindcast.events.head()
    await hindcast.close()
    await following
    expect(asked).toEqual([])
  })
})

describe("confirmations", () => {
  it("are followed and decided: those that wait, then those that come", async () => {
    const hindcast = await opened({ gate: { default: "confirm" } })
    const task = await hindcast.tasks.open({ goal: "Count" })
    const { signal } = new AbortController()
    const asked = task.act("desk/add")
    await first(1, hindcast.events.follow({ types: ["ConfirmationRequested"] }))
    const followed = hindcast.confirmations.follow({ signal })[Symbol.asyncIterator]()
    const { value: waiting } = await followed.next()
    expect(Object.keys(await hindcast.confirmations.pending())).toEqual([waiting?.confirmationId])
    expect(waiting?.shown).toMatchObject({ actuator: "desk/add" })
    const decision = { approved: true, by: "ada", channel: "program" }
    await hindcast.confirmations.decide(waiting?.confirmationId ?? "", decision)
    expect(await asked).toMatchObject({ status: "succeeded" })

    const next = followed.next()
    const refused = task.act("desk/add", { by: 5 })
    const { value: second } = await next
    expect(second?.confirmationId).not.toBe(waiting?.confirmationId)
    await hindcast.confirmations.decide(second?.confirmationId ?? "", { ...decision, approved: false })
    expect(await refused).toMatchObject({ status: "denied" })
    await followed.return?.()
    const again = hindcast.confirmations.decide(second?.confirmationId ?? "", decision)
    expect(await rejection(again)).toMatchObject({ _tag: "NotPending" })
  })

  it("are decided to the end, also where Hindcast closes meanwhile: the caller learns of the answer in the log", async () => {
    const at = directory()
    const hindcast = await opened({ at, gate: { default: "confirm" } })
    const task = await hindcast.tasks.open({ goal: "Count" })
    const asked = task.act("desk/add").catch(() => undefined)
    await first(1, hindcast.events.follow({ types: ["ConfirmationRequested"] }))
    const [id = ""] = Object.keys(await hindcast.confirmations.pending())
    const deciding = hindcast.confirmations.decide(id, { approved: false, by: "ada", channel: "program" })
    await Promise.all([deciding, hindcast.close(), asked])
    expect(await typesIn(await opened({ at }), "ConfirmationDecided")).toEqual(["ConfirmationDecided"])
  })
})
