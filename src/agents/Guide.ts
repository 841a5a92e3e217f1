/** Guides: the instructions that a model agent starts with. */

import { Data, Effect, Either, Schema } from "effect"
import { type FileUnreadable, readYaml } from "../kernel/rules/YamlFile.ts"
import type { GuideCapability } from "../kernel/tasks/Capabilities.ts"
import { Temperature } from "../plugins/manifest/Manifest.ts"
import { similarNames } from "../values/DidYouMean.ts"
import type { JsonObject } from "../values/Json.ts"
import * as Options from "../values/Options.ts"
import { MemoryPolicy } from "./Memory.ts"

/** A guide. */
export interface Guide {
  /** Describes the agent, its values and its behaviour. Default: nothing. */
  readonly systemPrompt?: string
  /** The model's temperature, from 0 to 2. Default: the provider's. */
  readonly temperature?: number
  /** Selects the part of a long conversation that the model sees. Default: `full`. */
  readonly memoryPolicy?: MemoryPolicy
  /** The agent's memories at its start. Default: none. */
  readonly initialMemories?: ReadonlyArray<string>
}

/** Schema of `Guide`. */
export const Guide = Options.of<Guide>({
  optional: {
    systemPrompt: Options.Text,
    temperature: Temperature,
    memoryPolicy: MemoryPolicy,
    initialMemories: Schema.Array(Options.Text),
  },
}).annotations({ description: "an object with systemPrompt, temperature, memoryPolicy or initialMemories" })

/** The name of a plugin's guide, `plugin/guide`. */
export const GuideName = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9._-]*\/[^\s/]+$/),
  Schema.annotations({ description: "a guide's name as plugin/guide" }),
)

/** The task has no guide of this name. */
export class GuideUnknown extends Data.TaggedError("GuideUnknown")<{
  readonly guide: string
  readonly known: ReadonlyArray<string>
}> {
  override get message() {
    const { guide, known } = this
    const listed = known.length === 0 ? "none has a guide" : `they have ${known.join(", ")}`
    const [similar] = similarNames(guide, known)
    return `There is no guide ${guide}: expected one of an active plugin that takes part in the task; ${listed}.${similar === undefined ? "" : ` Did you mean ${similar}?`}`
  }
}

/** Finds a task's guide by its name. */
export const named = (name: string, guides: ReadonlyArray<GuideCapability>): Either.Either<Guide, GuideUnknown> => {
  const found = guides.find((guide) => guide.name === name)
  if (found === undefined) return Either.left(new GuideUnknown({ guide: name, known: guides.map(({ name }) => name) }))
  const { name: _, description: __, ...guide } = found
  return Either.right(guide)
}

/**
 * Applies a scenario's configuration to a guide: its `guide` overrides fields, its system prompt is appended, and
 * everything else (goals, settings …) becomes memories.
 */
export const withConfig = (own: Guide, { guide, ...others }: JsonObject): Guide => {
  const given = Either.getOrElse(Options.decode("a scenario's guide", Guide, guide ?? {}), (): Guide => ({}))
  const prompts = [own.systemPrompt, given.systemPrompt].filter((prompt) => prompt !== undefined)
  const remembered = Object.entries(others).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  const memories = [...(own.initialMemories ?? []), ...(given.initialMemories ?? []), ...remembered]
  return {
    ...own,
    ...given,
    ...(prompts.length === 0 ? {} : { systemPrompt: prompts.join("\n\n") }),
    ...(memories.length === 0 ? {} : { initialMemories: memories }),
  }
}

/** Reads a guide from a YAML or JSON file. */
export const load = (file: string): Effect.Effect<Guide, FileUnreadable | Options.InvalidOptions> =>
  Effect.flatMap(readYaml(file), (value) => Options.decode(file, Guide, value))
