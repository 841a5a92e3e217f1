import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ask } from "../record/proxy/scripted.ts"
import { workplace } from "../workplace.ts"
import { document, hindcast, listed, start } from "./hindcast.ts"

const place = workplace()
const log = place.file("team.db")

/** The answers that are held in their middle. */
const held: Array<http.ServerResponse> = []

/** A model that repeats what it is told, and holds the answer to `hold`. */
const provider = http.createServer(async (request, response) => {
  let body = ""
  for await (const piece of request) body += piece
  const said = JSON.parse(body).messages.at(-1).content
  response.setHeader("content-type", "text/event-stream")
  const piece = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  response.write(piece({ content: `heard ${said}` }))
  if (said === "hold" && held.length === 0) held.push(response)
  else response.end(piece({}, "stop"))
})
provider.on("upgrade", (_, socket) => socket.end("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"))
let OPENAI_BASE_URL = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  OPENAI_BASE_URL = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1`
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await place.remove()
})

/** A proxy that listens, as it says. */
const listening = async () => {
  const { child, ended } = start(["proxy", "--log", log, "--json"], { env: { OPENAI_BASE_URL } })
  const told = await new Promise<string>((resolve, reject) => {
    let text = ""
    child.stdout.on("data", (piece: string) => {
      text += piece
      if (text.endsWith("\n")) resolve(text)
    })
    ended.then(({ stderr }) => reject(new Error(stderr)))
  })
  const { url, variables } = JSON.parse(told)
  return { child, ended, url: String(url), base: String(variables.OPENAI_BASE_URL) }
}

const says = (...texts: ReadonlyArray<string>) => ({
  model: "m",
  stream: true,
  messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
})

const talk = (base: string, texts: ReadonlyArray<string>, headers: ReadonlyArray<string> = []) =>
  ask(`${base}/chat/completions`, { headers, body: JSON.stringify(says(...texts)) })

describe("hindcast proxy", () => {
  it("names the WebSockets that it passed on without recording them, when it ends", async () => {
    const { child, ended, base } = await listening()
    const headers = { connection: "upgrade", upgrade: "websocket" }
    const statuses = await Promise.all(
      ["responses", "responses", "realtime"].map(
        (path) =>
          new Promise((resolve, reject) =>
            http.get(`${base}/${path}`, { headers }, ({ statusCode }) => resolve(statusCode)).on("error", reject),
          ),
      ),
    )
    expect(statuses).toEqual([404, 404, 404])
    child.kill("SIGINT")
    const { stderr } = await ended
    const host = new URL(OPENAI_BASE_URL).host
    expect(stderr).toContain(`Not recorded: 2 connections to ${host}/v1/responses.`)
    expect(stderr).toContain(`Not recorded: 1 connection to ${host}/v1/realtime.`)
  })

  it("records each conversation as a task, continues it after a restart and after a kill, and loses no answer", async () => {
    const first = await listening()
    await Promise.all([
      talk(first.base, ["one"]),
      talk(first.base, ["two"]),
      talk(first.base.replace("/openai/", "/run/order-7/openai/"), ["three"]),
      talk(first.base, ["four"], ["X-Hindcast-Run", "order-7"]),
    ])
    await talk(first.base, ["one", "heard one", "one more"])
    const refused = await talk(first.base, ["five"], ["X-Hindcast-Run", "no name!"])
    expect([refused.status, refused.body.toString()]).toEqual([
      400,
      expect.stringContaining("expected 1 to 100 of the characters"),
    ])

    first.child.kill("SIGINT")
    await first.ended

    const second = await listening()
    await talk(second.base, ["one", "heard one", "one more", "heard one more", "and more"])
    // The proxy is killed in the middle of an answer.
    const cut = new Promise<void>((resolve) => {
      const sent = http.request(`${second.base}/chat/completions`, { method: "POST" }, (response) => {
        response.once("data", async () => {
          const isRecorded = ({ payload }: Record<string, unknown>) => JSON.stringify(payload).includes("hold")
          while (!((await listed(["--log", log, "--type", "ModelCalled"])) as Array<never>).some(isRecorded));
          second.child.kill("SIGKILL")
        })
        response.on("error", () => resolve())
      })
      sent.on("error", () => resolve())
      sent.end(JSON.stringify(says("hold")))
    })
    await Promise.all([cut, second.ended])
    expect(held).toHaveLength(1)

    const third = await listening()
    await talk(third.base, ["hold"])
    await talk(third.base, ["one", "heard one", "one more", "heard one more", "and more", "heard and more", "the last"])
    await talk(third.base, ["four", "heard four", "six"], ["X-Hindcast-Run", "order-7"])
    third.child.kill("SIGINT")
    await third.ended

    expect((await hindcast(["log", "verify", "--log", log])).code).toBe(0)
    const { tasks } = (await document(["task", "ls", "--log", log])) as {
      tasks: ReadonlyArray<{ readonly id: string; readonly goal: string }>
    }
    const events = (await listed(["--log", log, "--limit", "1000"])) as ReadonlyArray<Record<string, unknown>>
    const answers = (goal: string) => {
      const { id = "" } = tasks.find((task) => task.goal === goal) ?? {}
      return events.filter(({ type, taskId }) => type === "ModelResponded" && taskId === id).length
    }
    expect([answers("one"), answers("two"), answers("hold")]).toEqual([4, 1, 1])
    expect(tasks.map(({ goal }) => goal).sort()).toEqual(["hold", "one", "three", "two"])
    expect(tasks.map(({ id }) => id)).toContain("order-7")
    expect(events.filter(({ type, taskId }) => type === "ModelResponded" && taskId === "order-7")).toHaveLength(3)
    expect(tasks.map(({ goal }) => goal)).not.toContain("five")
  })
})
