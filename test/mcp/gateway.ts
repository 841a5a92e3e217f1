import { PassThrough } from "node:stream"
import type { GateConfig } from "../../src/kernel/gate/Gate.ts"
import * as Gateway from "../../src/mcp/Gateway.ts"
import * as ServerProcess from "../../src/mcp/server/ServerProcess.ts"
import { inRepository } from "../repository.ts"

export const scripted = (behaviour: string, received?: string) =>
  [
    process.execPath,
    inRepository("test", "mcp", "servers", "scripted.mjs"),
    behaviour,
    ...(received === undefined ? [] : [received]),
  ] as const

export const ALLOW: GateConfig = { rules: [], default: "allow" }

type Options = Partial<Gateway.GatewayOptions> &
  Pick<Gateway.GatewayOptions, "log"> & { readonly command?: Parameters<typeof ServerProcess.start>[0] }

interface Reply {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: tests read what servers send
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string }
}

/** A gateway in this process, between a scripted server and a client that writes lines. */
export const gateway = ({ command = scripted("plain"), ...options }: Options) => {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const notes: Array<string> = []
  const stopping = new AbortController()
  const ended = Gateway.run({
    server: "scripted",
    connect: () => ServerProcess.start(command),
    gate: ALLOW,
    waitMs: 0,
    callMs: 60_000,
    note: (text) => notes.push(text),
    stop: stopping.signal,
    input,
    output,
    ...options,
  })
  ended.catch(() => {})
  const received: Array<Reply> = []
  const lines: Array<string> = []
  const waiting: Array<{ readonly fits: (reply: Reply) => boolean; readonly resolve: (reply: Reply) => void }> = []
  let rest = ""
  output.setEncoding("utf8").on("data", (text: string) => {
    const parts = `${rest}${text}`.split("\n")
    rest = parts.pop() ?? ""
    for (const line of parts) {
      const reply: Reply = JSON.parse(line)
      received.push(reply)
      lines.push(line)
      const index = waiting.findIndex(({ fits }) => fits(reply))
      if (index !== -1) waiting.splice(index, 1)[0]?.resolve(reply)
    }
  })
  const until = (fits: (reply: Reply) => boolean): Promise<Reply> =>
    new Promise((resolve) => waiting.push({ fits, resolve }))
  const write = (line: string) => input.write(`${line}\n`)
  let ids = 0
  const request = (method: string, params: object = {}): Promise<Reply> => {
    const id = ++ids
    const reply = until((one) => one.id === id && one.method === undefined)
    write(JSON.stringify({ jsonrpc: "2.0", id, method, params }))
    return reply
  }
  return {
    request,
    call: (name: string, args: object = {}, more: object = {}) =>
      request("tools/call", { name, arguments: args, ...more }),
    notify: (method: string, params: object) => write(JSON.stringify({ jsonrpc: "2.0", method, params })),
    initialize: () =>
      request("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "tester", version: "1" },
      }),
    write,
    until,
    received,
    lines,
    notes,
    lastId: () => ids,
    stop: () => stopping.abort(),
    end: async () => {
      input.end()
      return ended
    },
    ended,
  }
}

/** `_meta` of a client since 2026-07-28 that shows forms. */
export const MODERN = {
  _meta: {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "modern", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  },
}
