/** The tools of a gateway's server: pinned when first seen; a person is asked about new and changed ones. */

import { Effect } from "effect"
import { Any, type CoreNewEvent, EventLog } from "../events/log/EventLog.ts"
import type { RequestedEvent } from "../kernel/gate/ConfirmationRequests.ts"
import * as ToolPins from "../plugins/mcp/ToolPins.ts"
import type { BegunRun, OpenedLog } from "../record/log/OpenedLog.ts"
import { recordable } from "../record/Recordable.ts"
import { digest } from "../values/Digest.ts"
import { defined } from "../values/defined.ts"
import type { Json, JsonObject } from "../values/Json.ts"
import { asObject } from "../values/JsonObjects.ts"

export interface ToolsParts {
  readonly server: string
  readonly opened: OpenedLog
  readonly begun: BegunRun
  /** How long a question about changed tools waits, in milliseconds. */
  readonly askMs: number
  /** Called when a person approved withheld tools. */
  readonly onApproved: () => void
  /** Called with the names of all tools, each time that the server has listed the last of them. */
  readonly onListed: (names: ReadonlyArray<string>) => Promise<void>
  readonly note: (text: string) => void
}

/** One page of the server's list. */
export interface ListedTools {
  readonly tools: ReadonlyArray<Json>
  readonly isFirst: boolean
  readonly isLast: boolean
}

export interface Tools {
  /** Takes a page. Returns the tools that the client may see, if these are not all. */
  readonly listed: (page: ListedTools) => Promise<ReadonlyArray<Json> | undefined>
  readonly definition: (name: string) => Json | undefined
  /** The names of a tool's arguments, by its schema. */
  readonly argumentsOf: (name: string) => ReadonlySet<string>
  /** Why a tool is withheld, if it is. */
  readonly withheld: (name: string) => string | undefined
  /** Withdraws open questions. */
  readonly close: () => Promise<void>
}

/** Maximum number of tools; the rest of a longer list is withheld. */
const MAX_TOOLS = 10_000

