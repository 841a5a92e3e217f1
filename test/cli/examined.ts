/** Programs that ask a model, and what the doctor says of them. */
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll } from "vitest"
import { workplace } from "../workplace.ts"
import { start } from "./hindcast.ts"

export const place = workplace()

/** A program that asks a model by `ask`, which answers with what the model said. */
export const program = (name: string, body: string) =>
  place.file(
    `${name}.mjs`,
    `import { randomUUID } from "node:crypto"
const ask = async (content) => {
  const response = await fetch(process.env.BASE + "/v1/chat/completions", {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", messages: [{ role: "user", content }] }),
  })
  return (await response.json()).choices[0].message.content
}
${body}
console.log("done")
`,
  )

/** A model that repeats what it is told. */
const provider = http.createServer((request, response) => {
  let body = ""
  request.on("data", (piece) => {
    body += piece
  })
  request.on("end", () => {
    asked += 1
    const said = JSON.parse(body).messages.at(-1).content
    response.setHeader("content-type", "application/json")
    response.end(
      JSON.stringify({
        choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: `heard ${said}` } }],
      }),
    )
  })
})
export let asked = 0
export let BASE = ""

beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve))
  BASE = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(async () => {
  provider.close()
  await place.remove()
})

interface Report {
  readonly requests: number
  readonly reproducible: boolean | null
  readonly taskId: string
  readonly findings: ReadonlyArray<{
    readonly cause: string
    readonly position: number
    readonly requests: number
    readonly difference: { readonly where: string; readonly recorded: string; readonly now: string }
  }>
  readonly attempts: ReadonlyArray<{ readonly what: string; readonly at: string | null }>
}

export const doctor = (...args: ReadonlyArray<string>) =>
  start(["record", "doctor", "--log", place.file("doctor.db"), ...args], { env: { BASE } }).ended

export const examined = async (name: string, body: string): Promise<Report & { readonly code: number | null }> => {
  const { code, stdout } = await doctor("--json", "--", process.execPath, program(name, body))
  return { code, ...JSON.parse(stdout) }
}
