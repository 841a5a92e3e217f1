import { describe, expect, it } from "vitest"
import * as PluginRegistry from "../../src/projections/state/PluginRegistry.ts"
import type { JsonObject } from "../../src/values/Json.ts"
import { event, given, sha, type Unplaced } from "./given.ts"

const registryOf = (...events: ReadonlyArray<Unplaced>) => given(PluginRegistry.projection, events)
const roomOf = (...events: ReadonlyArray<Unplaced>) => registryOf(...events).room

const manifest: JsonObject = {
  metadata: { owner: "ann" },
  peas: {
    sensors: [{ name: "look", priority: 2, metadata: { unit: "text" } }, { name: "hear" }],
    actuators: [{ name: "go" }],
  },
}

const imported = (manifest: JsonObject, version = "1.0.0", plugin = "room") =>
  event("PluginImported", {
    plugin,
    version,
    manifest,
    digest: sha(version),
    source: "./room",
    grants: { read: ["/data"] },
  })
const activated = event("PluginActivated", { plugin: "room" })
const names = (components: ReadonlyArray<PluginRegistry.ActiveComponent>) => components.map(({ name }) => name)

describe("the plugin registry", () => {
  it("knows an imported plugin and its components, inactive until it is activated", () => {
    expect(roomOf(imported(manifest))).toMatchObject({
      version: "1.0.0",
      digest: sha("1.0.0"),
      source: "./room",
      grants: { read: ["/data"] },
      active: false,
      importedAt: 1,
      quarantined: null,
      metadata: { owner: "ann" },
      running: {},
      components: {
        look: { kind: "sensor", active: true, priority: 2, metadata: { unit: "text" } },
        hear: { kind: "sensor", active: true, priority: 0, metadata: {} },
        go: { kind: "actuator", active: true, priority: 0, metadata: {} },
      },
    })
    expect(PluginRegistry.activeSensors(registryOf(imported(manifest)))).toEqual([])
  })

  it("orders what takes part by priority, and equals by name", () => {
    const attic = {
      peas: {
        sensors: [
          { name: "smell", priority: 2 },
          { name: "feel", priority: -1 },
        ],
      },
    }
    const registry = registryOf(
      imported(manifest),
      imported(attic, "1", "attic"),
      activated,
      event("PluginActivated", { plugin: "attic" }),
    )
    expect(names(PluginRegistry.activeSensors(registry))).toEqual([
      "attic/smell",
      "room/look",
      "room/hear",
      "attic/feel",
    ])
    expect(names(PluginRegistry.activeActuators(registry))).toEqual(["room/go"])
  })

  it("leaves out what was deactivated, quarantined or removed", () => {
    const sensors = (...events: ReadonlyArray<Unplaced>) =>
      names(PluginRegistry.activeSensors(registryOf(imported(manifest), activated, ...events)))
    const off = event("ComponentDeactivated", { component: "room/look" })
    const quarantined = event("PluginQuarantined", { plugin: "room", reason: "crashes" })
    expect(sensors(off)).toEqual(["room/hear"])
    expect(sensors(off, event("ComponentActivated", { component: "room/look" }))).toEqual(["room/look", "room/hear"])
    expect(sensors(event("PluginDeactivated", { plugin: "room" }))).toEqual([])
    expect(sensors(quarantined)).toEqual([])
    expect(sensors(quarantined, activated)).toEqual(["room/look", "room/hear"])
    expect(sensors(event("PluginRemoved", { plugin: "room" }))).toEqual([])
  })

  it("keeps through an update what people set, and takes the rest from the new manifest", () => {
    const update = {
      metadata: { owner: "bob", tier: 1 },
      peas: {
        sensors: [
          { name: "look", priority: 9, metadata: { unit: "html", lang: "en" } },
          { name: "smell", priority: 4 },
        ],
      },
    }
    const room = roomOf(
      imported(manifest),
      activated,
      event("PriorityChanged", { component: "room/look", priority: 5 }),
      event("MetadataSet", { target: "room/look", key: "unit", value: "markdown" }),
      event("MetadataSet", { target: "room", key: "owner", value: "eve" }),
      event("ComponentDeactivated", { component: "room/look" }),
      imported(update, "2.0.0"),
    )
    expect(room).toMatchObject({ version: "2.0.0", active: true, metadata: { owner: "eve", tier: 1 } })
    expect(Object.keys(room?.components ?? {})).toEqual(["look", "smell"])
    expect(room?.components.look).toMatchObject({
      active: false,
      priority: 5,
      metadata: { unit: "markdown", lang: "en" },
    })
    expect(room?.components.smell).toMatchObject({ active: true, priority: 4 })
  })

  it("takes the new manifest's defaults where nobody set anything, and keeps unset what was unset", () => {
    const update = { peas: { sensors: [{ name: "look", priority: 9, metadata: { unit: "html" } }] } }
    const unset = event("MetadataUnset", { target: "room/look", key: "unit" })
    expect(roomOf(imported(manifest), imported(update, "2"))?.components.look).toMatchObject({
      priority: 9,
      metadata: { unit: "html" },
    })
    expect(roomOf(imported(manifest), unset, imported(update, "2"))?.components.look?.metadata).toEqual({})
  })

  it("keeps an update beside the version that is installed, until it is imported or another one is", () => {
    const held = event("PluginUpdateHeld", {
      plugin: "room",
      version: "2.0.0",
      manifest: {},
      digest: sha("2.0.0"),
      source: "./room",
      given: { net: ["a.org"] },
      missing: [{ field: "permissions.run", asked: "git", reason: "more" }],
    })
    const granted = event("PluginGranted", { plugin: "room", given: { run: ["git"] }, grants: {}, missing: [] })
    expect(roomOf(imported(manifest), activated, held)).toMatchObject({
      version: "1.0.0",
      active: true,
      given: {},
      held: {
        version: "2.0.0",
        digest: sha("2.0.0"),
        given: { net: ["a.org"] },
        missing: [{ asked: "git" }],
        heldAt: 3,
      },
    })
    expect(Object.keys(roomOf(imported(manifest), held)?.components ?? {})).toEqual(["look", "hear", "go"])
    expect(roomOf(imported(manifest), held, granted)).toMatchObject({
      given: { run: ["git"] },
      grants: {},
      held: { given: { net: ["a.org"], run: ["git"] }, missing: [] },
    })
    expect(roomOf(imported(manifest), held, imported({}, "2.0.0"))).toMatchObject({ version: "2.0.0", held: null })
    expect(registryOf(held, granted)).toEqual({})
  })

  it("remembers what was given and taken back by name, through updates, until the plugin is removed", () => {
    const given = event("PluginGranted", { plugin: "room", given: { run: ["git", "ls"], runAny: true }, grants: {} })
    const taken = event("PluginGrantRevoked", { plugin: "room", revoked: { run: ["git"], runAny: true }, grants: {} })
    const again = event("PluginGranted", { plugin: "room", given: { run: ["git"] }, grants: {} })
    const standing = (...events: ReadonlyArray<Unplaced>) => {
      const room = roomOf(imported(manifest), ...events)
      return [room?.given, room?.revoked]
    }
    expect(standing(given, taken)).toEqual([{ run: ["ls"] }, { run: ["git"], runAny: true }])
    expect(standing(given, taken, imported({}, "2"), again)).toEqual([{ run: ["ls", "git"] }, { runAny: true }])
    expect(standing(given, taken, event("PluginRemoved", { plugin: "room" }), imported(manifest))).toEqual([{}, {}])
  })

  it("has a plugin in an earlier version, as things stand now", () => {
    const update = { peas: { sensors: [{ name: "look", priority: 9 }, { name: "smell" }] } }
    const then = roomOf(imported(manifest), activated)
    const now = roomOf(
      imported(manifest),
      activated,
      event("PriorityChanged", { component: "room/look", priority: 5 }),
      event("ComponentDeactivated", { component: "room/hear" }),
      imported(update, "2.0.0"),
      event("PluginDeactivated", { plugin: "room" }),
    )
    if (then === undefined || now === undefined) throw new Error("the room is not in the registry")
    const seen = PluginRegistry.inVersionOf(now, then)
    expect(seen).toMatchObject({ version: "1.0.0", digest: sha("1.0.0"), manifest, active: false, importedAt: 1 })
    expect(Object.keys(seen.components)).toEqual(["look", "hear", "go"])
    expect(seen.components.look).toMatchObject({ priority: 5, metadata: { unit: "text" } })
    expect(PluginRegistry.inVersionOf(now, now)).toBe(now)
  })

  it("knows which processes run", () => {
    const start = (pid: number) =>
      event("PluginStarted", {
        plugin: "room",
        instance: "t1",
        pid,
        sandbox: "flags",
        permissions: [],
      })
    const started = start(7)
    const exited = (pid: number) =>
      event("PluginExited", { plugin: "room", instance: "t1", pid, code: 0, signal: null, inFlight: [] })
    const kernel = event("KernelStarted", { version: "1", node: "20", deno: "2", seed: 1, configDigest: sha("c") })
    expect(roomOf(imported(manifest), started)?.running).toEqual({ 7: { instance: "t1" } })
    expect(roomOf(imported(manifest), started, exited(6))?.running).toEqual({ 7: { instance: "t1" } })
    expect(roomOf(imported(manifest), started, exited(7))?.running).toEqual({})
    expect(roomOf(imported(manifest), started, kernel)?.running).toEqual({})
    // Two versions side by side: each process is known until it has ended itself.
    expect(roomOf(imported(manifest), started, start(8), exited(7))?.running).toEqual({ 8: { instance: "t1" } })
  })

  it("passes over what is not as expected in a manifest, and what is said of the unknown", () => {
    const strange: JsonObject = {
      metadata: 5,
      peas: { sensors: [null, {}, { name: 3 }, { name: "ok", priority: "high", metadata: [] }], actuators: "none" },
    }
    expect(roomOf(imported(strange))).toMatchObject({
      metadata: {},
      components: { ok: { priority: 0, metadata: {} } },
    })
    expect(roomOf(imported({ peas: [] }))?.components).toEqual({})
    const registry = registryOf(
      activated,
      event("PriorityChanged", { component: "room/look", priority: 1 }),
      event("MetadataSet", { target: "no-such", key: "a", value: 1 }),
    )
    expect(registry).toEqual({})
  })
})
