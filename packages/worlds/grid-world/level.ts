/** Decodes and checks the options of a reset. */
import type { Json, JsonObject } from "hindcast/plugin"
import { CELLS, isThing, LETTERS, START } from "./cells.ts"
import type { Wanted } from "./generate.ts"

/** A column and a row; (0, 0) is the upper left corner. */
export type Place = { readonly x: number; readonly y: number }

/** A level's settings. */
export interface Settings {
  /** One glyph per cell, including `S`. */
  readonly rows: ReadonlyArray<string>
  /** By agent. Other agents start at cells marked `S`, then anywhere. */
  readonly starts: ReadonlyMap<string, Place>
  /** By agent. Other agents go to any cell marked `G`. */
  readonly goals: ReadonlyMap<string, Place>
  /** Number of things that an agent must carry on arrival. */
  readonly fetch: number
  /** Number of cells that an agent sees to each side. */
  readonly radius: number
  /** Probability that a move takes a random direction of all four. */
  readonly slip: number
  readonly rewards: Rewards
}

/** Rewards of an arrival, of each thing carried then, of a step into a hazard, and of each round. */
export type Rewards = { readonly [name in (typeof REWARDS)[number]]: number }

/** Maximum side of a level, in cells. */
export const LONGEST = 200

/**
 * Throws an error that names the first invalid option.
 *
 * @param drawn the rows of a level that was generated
 */
export const settingsOf = (options: JsonObject, drawn?: Json): Settings => {
  const rows = rowsOf(drawn ?? options.rows ?? DEFAULT_ROWS)
  return {
    rows,
    starts: placesOf("starts", options.starts ?? {}, rows),
    goals: placesOf("goals", options.goals ?? {}, rows),
    fetch: number("fetch", options.fetch ?? 0, 0, LONGEST * LONGEST, true),
    radius: number("view_radius", options.view_radius ?? 2, 0, 10, true),
    slip: number("slip", options.slip ?? 0, 0, 1),
    rewards: rewardsOf(options.rewards ?? {}),
  }
}

/** The level to draw; undefined if the options have one, or none. Throws an error that names the first invalid option. */
export const wantedOf = ({ generate, ...options }: JsonObject): Wanted | undefined => {
  if (generate === undefined) return undefined
  if (!isRecord(generate)) throw badOption("generate", "numbers by name", generate)
  const unknown = Object.keys(generate).find((name) => !Object.hasOwn(LIMITS, name))
  if (unknown !== undefined) throw badOption("generate", Object.keys(LIMITS).join(", "), unknown)
  // They name cells, which nobody knows before the level is drawn.
  const other = ["rows", "starts", "goals"].find((name) => options[name] !== undefined)
  if (other !== undefined) throw badOption("generate", `it without ${other}`, "both")
  const of = (name: keyof Wanted) => {
    const [least, most, usual] = LIMITS[name]
    return number(`generate.${name}`, generate[name] ?? usual, least, most, true)
  }
  const [across, down, room, doors] = [of("across"), of("down"), of("room"), of("doors")]
  const side = Math.max(across, down) * (room + 1) + 1
  if (side > LONGEST) throw badOption("generate", `a level of at most ${LONGEST} cells to a side`, side)
  if (doors >= across * down) throw badOption("generate.doors", `fewer than the ${across * down} rooms`, doors)
  return { across, down, room, doors, hazards: of("hazards"), things: of("things") }
}

/** Least, most and usual number. */
const LIMITS: { readonly [name in keyof Wanted]: readonly [least: number, most: number, usual: number] } = {
  across: [1, 40, 3],
  down: [1, 40, 2],
  room: [1, 20, 3],
  doors: [0, LETTERS, 1],
  hazards: [0, 100, 0],
  things: [0, 100, 0],
}

/** The number of things in a level. */
export const thingsOf = (options: JsonObject): number =>
  wantedOf(options)?.things ?? [...settingsOf(options).rows.join("")].filter(isThing).length

const DEFAULT_ROWS = ["############", "#S...#.....#", "#S.a.A..!..#", "#S...#..!*.#", "#S...#....G#", "############"]

const REWARDS = ["goal", "things", "hazard", "step"] as const

const DEFAULT_REWARDS: Rewards = { goal: 1, things: 0.1, hazard: -1, step: -0.01 }

const badOption = (name: string, expected: string, found: unknown): Error =>
  Object.assign(new Error(`The option ${name}: expected ${expected}, found ${JSON.stringify(found)}.`), {
    code: "bad-option",
  })

const rowsOf = (value: Json): ReadonlyArray<string> => {
  if (!Array.isArray(value) || value.length === 0 || value.length > LONGEST)
    throw badOption("rows", `1 to ${LONGEST} rows of glyphs`, value)
  const width = String(value[0]).length
  return value.map((row, y) => {
    if (typeof row !== "string" || row.length !== width || width === 0 || width > LONGEST)
      throw badOption(`rows[${y}]`, `a text as long as the first row, of 1 to ${LONGEST} glyphs`, row)
    const wrong = [...row].find((glyph) => glyph !== START && !CELLS.includes(glyph))
    if (wrong !== undefined) throw badOption(`rows[${y}]`, `glyphs of ${START}${CELLS}`, wrong)
    return row
  })
}

const placesOf = (name: string, value: Json, rows: ReadonlyArray<string>): ReadonlyMap<string, Place> => {
  if (!isRecord(value)) throw badOption(name, "a place [x, y] for each agent", value)
  const places = new Map<string, Place>()
  for (const [agent, place] of Object.entries(value)) {
    const [x, y] = Array.isArray(place) && place.length === 2 ? place : []
    const glyph = typeof x === "number" && typeof y === "number" ? rows[y]?.[x] : undefined
    if (glyph === undefined || glyph === "#")
      throw badOption(`${name}.${agent}`, "[x, y] of a cell that is no wall", place)
    places.set(agent, { x: Number(x), y: Number(y) })
  }
  return places
}

const rewardsOf = (value: Json): Rewards => {
  if (!isRecord(value)) throw badOption("rewards", "numbers by name", value)
  const unknown = Object.keys(value).find((name) => !REWARDS.some((known) => known === name))
  if (unknown !== undefined) throw badOption("rewards", REWARDS.join(", "), unknown)
  const of = (name: (typeof REWARDS)[number]) =>
    number(`rewards.${name}`, value[name] ?? DEFAULT_REWARDS[name], -1e6, 1e6)
  return { goal: of("goal"), things: of("things"), hazard: of("hazard"), step: of("step") }
}

const number = (name: string, value: Json, least: number, most: number, whole = false): number => {
  if (typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value))) return value
  throw badOption(name, `a ${whole ? "whole " : ""}number from ${least} to ${most}`, value)
}

const isRecord = (value: Json): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
