/** The options that commands declare, as their parser has them. */
import { Command, CommandDescriptor as Descriptor, type Usage } from "@effect/cli"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import * as Catalogue from "./Catalogue.ts"
import type { Entry, Loaded } from "./Entry.ts"

/** How an option is typed. */
export interface Declared {
  readonly takesValue: boolean
  /** Whether it may be given several times. */
  readonly repeats: boolean
}

/** Options by their names: `--limit`. */
export type Options = ReadonlyMap<string, Declared>

/** The options of one command. */
export const ofCommand = async (entry: Entry): Promise<Options> =>
  new Map(inUsage(Descriptor.getUsage((await entry.load()).descriptor), false))

/** The options of all commands. One that takes a value somewhere takes one here. */
export const ofAll = async (): Promise<Options> => {
  const all = new Map<string, Declared>()
  for (const entry of Catalogue.ENTRIES) {
    for (const [name, declared] of await ofCommand(entry))
      if (declared.takesValue || !all.has(name)) all.set(name, declared)
  }
  return all
}

/** The options in a usage. Its text has them too, and takes twenty times as long. */
const inUsage = (usage: Usage.Usage, repeats: boolean): ReadonlyArray<readonly [string, Declared]> => {
  switch (usage._tag) {
    case "Named": {
      const declared = { takesValue: usage.acceptedValues._tag === "Some", repeats }
      return usage.names.filter((name) => name.startsWith("-")).map((name) => [name, declared])
    }
    case "Optional":
      return inUsage(usage.usage, repeats)
    case "Repeated":
      return inUsage(usage.usage, true)
    case "Alternation":
    case "Concat":
      return [...inUsage(usage.left, repeats), ...inUsage(usage.right, repeats)]
    case "Empty":
    case "Mixed":
      return []
  }
}

/** A command below its group, or all commands: what the parser is given. */
export const tree = async (path: Catalogue.Path): Promise<NonEmptyReadonlyArray<Loaded>> => {
  const entry = Catalogue.find(path)
  const entries = entry === undefined ? Catalogue.ENTRIES : [entry]
  const loaded: Array<readonly [words: Catalogue.Path, command: Loaded]> = []
  for (const one of entries) loaded.push([one.path.split(" "), await one.load()])
  const firsts = [...new Set(loaded.map(([[first = ""]]) => first))]
  const commands = firsts.map((first) => {
    const ofFirst = loaded.filter(([[word]]) => word === first)
    const below = ofFirst.flatMap(([words, one]) => (words.length > 1 ? [one] : []))
    const [alone] = ofFirst.map(([, one]) => one)
    return isNonEmptyReadonlyArray(below) ? groupOf(first, below) : alone
  })
  const known = commands.filter((one) => one !== undefined)
  if (!isNonEmptyReadonlyArray(known)) throw new Error("no command was loaded")
  return known
}

const groupOf = (name: string, below: NonEmptyReadonlyArray<Loaded>): Loaded =>
  Command.make(name).pipe(
    Command.withDescription(Catalogue.GROUPS.get(name) ?? ""),
    Command.withSubcommands(below),
  ) as unknown as Loaded
