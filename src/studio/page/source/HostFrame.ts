/**
 * The page in the frame of an MCP client (MCP Apps, SEP-1865, version 2026-01-26): JSON-RPC by messages to the window
 * that embeds it. The client says which task its tool showed, and reads that task's answers from the server.
 */
import type { AppAnswers } from "../../wire/Shared.ts"
import { SourceFailed } from "./Source.ts"

/** The protocol's version. */
const VERSION = "2026-01-26"

/** Height that the page asks for, in pixels. */
const HEIGHT = 720

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** Connects to the host. Resolves once a tool has named the task to show; fails with `SourceFailed`. */
export const hostAnswers = async (): Promise<AppAnswers> => {
  const host = new Host(window.parent)
  const shown = new Promise<string>((resolve, reject) => {
    host.on("ui/notifications/tool-result", (params) => {
      const uri = member(member(params, "structuredContent"), "uri")
      if (typeof uri === "string") resolve(uri)
      else reject(new SourceFailed("NothingToShow", textIn(params) ?? "The tool found no task to show."))
    })
    host.on("ui/notifications/tool-cancelled", () =>
      reject(new SourceFailed("NothingToShow", "The tool's call was cancelled.")),
    )
  })
  // The handshake may fail first.
  shown.catch(() => undefined)
  host.on("ui/notifications/host-context-changed", showTheme)
  const begun = await host.ask("ui/initialize", {
    protocolVersion: VERSION,
    appInfo: { name: "hindcast-studio", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  })
  showTheme(member(begun, "hostContext"))
  host.tell("ui/notifications/initialized", {})
  host.tell("ui/notifications/size-changed", { width: document.documentElement.clientWidth, height: HEIGHT })
  const read = await host.ask("resources/read", { uri: await shown })
  const contents = member(read, "contents")
  const text = Array.isArray(contents) ? member(contents[0], "text") : undefined
  if (typeof text !== "string") throw new SourceFailed("Unreadable", "Expected a task from the server, found none.")
  return JSON.parse(text) as AppAnswers
}

/** The window that embeds the page, as a peer. Messages of other windows are ignored. */
class Host {
  readonly #window: Window
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (cause: unknown) => void }>()
  readonly #listeners = new Map<string, (params: unknown) => void>()
  #last = 0

  constructor(host: Window) {
    this.#window = host
    window.addEventListener("message", ({ source, data }) => {
      if (source === host && host !== window && typeof data === "object" && data !== null) this.#hear(data)
    })
  }

  on(method: string, listener: (params: unknown) => void): void {
    this.#listeners.set(method, listener)
  }

  tell(method: string, params: object): void {
    this.#send({ method, params })
  }

  ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#last
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  #hear({ id, method, params, result, error }: Message): void {
    if (typeof method === "string") {
      this.#listeners.get(method)?.(params)
      // `ping` and `ui/resource-teardown`: there is nothing to save.
      if (id !== undefined) this.#send({ id, result: {} })
      return
    }
    const waiting = typeof id === "number" ? this.#waiting.get(id) : undefined
    if (waiting === undefined) return
    this.#waiting.delete(id as number)
    const reason = member(error, "message")
    if (error === undefined) waiting.resolve(result)
    else waiting.reject(new SourceFailed("Host", typeof reason === "string" ? reason : "The host refused a request."))
  }

  /** The host's origin is unknown, and no message tells a secret. */
  #send(message: object): void {
    this.#window.postMessage({ jsonrpc: "2.0", ...message }, "*")
  }
}

const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown })[name] : undefined

/** The text of a tool's result. */
const textIn = (result: unknown): string | undefined => {
  const content = member(result, "content")
  const text = Array.isArray(content) ? member(content[0], "text") : undefined
  return typeof text === "string" ? text : undefined
}

/** Shows the host's theme instead of the system's: applies or leaves out the rules for a dark one. */
const showTheme = (context: unknown): void => {
  const theme = member(context, "theme")
  if (theme !== "dark" && theme !== "light") return
  document.documentElement.style.colorScheme = theme
  for (const sheet of document.styleSheets)
    for (const rule of sheet.cssRules)
      if (rule instanceof CSSMediaRule && (darkRules.has(rule) || DARK.test(rule.media.mediaText))) {
        darkRules.add(rule)
        rule.media.mediaText = theme === "dark" ? "all" : "not all"
      }
}

const DARK = /^\(prefers-color-scheme: dark\)$/

const darkRules = new Set<CSSMediaRule>()
