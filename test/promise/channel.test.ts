import { Channel, Models } from "hindcast"
import { fromModel } from "hindcast/promise"
import { describe, expect, it } from "vitest"
import { opened, rejection } from "./opened.ts"

describe("a channel of promises", () => {
  it("tells of a conversation, and takes what people say, until Hindcast is closed", async () => {
    const hindcast = await opened()
    const deltas = Channel.deltas()
    const model = Models.scripted({ turns: [Models.says("Hello, who are you?"), Models.says("Hello Ada.")] })
    const agent = fromModel({ model, conversation: true, onDelta: deltas.onDelta })
    const working = rejection(hindcast.tasks.run(agent, { goal: "Say hello", id: "t" }))
    for await (const { type } of hindcast.events.follow()) if (type === "TaskOpened") break
    const channel = await hindcast.channel("t", { deltas, by: "ada" })
    const told: Array<string> = []
    let said = 0
    for await (const event of channel.events()) {
      if (event.type === "onDelta") told.push(event.text)
      if (event.type === "onNewMessage") told.push(`(${event.content})`)
      if (event.type !== "onReadyForInput") continue
      if (said++ === 0) await channel.submitUserInput("I am Ada")
      else break
    }
    expect(told.join("")).toBe("Hello, who are you?(Hello, who are you?)Hello Ada.(Hello Ada.)")
    expect(await channel.state()).toBe("ready")
    expect(await rejection(channel.submitUserInput(" "))).toMatchObject({ _tag: "InvalidOptions" })
    expect(await rejection(hindcast.channel("none"))).toMatchObject({ _tag: "TaskNotFound" })

    const { position } = await hindcast.events.head()
    const rest = channel.events({ after: position })[Symbol.asyncIterator]()
    const waiting = rest.next()
    await channel.submitUserInput("Bye", { delivery: "steering" })
    expect(await waiting).toMatchObject({ value: { type: "onInputReceived", content: "Bye" } })
    await hindcast.close()
    await working
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) {
      expect(next.value.position).toBeGreaterThan(position)
    }
  })

  it("is served over HTTP, until the server or Hindcast is closed", async () => {
    const hindcast = await opened()
    await hindcast.tasks.open({ goal: "Count", id: "t" })
    const status = async ({ url, token }: { readonly url: string; readonly token: string }) =>
      (await fetch(`${url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).status
    const [first, second] = [await hindcast.serve(), await hindcast.serve({ by: "ada" })]
    expect([await status(first), await status(second)]).toEqual([200, 200])
    await first.close()
    expect(await rejection(status(first))).toBeInstanceOf(Error)
    expect(await status(second)).toBe(200)
    await hindcast.close()
    expect(await rejection(status(second))).toBeInstanceOf(Error)
  })
})
