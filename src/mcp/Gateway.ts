/** A gateway between an MCP server and its client, which writes lines to the standard input and reads the output. */

import type { Readable, Writable } from "node:stream"
import type { GateConfig } from "../kernel/gate/Gate.ts"
import * as ToolPins from "../plugins/mcp/ToolPins.ts"
import * as OpenedLog from "../record/log/OpenedLog.ts"
import * as RunLog from "../record/log/RunLog.ts"
import * as Lines from "./Lines.ts"
import * as Message from "./Message.ts"
import * as Outlet from "./Outlet.ts"
import * as Session from "./Session.ts"
import type { Server } from "./server/Server.ts"

export interface GatewayOptions {
  /** The name under which the server's calls are recorded. */
  readonly server: string
  readonly connect: () => Promise<Server>
  readonly log: string
  readonly gate: GateConfig
  readonly waitMs: number
  readonly callMs: number
  readonly input: Readable
  readonly output: Writable
  readonly note: (text: string) => void
  /** Maximum number of bytes that the client may leave unread. Default: `Outlet.MAX_WAITING_BYTES` */
  readonly maxUnread?: number
  /** Ends the gateway. */
  readonly stop: AbortSignal
}

export interface GatewayEnd {
  /** Undefined if the client never sent a request. */
  readonly taskId: string | undefined
  readonly reason: string
  /** Whether something other than the client or the user ended it. */
  readonly isFailure: boolean
}

/** Time for open requests to be answered after the client has ended, in milliseconds. */
const DRAIN_MS = 2_000

/** Runs until the client, the server or the user ends it. The server and its process group end with it. */
export const run = async (options: GatewayOptions): Promise<GatewayEnd> => {
  const { server, connect, log: file, gate, waitMs, callMs, input, output, note, stop } = options
  const { maxUnread = Outlet.MAX_WAITING_BYTES } = options
  const client = Outlet.make(output, maxUnread)
  const toClient = async (line: string) => client.send(line)
  const behind = await connect()
  let opened: OpenedLog.OpenedLog | undefined
  let end = (_reason: string, _isFailure: boolean) => {}
  const ended = new Promise<Omit<GatewayEnd, "taskId">>((resolve) => {
    end = (reason, isFailure) => resolve({ reason, isFailure })
  })
  const onFailed = (error: unknown) => end(error instanceof Error ? error.message : String(error), true)
  let session: Session.Session | undefined
  let taskId: string | undefined
  let onBegun = (_session: Session.Session) => {}
  const begun = new Promise<Session.Session>((resolve) => {
    onBegun = resolve
  })

  const begin = async (first: Message.Request): Promise<Session.Session> => {
    const { name } = Message.clientOf(first)
    const agent = name === "" ? "mcp-client" : ToolPins.slug(name).slice(0, MAX_AGENT).toWellFormed()
    opened = await OpenedLog.open({ log: file, isSilent: () => false, means: { means: "mcp" } })
    const task = await opened.begin({ goal: `A session of ${agent} with the MCP server ${server}`, agent })
    taskId = task.taskId
    const log = RunLog.make({
      taskId,
      log: file,
      onLogFailure: "stop",
      stream: task.stream,
      onFailed,
    })
    return Session.open({
      ...{ server, opened, begun: task, log, file: task.file, gate, waitMs, callMs, note, onFailed },
      toClient,
      toServer: async (line) => behind.send(line),
    })
  }

  const fromClient = async (): Promise<void> => {
    for await (const line of Lines.lines(input, Lines.MAX_BYTES)) {
      if (session === undefined) {
        const message = line.kind === "line" ? Message.read(line.text) : undefined
        if (message?.kind !== "request") {
          const reason = "expected a request as the first message"
          await toClient(Message.written(Message.failed(null, Message.CODES.request, reason)))
          continue
        }
        session = await begin(message)
        onBegun(session)
      }
      await session.fromClient(line)
      await behind.room()
    }
    if (session !== undefined) await Outlet.within(DRAIN_MS, session.idle())
    end("the client ended the session", false)
  }

  const fromServer = async (): Promise<void> => {
    const its = await begun
    for await (const line of behind.lines) {
      await its.fromServer(line)
      await client.room()
    }
  }

  const user = () => end("the gateway was stopped", false)
  stop.addEventListener("abort", user, { once: true })
  if (stop.aborted) user()
  output.on("error", () => end("the client ended the session", false))
  client.full.then(() =>
    end(`the client does not read its input: more than ${maxUnread} bytes wait for it. Start it again`, true),
  )
  fromClient().catch(onFailed)
  const served = fromServer().catch(onFailed)
  behind.ended.then(async (how) => {
    // Its last answers may still be in the pipe.
    if (session !== undefined) await Outlet.within(DRAIN_MS, served)
    end(`the server ended (${how})`, true)
  })
  const { reason, isFailure } = await ended
  try {
    await behind.stop()
    if (session !== undefined) await Outlet.within(DRAIN_MS, served)
    await session?.close(reason, isFailure)
  } finally {
    behind.release()
    input.destroy()
    await opened?.close()
    await client.finish()
  }
  return { taskId, reason, isFailure }
}

const MAX_AGENT = 64
