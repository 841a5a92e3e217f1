import { Effect, Either } from "effect"
import { expect, it } from "vitest"
import { type HostOptions, layerIn } from "../../src/plugins/process/PluginHost.ts"
import { LAYERS, type Layer } from "../../src/plugins/sandbox/layers/Layer.ts"
import type { AvailableLayer } from "../../src/plugins/sandbox/Sandbox.ts"
import * as Tier from "../../src/plugins/sandbox/Tier.ts"
import * as Tools from "../../src/plugins/sandbox/Tools.ts"

/**
 * Names the layers to test, by commas. One that cannot be had fails the tests. Default: all that this machine has, but of the two that
 * promise the same, a disk, a network and processes of its own, only the stronger one.
 */
const FORCED = "HINDCAST_TEST_LAYERS"

/** The layers named in a list of words. */
export const layersNamed = (text: string): ReadonlyArray<Layer> =>
  text.split(",").map((word) => {
    const layer = LAYERS.find((name) => name === word.trim())
    if (layer !== undefined) return layer
    throw new Error(`${FORCED}: expected some of ${LAYERS.join(", ")}, divided by commas, found "${word.trim()}"`)
  })

const text = process.env[FORCED]
const forced = text === undefined ? undefined : layersNamed(text)

const probed = await Effect.runPromise(
  Effect.flatMap(Tools.find, (tools) =>
    Effect.forEach(LAYERS, (layer) => Effect.map(Tier.probe(tools, layer), (found) => ({ layer, found }))),
  ),
)

/** How each layer confines on this machine. */
const confinings = new Map<Layer, AvailableLayer>(
  probed.flatMap(({ layer, found }) => (Either.isRight(found) ? [[layer, found.right]] : [])),
)

/** The strongest layer that this machine has, whatever is tested. */
export const strongest: Layer = LAYERS.find((layer) => confinings.has(layer)) ?? "none"

/** Whether this machine has a layer, whatever is tested. */
export const isThere = (layer: Layer): boolean => confinings.has(layer)

const isDefault = (layer: Layer): boolean =>
  isThere(layer) && (layer === strongest || Tier.tierOf(layer) !== "namespaces")

/** The layers that are tested, the strongest first. */
export const layers: ReadonlyArray<Layer> = LAYERS.filter((layer) => forced?.includes(layer) ?? isDefault(layer))

/** Those of them in which a plugin has a disk, a network and processes of its own. */
export const namespaces = layers.filter((layer) => Tier.tierOf(layer) === "namespaces")

/** The same without namespaces. */
export const strongestOfFlags: Layer = confinings.has("user") ? "user" : "none"

/** What confines plugins in a layer; fails where this machine does not have it. */
export const confiningBy = (layer: Layer): AvailableLayer => {
  const confining = confinings.get(layer)
  if (confining !== undefined) return confining
  const refusal = probed.find((one) => one.layer === layer)?.found
  const why = refusal !== undefined && Either.isLeft(refusal) ? refusal.left.found : "it was not tried"
  throw new Error(`${FORCED} asks for the layer ${layer}, which this machine does not have: ${why}`)
}

/** Whether this machine has what holds a process to all of its limits. */
export const isBounded: boolean = Tier.missingLimitTools(confiningBy("none").tools).length === 0

/** Says among the tests which layers are tested: what is not must not look as if it were. One that was asked for has to be there. */
export const sayWhichLayers = () => {
  for (const { layer, found } of probed) {
    if (forced?.includes(layer) === true) {
      it(`tested: the layer ${layer}, which was asked for`, () => expect(confiningBy(layer).layer).toBe(layer))
    } else if (forced !== undefined) {
      it(`NOT TESTED: the layer ${layer}, which ${FORCED} leaves out`, () => expect(layers).not.toContain(layer))
    } else if (Either.isRight(found) && !layers.includes(layer)) {
      it(`NOT TESTED: the layer ${layer}, unless ${FORCED} names it: ${strongest} is stronger, and there`, () =>
        expect(Tier.tierOf(layer)).toBe(Tier.tierOf(strongest)))
    } else if (Either.isRight(found)) {
      it(`tested: the layer ${layer}`, () => expect(layers).toContain(layer))
    } else {
      it(`NOT TESTED: the layer ${layer}: ${found.left.found}`, () => {
        process.stderr.write(`The layer ${layer} was not tested: ${found.left.found}. ${found.left.remedy}\n`)
        expect(layers).not.toContain(layer)
      })
    }
  }
}

/** Starts plugins in this layer and no other. */
export const inLayer = (layer: Layer, limits: HostOptions["limits"] = {}) =>
  Effect.provide(layerIn(confiningBy(layer), limits))
