import { once } from "node:events"
import * as http from "node:http"
import { afterAll, describe, expect, it } from "vitest"
import { type Run, record, replayed } from "../../src/record/index.ts"
import { eventsOf, temporary } from "./recorded.ts"

/** Sends the first piece of an answer, and then nothing. */
const silent = http.createServer((request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: "On its way" } }] })}\n\n`)
  })
})
await once(silent.listen(0, "127.0.0.1"), "listening")
afterAll(() => {
  silent.close()
  silent.closeAllConnections()
})

const url = (): string => {
  const address = silent.address()
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : address}/v1/chat/completions`
}

/** Aborts when the first piece has come. Answers with what was read, and what reading failed with. */
const aborting = (reason?: unknown) => async (run: Run) => {
  const controller = new AbortController()
  const body = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "Hi" }] })
  const response = await run.fetch(url(), { method: "POST", body, signal: controller.signal })
  const read: Array<string> = []
  try {
    for await (const piece of response.body ?? []) {
      read.push(Buffer.from(piece).toString())
      setImmediate(() => controller.abort(reason))
    }
  } catch (error) {
    read.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error))
  }
  return read.join("\n")
}

describe("an answer that the program's signal ends", () => {
  it.each([
    ["by itself", undefined, "AbortError"],
    ["by a reason of its own", new Error("the user left"), "Error: the user left"],
  ])("is no answer that broke off, and ends with the same error in a replay: %s", async (_, reason, failure) => {
    const log = temporary("aborted.db")
    const program = aborting(reason)
    const run = await record({ log, goal: "Answer", agent: "clerk" })
    const said = await program(run)
    await run.end("achieved")
    expect(said).toContain("On its way")
    expect(said).toContain(failure)
    const failed = (await eventsOf(log)).find(({ type }) => type === "ModelFailed")
    expect(failed?.payload).toMatchObject({ kind: "cancelled", response: [{ type: "text", text: "On its way" }] })
    expect(await replayed({ log }, program)).toBe(said)
  })
})
