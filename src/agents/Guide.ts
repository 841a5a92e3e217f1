/** Guides: what an agent that thinks with a model is told before it begins. */

import { Effect, Schema } from "effect"
import { type FileUnreadable, readYaml } from "../kernel/rules/Rubric.ts"
import * as Options from "../values/Options.ts"
import { MemoryPolicy } from "./Memory.ts"

/** A guide. */
export interface Guide {
  /** Who the agent is, what it values and how it behaves. Default: nothing. */
  readonly systemPrompt?: string
  /** The model's temperature, from 0 to 2. Default: the provider's. */
  readonly temperature?: number
  /** Which part of a long conversation the model is told. Default: `full`. */
  readonly memoryPolicy?: MemoryPolicy
  /** What the agent remembers when it begins. Default: nothing. */
  readonly initialMemories?: ReadonlyArray<string>
}

const Temperature: Schema.Schema<number> = Schema.Number.pipe(
  Schema.filter((value) => value >= 0 && value <= 2),
  Schema.annotations({ description: "a number from 0 to 2" }),
)

/** Schema of `Guide`. */
export const Guide = Options.of<Guide>({
  optional: {
    systemPrompt: Options.Text,
    temperature: Temperature,
    memoryPolicy: MemoryPolicy,
    initialMemories: Schema.Array(Options.Text),
  },
}).annotations({ description: "an object with systemPrompt, temperature, memoryPolicy or initialMemories" })

/** Reads a guide from a YAML or JSON file. */
export const load = (file: string): Effect.Effect<Guide, FileUnreadable | Options.InvalidOptions> =>
  Effect.flatMap(readYaml(file), (value) => Options.decode(file, Guide, value))
