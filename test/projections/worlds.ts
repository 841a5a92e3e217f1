import type { JsonObject } from "../../src/values/Json.ts"
import { event, sha } from "./given.ts"

/** The import of a plugin whose world is drawn as this text; with null, its manifest has no view. */
export const importedWith = (text: string | null) => {
  const view: JsonObject = text === null ? {} : { view: { parts: [{ type: "text", text }] } }
  return event("PluginImported", {
    plugin: "room",
    version: "1.0.0",
    manifest: { peas: { environment: { name: "Room", description: "A room", ...view } } },
    digest: sha(String(text)),
    source: "./room",
    grants: {},
  })
}

/** The world is in the hall, and then in the study. */
export const reset = event("EnvironmentReset", { plugin: "room", seed: 1, options: {}, state: { at: "hall" } })
export const changed = event("EnvironmentChanged", {
  plugin: "room",
  patch: [{ op: "replace", path: "/at", value: "study" }],
})
