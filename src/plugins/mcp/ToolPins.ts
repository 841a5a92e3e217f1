/**
 * Holds a server's tools to the definitions that were seen first or approved since: a tool's own description is part of
 * what a person trusted. Pure.
 */

import type { Event } from "../../events/vocabulary/Event.ts"
import { is } from "../../events/vocabulary/Vocabulary.ts"
import { digest } from "../../values/Digest.ts"
import type { Json, JsonObject } from "../../values/Json.ts"
import { isObject } from "../../values/JsonObjects.ts"

/** Digests of definitions, by the tool's name. Undefined: the server was never seen. */
export type Pins = ReadonlyMap<string, string> | undefined

/** The stream of a server's pins in the log. */
export const streamOf = (server: string): string => `mcp/${server}`

/** The pins after events of the server's stream. */
export const fold = (events: Iterable<Event>): Pins => {
  let pins: Map<string, string> | undefined
  for (const event of events) {
    if (!is(event, "ToolsPinned")) continue
    pins ??= new Map()
    for (const [name, pin] of Object.entries(event.payload.tools)) pins.set(name, pin)
  }
  return pins
}

export interface Judged {
  readonly added: ReadonlyArray<JsonObject>
  readonly changed: ReadonlyArray<JsonObject>
  /** The tools that the client may see: pinned ones, in the server's order. */
  readonly known: ReadonlyArray<Json>
}

/** Compares one page of a list with the pins. A tool without a name is withheld: nobody could call it. */
export const judge = (pins: Pins, tools: ReadonlyArray<Json>): Judged => {
  const found = { added: [] as JsonObject[], changed: [] as JsonObject[], known: [] as Json[] }
  for (const tool of tools) {
    const name = nameOf(tool)
    if (name === undefined || !isObject(tool)) continue
    const pin = pins?.get(name)
    if (pins === undefined || pin === digest(tool)) found.known.push(tool)
    else if (pin === undefined) found.added.push(tool)
    else found.changed.push(tool)
  }
  return found
}

export const nameOf = (tool: Json | undefined): string | undefined =>
  isObject(tool) && typeof tool.name === "string" ? tool.name : undefined

/** Digests of definitions, by name. */
export const digestsOf = (tools: ReadonlyArray<Json>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    tools.flatMap((tool) => {
      const name = nameOf(tool)
      return name === undefined ? [] : [[name, digest(tool)]]
    }),
  )

/**
 * The risk that a tool's annotations raise it to. They never lower it: a server that calls its tool harmless may be
 * wrong, or lie.
 */
export const riskOf = (tool: Json | undefined): "high" | undefined => {
  const annotations = isObject(tool) ? tool.annotations : undefined
  return isObject(annotations) && annotations.destructiveHint === true ? "high" : undefined
}

/** An actuator's name of a tool: it has no spaces, slashes and control characters. */
export const slug = (name: string): string => name.replaceAll(/[\s/\p{C}]/gu, "_") || "unnamed"

/** The content of the confirmation about new or changed tools. */
export const question = (server: string, tools: ReadonlyArray<JsonObject>) => {
  const description = `${server} offers new or changed tools. Until you approve them, its client neither sees nor uses them`
  const args: JsonObject = { tools: [...tools] }
  return {
    argsDigest: digest(args),
    shown: {
      actuator: `${server}/${CHANGED}`,
      args,
      risk: "high",
      description,
      plugin: server,
      pluginDigest: digest({ server, description }),
    },
  }
}

/** The name of the question about tools, where a command has its actuator. */
const CHANGED = "tools-changed"