export const open = async (parts: ToolsParts): Promise<Tools> => {
  const { server, opened, begun, askMs, onApproved, onListed, note } = parts
  const stream = ToolPins.streamOf(server)
  const past = await opened.run(
    Effect.flatMap(EventLog, (log) => log.readPage({ stream, timeline: log.timeline }, MAX_PAST)),
  )
  let pins = ToolPins.fold(past)
  /** Of a server that was never seen before: its first list, as far as it has come. */
  let first = new Map<string, Json>()
  let seen = new Set<string>()
  const definitions = new Map<string, Json>()
  const withheld = new Map<string, string>()
  /** By the digest of the definitions: the questions of this session. */
  const asked = new Map<string, RequestedEvent | "rejected" | undefined>()
  let lastChange = ""

  const tell = (event: CoreNewEvent) =>
    opened.run(
      Effect.flatMap(EventLog, (log) =>
        log.append({
          stream,
          taskId: begun.taskId,
          actor: "kernel",
          expected: Any,
          events: [{ causationId: begun.openedBy, ...event }],
        }),
      ),
    )

  const pin = async (tools: ReadonlyArray<Json>, confirmationId?: string): Promise<void> => {
    const added = ToolPins.digestsOf(tools)
    await tell({ type: "ToolsPinned", payload: { server, tools: added, ...defined({ confirmationId }) } })
    pins = new Map([...(pins ?? []), ...Object.entries(added)])
    for (const name of Object.keys(added)) withheld.delete(name)
  }

  const ask = async (tools: ReadonlyArray<JsonObject>, key: string): Promise<void> => {
    asked.set(key, undefined)
    const question = {
      ...ToolPins.question(server, tools),
      taskId: begun.taskId,
      withinMs: askMs,
      causationId: begun.openedBy,
    }
    let confirmationId: string | undefined
    const result = await begun.ask(question, undefined, (requested) => {
      asked.set(key, requested)
      confirmationId = requested.payload.confirmationId
      note(
        `${server} has other tools than before. They are withheld until you approve them: \`hindcast confirm show ${confirmationId}\``,
      )
    })
    asked.delete(key)
    if (result.kind === "rejected") asked.set(key, "rejected")
    if (result.kind !== "approved") return
    await pin(tools, confirmationId)
    onApproved()
  }

  const changed = async (tools: ReadonlyArray<JsonObject>, change: Omit<Change, "toolsDigest">): Promise<void> => {
    const key = digest(tools)
    const all: Change = { ...change, toolsDigest: key }
    const toldOf = digest({ ...all })
    if (toldOf !== lastChange) {
      lastChange = toldOf
      await tell({ type: "ToolsChanged", payload: { server, ...all } })
    }
    if (tools.length === 0 || asked.has(key)) return
    const shown: JsonObject = { tools: [...tools] }
    if (recordable<Json>(shown, (omitted) => omitted) === shown) ask(tools, key).catch(fails(key))
    else note(`${server} has new or changed tools that are too large to be shown whole: they stay withheld`)
  }

  const fails = (key: string) => (error: unknown) => {
    asked.delete(key)
    note(
      `Nobody can be asked about the tools of ${server}, which stay withheld: ${error instanceof Error ? error.message : String(error)}`,
    )
  }

  return {
    definition: (name) => definitions.get(name),
    argumentsOf: (name) =>
      new Set(Object.keys(asObject(asObject(asObject(definitions.get(name)).inputSchema).properties))),
    withheld: (name) => {
      if (withheld.has(name)) return withheld.get(name)
      return pins === undefined || pins.has(name) || first.has(name)
        ? undefined
        : `${name} is not among the pinned tools of ${server}, and no list of this session had it: list the tools first`
    },
    listed: async ({ tools, isFirst, isLast }) => {
      if (isFirst) {
        if (pins === undefined && first.size > 0) await pin([...first.values()])
        seen = new Set()
        definitions.clear()
      }
      const fitting = tools.slice(0, MAX_TOOLS - definitions.size)
      for (const tool of fitting) {
        const name = ToolPins.nameOf(tool)
        if (name === undefined) continue
        seen.add(name)
        definitions.set(name, tool)
      }
      if (isLast) await onListed([...definitions.keys()])
      const { known, added, changed: others } = ToolPins.judge(pins, fitting)
      if (pins === undefined) {
        for (const tool of fitting) first.set(ToolPins.nameOf(tool) ?? "", tool)
        if (isLast) {
          await pin(fitting.length === tools.length && isFirst ? fitting : [...first.values()])
          first = new Map()
        }
        return known.length === tools.length ? undefined : known
      }
      const removed = isLast ? [...pins.keys()].filter((name) => !seen.has(name)) : []
      // Last, so that a name with two definitions stays withheld.
      for (const name of namesOf(known)) withheld.delete(name)
      for (const name of namesOf([...added, ...others])) withheld.set(name, waitsFor(server, name))
      const isOther = added.length + others.length + removed.length > 0
      if (isOther) {
        await changed([...added, ...others], { added: namesOf(added), changed: namesOf(others), removed })
      }
      return known.length === tools.length ? undefined : known
    },
    close: async () => {
      const open = [...asked.values()].filter((one) => typeof one === "object")
      for (const requested of open) await begun.withdraw(requested, "the session with the server ended")
    },
  }
}

interface Change {
  readonly added: ReadonlyArray<string>
  readonly changed: ReadonlyArray<string>
  readonly removed: ReadonlyArray<string>
  readonly toolsDigest: string
}

/** Maximum number of events of a server's pins: one for each approved change. */
const MAX_PAST = 10_000

const namesOf = (tools: ReadonlyArray<Json>): ReadonlyArray<string> =>
  tools.flatMap((tool) => ToolPins.nameOf(tool) ?? [])

const waitsFor = (server: string, name: string): string =>
  `${name} is new or has changed since the tools of ${server} were pinned, and a person has not approved it: \`hindcast confirm ls\` lists what waits`
