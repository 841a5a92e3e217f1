import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as LiveRun from "../../../src/record/LiveRun.ts"
import * as CallsOfRun from "../../../src/record/proxy/CallsOfRun.ts"
import * as OutgoingRequests from "../../../src/record/proxy/OutgoingRequests.ts"
import * as ProviderProxy from "../../../src/record/proxy/ProviderProxy.ts"
import type { RunAtWork } from "../../../src/record/RunAtWork.ts"

let directory: string
let run: RunAtWork
let proxy: ProviderProxy.ProviderProxy
let forwarding: OutgoingRequests.OutgoingRequests
let address: string

beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), "hindcast-calls-"))
  run = await LiveRun.begin({ log: path.join(directory, "log.db"), goal: "Try", agent: "walker" }, () => {})
  forwarding = OutgoingRequests.make()
  const routes = ProviderProxy.routes({})
  proxy = await ProviderProxy.recording(
    { routes, forwarding, env: {}, exchange: run.exchange },
    { calls: CallsOfRun.make(run) },
  )
  address = proxy.variables.HINDCAST_RUN ?? ""
})
afterAll(async () => {
  await run.end("achieved")
  await proxy.close()
  forwarding.close()
  fs.rmSync(directory, { recursive: true, force: true })
})

const post = async (what: string, body: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${address}/${what}`, { method: "POST", body, headers })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

const begin = (call: object) => post("call", JSON.stringify(call))

describe("the calls of a program that a proxy serves", () => {
  it("begin and end, and may overlap, in any order", async () => {
    const [one, other] = [
      await begin({ kind: "tool", name: "add", args: { a: 1 } }),
      await begin({ kind: "tool", name: "add", args: { a: 2 } }),
    ]
    expect([one.body, other.body]).toEqual([{ call: 1 }, { call: 2 }])
    expect(await post("ended", JSON.stringify({ call: 2, result: 4 }))).toEqual({ status: 200, body: null })
    expect(await post("ended", JSON.stringify({ call: 1, failed: { name: "E", message: "no" } }))).toEqual({
      status: 200,
      body: null,
    })
    expect(await post("ended", JSON.stringify({ call: 1, result: 1 }))).toMatchObject({
      status: 400,
      body: { error: { type: "hindcast_NoSuchCall" } },
    })
  })

  it("take a sensor's readings in the order in which they began", async () => {
    const begun = await Promise.all([
      begin({ kind: "sensor", name: "clock" }),
      begin({ kind: "sensor", name: "clock" }),
    ])
    for (const { body } of begun)
      expect((await post("ended", JSON.stringify({ call: body.call, result: 1 }))).status).toBe(200)
  })

  it.each([
    ["call", "no JSON"],
    ["call", "[]"],
    ["call", JSON.stringify({ kind: "magic", name: "x" })],
    ["call", JSON.stringify({ kind: "tool", name: "two words" })],
    ["call", JSON.stringify({ kind: "tool", name: "x", args: [1] })],
    ["call", JSON.stringify({ kind: "tool", name: "x", __proto__: null, constructor: 1 })],
    ["ended", JSON.stringify({ call: "1" })],
    ["ended", ""],
    ["other", "{}"],
  ])("refuse what is no call: %s %s", async (what, body) => {
    const answer = await post(what, body)
    expect(answer).toMatchObject({ status: 400, body: { error: { type: "hindcast_InvalidOptions" } } })
  })

  it("are only for whoever knows the address, and for no web page", async () => {
    const { origin } = new URL(address)
    const guessed = await fetch(`${origin}/hindcast/guess/call`, { method: "POST", body: "{}" })
    expect(guessed.status).toBe(404)
    expect((await post("call", "{}", { origin: "https://evil.example" })).status).toBe(403)
  })
})
