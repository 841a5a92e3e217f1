/** Maps a person's keys and typed lines to actions. Pure. */
import { Either, Schema } from "effect"
import type { NamedAction } from "../../plugins/manifest/worldFields.ts"
import { contains, type Space } from "../../plugins/spaces/Space.ts"
import { Json } from "../../values/Json.ts"
import { shorten } from "../terminal/Text.ts"

export interface KeyedMove {
  readonly action: number
  /** Undefined if the manifest names no actions. */
  readonly name: string | undefined
  /** Names as in `FullScreen.Key`. */
  readonly keys: ReadonlyArray<string>
}

export interface Moves {
  readonly space: Space
  /** The actions of a Discrete space that have keys or names. The person types any other action as a line. */
  readonly keyed: ReadonlyArray<KeyedMove>
  /** Whether each action has a key of its own, so that nothing is typed. */
  readonly byKeys: boolean
}

/** Uses the manifest's names if it names every action. */
export const of = (space: Space, names: ReadonlyArray<NamedAction> = []): Moves => {
  if (space.type !== "Discrete") return { space, keyed: [], byKeys: false }
  const { n, start = 0 } = space
  const hasNames = names.length === n
  if (!hasNames && n > DIGITS) return { space, keyed: [], byKeys: false }
  const keys = hasNames ? keysOf(names) : []
  const keyed = Array.from({ length: n }, (_, index): KeyedMove => {
    const action = start + index
    const named = names[index]
    const key = keys[index]
    const digit = action >= 0 && action < DIGITS ? [String(action)] : []
    return {
      action,
      name: hasNames && named !== undefined ? nameOf(named) : undefined,
      keys: [...(key === undefined ? [] : [key]), ...digit],
    }
  })
  return { space, keyed, byKeys: keyed.every(({ keys }) => keys.length > 0) }
}

/** How many numbers a single key can type. */
const DIGITS = 10

const nameOf = (named: NamedAction): string => (typeof named === "string" ? named : named.name)

const ARROWS: { readonly [name: string]: string } = {
  left: "left",
  west: "left",
  "turn left": "left",
  right: "right",
  east: "right",
  "turn right": "right",
  up: "up",
  north: "up",
  forward: "up",
  down: "down",
  south: "down",
  back: "down",
}

const QUIT = "q"

/** A key for each name: the manifest's, else an arrow, else the first of its letters that is free. */
const keysOf = (names: ReadonlyArray<NamedAction>): ReadonlyArray<string | undefined> => {
  const taken = new Set([QUIT, ...names.flatMap((named) => (typeof named === "string" ? [] : [named.key]))])
  const own = (named: NamedAction, candidates: ReadonlyArray<string>): string | undefined => {
    if (typeof named !== "string") return named.key
    const free = candidates.find((key) => !taken.has(key))
    if (free !== undefined) taken.add(free)
    return free
  }
  const arrows = names.map((named) =>
    own(named, Object.hasOwn(ARROWS, nameOf(named)) ? [ARROWS[nameOf(named)] ?? ""] : []),
  )
  return names.map(
    (named, index) =>
      arrows[index] ??
      own(
        named,
        [...nameOf(named)].filter((key) => /[a-z]/.test(key)),
      ),
  )
}

const parseJson = Schema.decodeUnknownEither(Schema.parseJson(Json))

export const ofKey = ({ keyed }: Moves, key: { readonly name: string; readonly text: string }): number | undefined =>
  keyed.find(({ keys }) => keys.includes(key.text) || keys.includes(key.name))?.action

/**
 * The action of a typed line: a name of the manifest, or JSON in the action space. In a Text space, the line itself is
 * the text unless it is a JSON string. The left side names the expected and the found input.
 */
export const ofLine = (
  { space, keyed }: Moves,
  line: string,
): Either.Either<Json, { readonly expected: string; readonly found: string }> => {
  const typed = line.trim()
  const named = keyed.find(({ name }) => name === typed)
  if (named !== undefined) return Either.right(named.action)
  const parsed = parseJson(typed)
  const isText = space.type === "Text" && (Either.isLeft(parsed) || typeof parsed.right !== "string")
  if (Either.isLeft(parsed) && !isText)
    return Either.left({ expected: expectedOf({ space, keyed }), found: shown(typed) })
  const action = isText || Either.isLeft(parsed) ? line : parsed.right
  const outside = contains(space, action)
  if (outside === undefined) return Either.right(action)
  const found = keyed.length > 0 ? shown(typed) : `${shown(typed)} (${outside})`
  return Either.left({ expected: expectedOf({ space, keyed }), found })
}

const shown = (typed: string): string => (typed === "" ? "nothing" : shorten(typed, MAX_SHOWN))

const MAX_SHOWN = 80

const expectedOf = ({ space, keyed }: Pick<Moves, "space" | "keyed">): string => {
  const names = keyed.flatMap(({ name }) => (name === undefined ? [] : [name]))
  if (names.length > 0) return `an action: ${names.join(", ")}, or its number`
  return space.type === "Text" ? "a text" : `an action of the ${space.type} space, as JSON`
}

export const legend = ({ keyed, byKeys, space }: Moves): string =>
  byKeys
    ? keyed
        .map(
          ({ keys, name, action }) =>
            `${keys.map((key) => SYMBOLS[key] ?? key).join("/")} ${name ?? `action ${action}`}`,
        )
        .join("  ")
    : `type ${expectedOf({ space, keyed })}, and Enter`

const SYMBOLS: { readonly [key: string]: string } = { left: "←", right: "→", up: "↑", down: "↓" }
