/** An editor that speaks ACP with `hindcast acp`, by the protocol's own library, and a model's server with scripted answers. */

import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import * as fs from "node:fs"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as path from "node:path"
import { Readable, Writable } from "node:stream"
import * as acp from "@agentclientprotocol/sdk"
import { afterEach } from "vitest"
import { MAIN, shippedPlugin } from "../built.ts"
import { temporary } from "../record/recorded.ts"

export type Update = acp.SessionUpdate & { readonly [field: string]: unknown }

/** An answer of the model: text, or calls of tools by their names. `hangs`: the text comes, and the answer never ends. */
export interface ModelAnswer {
  readonly text?: string
  readonly calls?: ReadonlyArray<readonly [tool: string, args: object]>
  readonly hangs?: boolean
  readonly status?: number
}

const left: Array<() => void> = []
afterEach(() => {
  for (const end of left.splice(0)) end()
})

/** A server of a model that gives the answers in turn. */
export const modelServer = async (answers: Array<ModelAnswer>) => {
  const asked: Array<{ readonly messages: ReadonlyArray<{ readonly role: string; readonly content: unknown }> }> = []
  const server = http.createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      asked.push(JSON.parse(body))
      const {
        text,
        calls = [],
        hangs,
        status = 200,
      } = answers.shift() ?? { text: "Nothing is left to say.", status: 200 }
      if (status !== 200) {
        response.writeHead(status).end('{"error":{"message":"no"}}')
        return
      }
      response.writeHead(200, { "content-type": "text/event-stream" })
      const send = (event: object) =>
        response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", ...event })}\n\n`)
      const toolCalls = calls.map(([name, args], index) => ({
        index,
        id: `call-${asked.length}-${index}`,
        type: "function",
        function: { name, arguments: JSON.stringify(args) },
      }))
      const delta = {
        role: "assistant",
        ...(text === undefined ? {} : { content: text }),
        ...(calls.length > 0 ? { tool_calls: toolCalls } : {}),
      }
      send({ choices: [{ index: 0, delta, finish_reason: null }] })
      if (hangs === true) return
      const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
      send({ choices: [{ index: 0, delta: {}, finish_reason: calls.length > 0 ? "tool_calls" : "stop" }], usage })
      response.end("data: [DONE]\n\n")
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  left.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

/** A project's directory; with tools to write files and run programs, if `tools` says so. */
export const project = async ({ tools = false } = {}): Promise<string> => {
  const directory = temporary("project")
  fs.mkdirSync(directory)
  if (tools) await hindcast(directory, ["plugin", "add", shippedPlugin("plugins", "workspace")])
  return directory
}

export const logOf = (directory: string): string => path.join(directory, ".hindcast", "log.db")

export const hindcast = async (directory: string, args: ReadonlyArray<string>): Promise<string> => {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: directory, stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const [code] = await once(child, "close")
  if (code !== 0) throw new Error(`hindcast ${args.join(" ")} ended with ${code}: ${said}`)
  return said
}

export const start = (directory: string, url: string, args: ReadonlyArray<string> = []) => {
  const child = spawn(process.execPath, [MAIN, "acp", "--model", "openai-compatible/tested", ...args], {
    cwd: directory,
    env: { ...process.env, OPENAI_COMPATIBLE_BASE_URL: url, OPENAI_COMPATIBLE_API_KEY: "sk-none", HINDCAST_LOG: "" },
    stdio: ["pipe", "pipe", "pipe"],
  })
  left.push(() => child.kill("SIGKILL"))
  let said = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  const ended = once(child, "close").then(([code]) => ({ code, stderr: said }))
  return { child, ended, stderr: () => said }
}

export type Choice = "allow" | "reject" | "cancel" | "never"

/** An editor with its connection. `choose` answers permission requests. */
export const editor = (
  { child }: { readonly child: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable } },
  choose: (request: acp.RequestPermissionRequest) => Choice | Promise<Choice> = () => "never",
) => {
  const updates: Array<Update> = []
  const permissions: Array<acp.RequestPermissionRequest> = []
  const watching = new Set<() => void>()
  const look = () => {
    for (const one of watching) one()
  }
  const app = acp
    .client({ name: "tested" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update as Update)
      look()
    })
    .onRequest("session/request_permission", async ({ params }) => {
      permissions.push(params)
      look()
      const choice = await choose(params)
      if (choice === "never") return new Promise<never>(() => {})
      if (choice === "cancel") return { outcome: { outcome: "cancelled" } }
      const option = params.options.find(({ kind }) => kind === (choice === "allow" ? "allow_once" : "reject_once"))
      return { outcome: { outcome: "selected", optionId: option?.optionId ?? "" } }
    })
  const stream = acp.ndJsonStream(
    Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
  )
  const { agent } = app.connect(stream)
  /** Completes once something that the editor has seen fits. */
  const seen = (fits: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!fits()) return
        watching.delete(check)
        resolve()
      }
      watching.add(check)
      check()
    })
  const initialized = () => agent.request("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const opened = async (cwd: string) => {
    await initialized()
    return (await agent.request("session/new", { cwd, mcpServers: [] })).sessionId
  }
  const prompt = (sessionId: string, text: string) =>
    agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
  const textOf = (kind: string) =>
    updates
      .map((update) =>
        update.sessionUpdate === kind && "content" in update ? (update.content as { text?: string }).text : "",
      )
      .join("")
  return { agent, updates, permissions, seen, initialized, opened, prompt, textOf }
}
