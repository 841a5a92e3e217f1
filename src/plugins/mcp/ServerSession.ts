/**
 * A session with an MCP server: the SDK's client, of which only this room knows. It speaks the protocol of 2026-07-28
 * and the earlier ones.
 */
import type { Client, JsonSchemaValidator, Transport } from "@modelcontextprotocol/client"
import { type Json, type JsonObject, stringified } from "../../values/Json.ts"
import { asObject } from "../../values/JsonObjects.ts"
import type { Signal } from "../author.ts"
import type { ElicitationAnswer } from "./Elicitation.ts"

export interface CallOptions {
  readonly signal: Signal
  readonly onProgress?: (fraction: number | undefined, message: string | undefined) => void
}

export interface ServerSession {
  /** The server's own name and version, in a line. */
  readonly about: string
  readonly version: string
  /** The protocol's version. */
  readonly protocol: string
  /** All tools, as they came. Fails above `MAX_PAGES` pages. */
  readonly listTools: () => Promise<ReadonlyArray<Json>>
  readonly listResources: () => Promise<ReadonlyArray<Json>>
  readonly callTool: (name: string, args: JsonObject, options: CallOptions) => Promise<JsonObject>
  readonly readResource: (uri: string, options: CallOptions) => Promise<JsonObject>
  readonly close: () => Promise<void>
}

export interface SessionInput {
  readonly transport: Transport
  /** Time to answer the handshake and to list, in milliseconds. */
  readonly timeoutMs: number
  readonly onToolsChanged: () => void
  readonly onElicitation: (params: JsonObject) => Promise<ElicitationAnswer>
}

/** Maximum number of pages of a list. */
export const MAX_PAGES = 64

/** Time to answer whether it speaks the protocol of 2026-07-28; older servers may not answer. In milliseconds. */
const PROBE_MS = 15_000

/** `setTimeout` takes no more. The host has time-outs of its own. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/** Loaded at first use, because few programs use an MCP server. */
export const sdk = async () => {
  try {
    return await import("@modelcontextprotocol/client")
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `the package @modelcontextprotocol/client does not load (${found}). Install it: npm install @modelcontextprotocol/client@2`,
    )
  }
}

export const open = async (input: SessionInput): Promise<ServerSession> => {
  const { Client } = await sdk()
  const client = new Client(
    { name: "hindcast", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: "auto", probe: { timeoutMs: PROBE_MS } },
      listMaxPages: MAX_PAGES,
      // Hindcast validates results itself, in bounded time.
      jsonSchemaValidator: {
        getValidator:
          <T>(): JsonSchemaValidator<T> =>
          (value) => ({ valid: true, data: value as T, errorMessage: undefined }),
      },
      listChanged: { tools: { autoRefresh: false, onChanged: input.onToolsChanged } },
    },
  )
  client.setRequestHandler("elicitation/create", async ({ params }) => ({
    ...(await input.onElicitation(jsonOf(params))),
  }))
  // Broken messages are reported by the calls that wait for an answer.
  client.onerror = () => {}
  await client.connect(input.transport, { timeout: input.timeoutMs })
  return sessionOf(client, input.timeoutMs)
}

const sessionOf = (client: Client, timeout: number): ServerSession => {
  const { name = "unnamed", version = "" } = client.getServerVersion() ?? {}
  return {
    about: `${name} ${version}`.trim(),
    version,
    protocol: client.getNegotiatedProtocolVersion() ?? "unknown",
    listTools: async () => {
      if (client.getServerCapabilities()?.tools === undefined) return []
      const { tools } = await client.listTools(undefined, { timeout, cacheMode: "refresh" })
      return tools.map(jsonOf)
    },
    listResources: async () => {
      if (client.getServerCapabilities()?.resources === undefined) return []
      const { resources } = await client.listResources(undefined, { timeout, cacheMode: "refresh" })
      return resources.map(jsonOf)
    },
    callTool: async (name, args, { signal, onProgress }) =>
      jsonOf(
        await client.callTool(
          { name, arguments: { ...args } },
          {
            signal,
            timeout: NO_TIMEOUT_MS,
            ...(onProgress === undefined
              ? {}
              : {
                  onprogress: ({ progress, total, message }) =>
                    onProgress(total === undefined ? undefined : progress / total, message),
                }),
          },
        ),
      ),
    readResource: async (uri, { signal }) =>
      jsonOf(await client.readResource({ uri }, { signal, timeout: NO_TIMEOUT_MS, cacheMode: "bypass" })),
    close: () => client.close(),
  }
}

/** A parsed message as JSON that the log takes. Throws if it nests too deeply. */
const jsonOf = (value: unknown): JsonObject => {
  const found = stringified(value)
  if ("refused" in found) throw new Error(`expected JSON, found ${found.refused}`)
  return asObject(found.json)
}
