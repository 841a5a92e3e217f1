/** Holds a running server to the tools that people know: a changed one is recorded, withheld, and asked about. */
import { Effect } from "effect"
import { newId } from "../../events/vocabulary/Event.ts"
import { digest } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import type { RecordEvent } from "../channel/EventRecorder.ts"
import type { AskPerson } from "./AskPerson.ts"
import type { ServerEntry } from "./ServerEntry.ts"
import * as ToolPins from "./ToolPins.ts"

export interface WatchedToolsInput {
  readonly plugin: string
  readonly entry: ServerEntry
  /** Definitions that people approved since the import. */
  readonly approved: ToolPins.Pins
  readonly record: RecordEvent
  readonly ask: AskPerson | undefined
  readonly log: (message: string) => void
  readonly fork: (effect: Effect.Effect<void>) => void
  /** Lists the server's tools. */
  readonly list: () => Promise<ReadonlyArray<Json>>
  readonly kill: (reason: string) => void
}

export interface WatchedTools {
  /** Why a tool must not be called, if it must not. Waits for a list that is under way. */
  readonly withheld: (tool: string) => Promise<string | undefined>
  /** Lists the tools and compares them. */
  readonly refresh: Effect.Effect<void, Error>
  /** The server says that its tools changed. */
  readonly changed: () => void
}

/** Maximum number of new lists of one process. */
const MAX_LISTS = 100

export const make = (input: WatchedToolsInput): WatchedTools => {
  const { plugin, entry, record, ask, log, fork, list, kill } = input
  const imported = new Map(Object.entries(ToolPins.digestsOf(entry.tools.map(({ definition }) => definition))))
  const approved = new Map(input.approved)
  const withheld = new Map<string, string>()
  const asked = new Set<string>()
  let lastChange = ""
  let lists = 0
  let isListing = false
  let isDue = false
  /** Calls that wait for a list. */
  const waiting: Array<() => void> = []

  const isApproved = (tool: JsonObject) => approved.get(ToolPins.nameOf(tool) ?? "") === digest(tool)

  const judge = (tools: ReadonlyArray<Json>) => {
    const { added, changed } = ToolPins.judge(imported, tools)
    const names = new Set(tools.flatMap((tool) => ToolPins.nameOf(tool) ?? []))
    withheld.clear()
    for (const name of imported.keys()) if (!names.has(name)) withheld.set(name, `${plugin} no longer has ${name}`)
    const others = changed.filter((tool) => !isApproved(tool))
    for (const name of namesOf(others)) withheld.set(name, waitsFor(plugin, name))
    const removed = [...imported.keys()].filter((name) => !names.has(name))
    return { added: added.filter((tool) => !isApproved(tool)), others, removed }
  }

  const askAbout = (tools: ReadonlyArray<JsonObject>, causationId: string) =>
    Effect.gen(function* () {
      if (ask === undefined) return
      const { argsDigest, shown } = ToolPins.question(plugin, tools)
      const answer = yield* ask({ argsDigest, shown, causationId, taskId: null })
      if (!answer.approved) return
      const { confirmationId } = answer
      yield* record(
        {
          type: "ToolsPinned",
          causationId: answer.causationId,
          payload: { server: plugin, tools: ToolPins.digestsOf(tools), confirmationId },
        },
        null,
      )
      for (const [name, pin] of Object.entries(ToolPins.digestsOf(tools))) approved.set(name, pin)
      for (const name of namesOf(tools)) withheld.delete(name)
    }).pipe(
      Effect.catchAll((cause) => Effect.sync(() => log(`nobody could be asked about its tools: ${String(cause)}`))),
    )

  const refresh = Effect.gen(function* () {
    const tools = yield* Effect.tryPromise({
      try: list,
      catch: (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
    })
    const { added, others, removed } = judge(tools)
    const change = {
      added: namesOf(added),
      changed: namesOf(others),
      removed,
      toolsDigest: digest([...added, ...others]),
    }
    const changeDigest = digest(change)
    if (added.length + others.length + removed.length === 0 || changeDigest === lastChange) return
    lastChange = changeDigest
    const id = newId()
    yield* Effect.mapError(
      record({ id, type: "ToolsChanged", payload: { server: plugin, ...change } }, null),
      (cause) => (cause instanceof Error ? cause : new Error(String(cause))),
    )
    log(`its tools differ from those of its import: ${describe(change)}`)
    const key = digest(others)
    if (others.length === 0 || asked.has(key)) return
    asked.add(key)
    fork(askAbout(others, id))
  })

  const relist = (): void => {
    if (isListing) {
      isDue = true
      return
    }
    if (++lists > MAX_LISTS) {
      kill(`it changed its tools more than ${MAX_LISTS} times`)
      return
    }
    isListing = true
    fork(
      refresh.pipe(
        Effect.catchAll(({ message }) => Effect.sync(() => kill(`its tools could not be listed again: ${message}`))),
        Effect.ensuring(
          Effect.sync(() => {
            isListing = false
            const again = isDue
            isDue = false
            if (again) relist()
            else for (const go of waiting.splice(0)) go()
          }),
        ),
      ),
    )
  }

  return {
    withheld: async (tool) => {
      if (isListing) await new Promise<void>((resolve) => waiting.push(resolve))
      return withheld.get(tool)
    },
    refresh,
    changed: relist,
  }
}

const namesOf = (tools: ReadonlyArray<Json>): ReadonlyArray<string> =>
  tools.flatMap((tool) => ToolPins.nameOf(tool) ?? [])

const waitsFor = (plugin: string, name: string): string =>
  `${name} is another tool than the one of the import, and a person has not approved it: \`hindcast confirm ls\` lists what waits. ` +
  `To give agents its new definition, add ${plugin} again`

const describe = ({
  added,
  changed,
  removed,
}: Record<"added" | "changed" | "removed", ReadonlyArray<string>>): string =>
  [
    ...(added.length === 0 ? [] : [`new ${added.join(", ")}`]),
    ...(changed.length === 0 ? [] : [`changed ${changed.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`]),
  ].join("; ")
