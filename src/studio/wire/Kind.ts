/** The kinds of events as Studio draws them: each has its own lane, colour and shape. */

/** `world`: an environment changed. `plugin`: an event of a plugin's process. */
export const KINDS = [
  "reading",
  "decision",
  "command",
  "approval",
  "reward",
  "punishment",
  "world",
  "model",
  "message",
  "task",
  "plugin",
  "other",
] as const

export type Kind = (typeof KINDS)[number]

/**
 * A kind in one character, so that the course of a task is a string. A capital letter marks a failure, a denial or an
 * unknown outcome; a space, a moment without an event.
 */
export const CODES: { readonly [kind in Kind]: string } = {
  reading: "r",
  decision: "d",
  command: "c",
  approval: "a",
  reward: "g",
  punishment: "p",
  world: "w",
  model: "m",
  message: "s",
  task: "t",
  plugin: "x",
  other: "o",
}

const kindByCode: ReadonlyMap<string, Kind> = new Map(KINDS.map((kind) => [CODES[kind], kind]))

/** Decodes a character of a course; null for a moment without an event. */
export const decodeKind = (code: string): { readonly kind: Kind; readonly bad: boolean } | null => {
  const kind = kindByCode.get(code.toLowerCase())
  return kind === undefined ? null : { kind, bad: code !== code.toLowerCase() }
}

export const encodeKind = (kind: Kind, bad: boolean): string => (bad ? CODES[kind].toUpperCase() : CODES[kind])
