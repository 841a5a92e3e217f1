import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { forked, type Run, record, replayed } from "../../src/record/index.ts"
import { workplace } from "../workplace.ts"

const place = workplace()
const log = place.file("closed.db")
const agent = new http.Agent({ keepAlive: true })

/** What is asked of it besides the run's own requests. */
let reached = 0
const server = http.createServer((request, response) => {
  if (request.url !== "/run") reached += 1
  response.end("real")
})
let port = 0
let url = ""

/** Each way to ask, but for the run's. */
const ways = {
  fetch: async () => (await fetch(url)).text(),
  http: () =>
    new Promise((resolve, reject) => {
      http.get(url, { agent }, (response) => response.resume().on("end", resolve)).on("error", reject)
    }),
  net: () =>
    new Promise<void>((resolve, reject) => {
      const socket = net.connect(port, "localhost", () => resolve(void socket.end())).on("error", reject)
    }),
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
  port = (server.address() as AddressInfo).port
  url = `http://localhost:${port}/`
  const run = await record({ log, goal: "Ask", agent: "asker" })
  await run.fetch(`${url}run`).then((response) => response.text())
  await run.fetch(`${url}run`).then((response) => response.text())
  await run.end("achieved")
  // Connections that are open before a replay, and kept.
  await Promise.all([ways.fetch(), ways.http()])
})
afterAll(async () => {
  agent.destroy()
  server.close()
  await place.remove()
})

const program =
  (then: () => Promise<unknown> = async () => {}) =>
  async (run: Run) => {
    const ask = async () => (await run.fetch(`${url}run`)).text()
    return [await ask(), await then(), await ask()]
  }

describe("a program that is replayed in the process of its test", () => {
  it.each(Object.entries(ways))(
    "reaches nothing by %s, also by a connection that was kept, while its test does",
    async (_, way) => {
      reached = 0
      const replaying = replayed(
        { log },
        program(async () => way().catch((error: Error) => error)),
      )
      await expect(replaying).rejects.toMatchObject({
        _tag: "Diverged",
        message: expect.stringMatching(
          /in the network, expected no access during a replay, found a connection to localhost:\d+, at .*closed\.test\.ts/,
        ),
      })
      expect(reached).toBe(0)
      await way()
      const meanwhile = { answer: ways.http() }
      expect(
        await replayed(
          { log },
          program(async () => meanwhile.answer),
        ),
      ).toMatchObject(["real", undefined, "real"])
    },
  )

  it("tells the program why", async () => {
    let told: unknown
    await replayed(
      { log },
      program(async () => ways.http().catch((error) => (told = error))),
    ).catch(() => {})
    expect(told).toMatchObject({
      code: "ERR_NETWORK_CLOSED",
      message: expect.stringContaining(`allowHosts: ["localhost:${port}"]`),
    })
  })

  it("reaches what allowHosts names, and a server of its own", async () => {
    const allowHosts = [`localhost:${port}`]
    expect(await replayed({ log, allowHosts }, program(ways.http))).toMatchObject(["real", undefined, "real"])
    const own = () =>
      new Promise((resolve, reject) => {
        const mine = net
          .createServer((socket) => socket.end("mine"))
          .listen(0, "127.0.0.1", () => {
            net
              .connect((mine.address() as AddressInfo).port, "127.0.0.1")
              .on("data", (data) => resolve(String(data)))
              .on("error", reject)
              .on("close", () => mine.close())
          })
      })
    expect(await replayed({ log }, program(own))).toEqual(["real", "mine", "real"])
    await expect(replayed({ log, allowHosts: ["http://localhost"] }, program())).rejects.toThrow(
      "expected a host: HOST:PORT or HOST",
    )
  })

  it("is closed in a fork up to its moment alone", async () => {
    reached = 0
    await expect(forked({ log, at: "@5" }, program(ways.net))).rejects.toMatchObject({ _tag: "Diverged" })
    const { answer } = await forked({ log, at: "@3" }, program(ways.http))
    expect(answer).toEqual(["real", undefined, "real"])
  })
})
