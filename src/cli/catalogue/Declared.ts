/** The options and arguments that commands declare to the parser. */
import { Command, CommandDescriptor as Descriptor, type Usage } from "@effect/cli"
import { isNonEmptyReadonlyArray, type NonEmptyReadonlyArray } from "effect/Array"
import * as Catalogue from "./Catalogue.ts"
import type { Entry, Loaded } from "./Entry.ts"

export interface Declared {
  readonly takesValue: boolean
  readonly repeats: boolean
}

export type Options = ReadonlyMap<string, Declared>

export const ofCommand = async (entry: Entry): Promise<Options> =>
  new Map(inUsage(Descriptor.getUsage((await entry.load()).descriptor), false))

/** The arguments that a command needs before a program of the user's, which follows `--`; none for other commands. */
export const beforeProgram = async (entry: Entry): Promise<ReadonlyArray<string>> => {
  const all = argumentsIn(Descriptor.getUsage((await entry.load()).descriptor))
  return all.includes(PROGRAM) ? all.slice(1).filter((name) => name !== PROGRAM) : []
}

const PROGRAM = "<command>"

/** The command's own name, then its arguments. */
const argumentsIn = (usage: Usage.Usage): ReadonlyArray<string> => {
  switch (usage._tag) {
    case "Named":
      return usage.names.filter((name) => !name.startsWith("-"))
    case "Repeated":
      return argumentsIn(usage.usage)
    case "Alternation":
    case "Concat":
      return [...argumentsIn(usage.left), ...argumentsIn(usage.right)]
    case "Optional":
    case "Empty":
    case "Mixed":
      return []
  }
}

/** The options of all commands together. An option takes a value here if it does in any command. */
export const ofAll = async (): Promise<Options> => {
  const all = new Map<string, Declared>()
  for (const entry of Catalogue.ENTRIES) {
    for (const [name, declared] of await ofCommand(entry))
      if (declared.takesValue || !all.has(name)) all.set(name, declared)
  }
  return all
}

/** Reads the options from a usage. Its rendered text has them too, but takes twenty times as long. */
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

/** The commands for the parser: one command in its group, or all of them. */
export const tree = async (path: Catalogue.Path): Promise<NonEmptyReadonlyArray<Loaded>> => {
  const entry = Catalogue.find(path)
  const entries = entry === undefined ? Catalogue.ENTRIES : [entry]
  const loaded: Array<readonly [words: Catalogue.Path, command: Loaded]> = []
  for (const one of entries) loaded.push([one.path.split(" "), await one.load()])
  const firsts = [...new Set(loaded.map(([[first = ""]]) => first))]
  const commands = firsts.map((first) => {
    const ofFirst = loaded.filter(([[word]]) => word === first)
    const below = ofFirst.flatMap(([words, one]) => (words.length > 1 ? [one] : []))
    const [alone] = ofFirst.flatMap(([words, one]) => (words.length === 1 ? [one] : []))
    if (!isNonEmptyReadonlyArray(below)) return alone
    return alone === undefined ? groupOf(first, below) : (Command.withSubcommands(alone, below) as unknown as Loaded)
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
