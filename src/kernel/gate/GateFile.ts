/** Reads the gate's rules from a file, such as `hindcast.gate.yaml`. */

import * as path from "node:path"
import { Effect } from "effect"
import type { InvalidOptions } from "../../values/Options.ts"
import { type FileUnreadable, readYaml } from "../rules/YamlFile.ts"
import { decode, type GateConfig } from "./GateConfig.ts"

/** Reads and checks a file of gate rules, in YAML or JSON. A relative path begins at the working directory. */
export const read = (file: string): Effect.Effect<GateConfig, FileUnreadable | InvalidOptions> =>
  Effect.suspend(() => {
    const absolute = path.resolve(file)
    return Effect.flatMap(readYaml(absolute), (value) => decode(value, absolute))
  })
