/** Checks 1 to 10: the spaces of observations and actions. */

import type { BoxSpace, Space } from "../../plugins/author.ts"
import { type Flaw, flaws, isSpace } from "../../plugins/spaces/Space.ts"
import { type Check, type CheckOutcome, inapplicable, outcomeOf, outcomeOfLooks } from "./Check.ts"
import type { Start } from "./DrivenWorld.ts"
import { NO_AGENT, ofStart, type Title } from "./episodeChecks.ts"

interface Declared {
  readonly place: string
  readonly space: unknown
}

const declaredIn = (start: Start): ReadonlyArray<Declared> =>
  Object.entries(start.agents).flatMap(([agent, { spaces }]) => [
    { place: `${agent}/observation`, space: spaces.observation },
    { place: `${agent}/action`, space: spaces.action },
  ])

/** A check of certain flaws, in spaces that contain one of the types; no types means all. */
const ofFlaws = (
  title: Title,
  types: ReadonlyArray<unknown>,
  concerns: (flaw: Flaw, type: unknown) => boolean,
): Check =>
  ofStart(title, (start) => {
    const declared = declaredIn(start).filter(({ space }) => space !== undefined && space !== null)
    const applies = declared.some(
      ({ space }) => types.length === 0 || typesIn(space).some((type) => types.includes(type)),
    )
    if (!applies) return inapplicable(`no space is ${types.length === 0 ? "declared" : `a ${types.join(" or a ")}`}`)
    return outcomeOf(
      declared.flatMap(({ place, space }) =>
        flaws(space)
          .filter((flaw) => concerns(flaw, ownerOf(space, flaw.path)))
          .map(({ path, message }) => `${place}${path}: ${message}`),
      ),
    )
  })

/** The type of the innermost space on the path to a flaw. */
const ownerOf = (space: unknown, path: string): unknown => {
  let type: unknown
  let here = space
  for (const token of ["", ...path.split("/").slice(1)]) {
    if (token !== "") here = field(here, token.replaceAll("~1", "/").replaceAll("~0", "~"))
    type = field(here, "type") ?? type
  }
  return type
}

const field = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined

const typesIn = (space: unknown, depth = 0): ReadonlyArray<unknown> => {
  const inside = depth < 16 ? partsOf(space) : []
  return [field(space, "type"), ...inside.flatMap((part) => typesIn(part, depth + 1))]
}

const partsOf = (space: unknown): ReadonlyArray<unknown> => {
  const subspaces = field(space, "subspaces")
  const listed = typeof subspaces === "object" && subspaces !== null ? Object.values(subspaces) : []
  const named = ["feature_space", "node_space", "edge_space"].map((key) => field(space, key))
  return [...listed, ...named].filter((part) => part !== undefined && part !== null)
}

/** A check that advises about the bounds of Boxes. */
const ofBounds = (
  title: Title,
  concerns: (place: string, box: BoxSpace) => boolean,
  advice: (low: unknown, high: unknown) => string | undefined,
): Check =>
  ofStart(title, (start): CheckOutcome => {
    const boxes = declaredIn(start)
      .flatMap(({ place, space }) => (isSpace(space) ? boxesIn(space).map((box) => ({ place, box })) : []))
      .filter(({ place, box }) => concerns(place, box))
    if (boxes.length === 0) return inapplicable("no such space is a valid Box")
    const notes = boxes.flatMap(({ place, box }) => {
      const note = advice(box.low, box.high)
      return note === undefined ? [] : [`${place}: ${note}`]
    })
    return notes.length === 0 ? { status: "passed" } : { status: "passed", note: notes.join("; ") }
  })

const boxesIn = (space: Space): ReadonlyArray<BoxSpace> =>
  space.type === "Box" ? [space] : partsOf(space).filter(isSpace).flatMap(boxesIn)

const cells = (bound: unknown): ReadonlyArray<unknown> => (Array.isArray(bound) ? bound.flat(Infinity) : [bound])

const some = (low: unknown, high: unknown, holds: (low: number, high: number) => boolean): boolean => {
  const [lows, highs] = [cells(low), cells(high)]
  const at = (list: ReadonlyArray<unknown>, index: number) => Number(list.length === 1 ? list[0] : list[index])
  return (lows.length > highs.length ? lows : highs).some((_, index) => holds(at(lows, index), at(highs, index)))
}

export const spaceChecks: ReadonlyArray<Check> = [
  ofStart(
    { number: 1, name: "spaces-declared", sentence: "Each agent has a space of observations and one of actions." },
    (start) =>
      outcomeOfLooks(
        declaredIn(start).map(({ place, space }) =>
          typeof space === "object" && space !== null ? [] : [`${place}: expected a space, found ${String(space)}`],
        ),
        NO_AGENT,
      ),
  ),
  ofFlaws(
    { number: 2, name: "spaces-of-known-types", sentence: "Each space, and each of its parts, has a known type." },
    [],
    ({ rule }, type) =>
      rule === "kind" || rule === "field" || rule === "size" || type === "Text" || type === "Sequence",
  ),
  ofFlaws(
    { number: 3, name: "box-bounds-of-its-shape", sentence: "The bounds of a Box have its shape and its dtype." },
    ["Box"],
    ({ rule }, type) => type === "Box" && rule === "value",
  ),
  ofFlaws(
    { number: 4, name: "box-bounds-in-order", sentence: "No lower bound of a Box is above its upper bound." },
    ["Box"],
    ({ rule }) => rule === "order",
  ),
  ofBounds(
    { number: 5, name: "box-bounds-finite", sentence: "Advice: the bounds of a Box are finite and differ." },
    () => true,
    (low, high) => {
      const infinite = some(low, high, (from, to) => from === -Infinity || to === Infinity)
      const equal = some(low, high, (from, to) => from === to)
      const found = [...(infinite ? ["some bounds are infinite"] : []), ...(equal ? ["some bounds are equal"] : [])]
      return found.length === 0 ? undefined : found.join(", ")
    },
  ),
  ofBounds(
    {
      number: 6,
      name: "action-box-normalised",
      sentence: "Advice: a Box of actions ranges from -1 or 0 to 1.",
    },
    (place, { dtype }) => place.endsWith("/action") && dtype.startsWith("float"),
    (low, high) =>
      some(low, high, (from, to) => !(to === 1 && (from === -1 || from === 0)))
        ? "many learners expect bounds from -1 or 0 to 1"
        : undefined,
  ),
  ofFlaws(
    { number: 7, name: "discrete-counts", sentence: "A Discrete space has at least one value." },
    ["Discrete"],
    ({ rule }, type) => type === "Discrete" && rule === "value",
  ),
  ofFlaws(
    {
      number: 8,
      name: "multi-discrete-counts",
      sentence: "Each number of a MultiDiscrete space has at least one value.",
    },
    ["MultiDiscrete"],
    ({ rule }, type) => type === "MultiDiscrete" && rule === "value",
  ),
  ofFlaws(
    { number: 9, name: "multi-binary-dimensions", sentence: "Each dimension of a MultiBinary space is at least 1." },
    ["MultiBinary"],
    ({ rule }, type) => type === "MultiBinary" && rule === "value",
  ),
  ofFlaws(
    {
      number: 10,
      name: "dict-and-tuple-not-empty",
      sentence: "Each Dict, each Tuple and each OneOf has at least one part.",
    },
    ["Dict", "Tuple", "OneOf"],
    ({ rule }) => rule === "parts",
  ),
]
