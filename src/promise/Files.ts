/** Reads the files of a project: rules of its gate, and cassettes. */

import { fileURLToPath } from "node:url"
import type { Model } from "../agents/models/Model.ts"
import type { GateConfig } from "../kernel/gate/GateConfig.ts"
import * as Calls from "./Calls.ts"

/** The URL of a file: a `URL`, as `new URL("gate.yaml", import.meta.url)` makes it. */
export interface FileUrl {
  readonly href: string
}

/**
 * Reads and checks a file of gate rules, in YAML or JSON, for the option `gate` of `open`. Rejects with `FileUnreadable` or
 * `InvalidOptions`.
 */
export const readGate = async (file: string | FileUrl): Promise<GateConfig> => {
  const { read } = await import("../kernel/gate/GateFile.ts")
  return Calls.run(read(pathOf(file)))
}

/**
 * A model whose answers come from a cassette, without a provider and a key. A request that the cassette lacks fails as
 * `not-recorded`. Rejects with `UnreadableCassette`.
 *
 * @param name `provider/model`; for a cassette of turns written for no provider, `scripted/…`
 */
export const playCassette = async (file: string | FileUrl, name: string): Promise<Model> => {
  const { played } = await import("../agents/models/PlayedModel.ts")
  return Calls.run(played(pathOf(file), name))
}

const pathOf = (file: string | FileUrl): string => (typeof file === "string" ? file : fileURLToPath(file.href))
