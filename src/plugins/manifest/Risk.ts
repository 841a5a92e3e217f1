/** The risk of a component for gate rules: the declared risk, raised by its plugin's grants. */
import type { Grants } from "./Grants.ts"
import type { Risk } from "./Manifest.ts"

/** A manifest's risk level, or `undeclared`. */
export type Level = Risk | "undeclared"

/**
 * Levels in ascending order. `undeclared` is above `medium`, because nobody has bounded the harm, and below `high`, so
 * that grants can raise it to `high` and rules about high risk then match it.
 */
export const LEVELS: ReadonlyArray<Level> = ["none", "low", "medium", "undeclared", "high", "irreversible"]

/** A component's risk, as gate rules see it. */
export interface EffectiveRisk {
  readonly declared: Level
  /** The higher of `declared` and the level that the grants imply. */
  readonly effective: Level
  /** The grants that raise `effective` above `declared`, such as `its plugin may write /work`. */
  readonly because: ReadonlyArray<string>
}

/**
 * The levels that grants imply, for every component of a plugin: it is one process, and the host cannot tell which
 * component makes a request. Reading files and environment variables raises nothing.
 */
const RAISED_BY_GRANTS: ReadonlyArray<{
  readonly to: Level
  readonly granted: (grants: Grants) => boolean
  readonly words: (grants: Grants) => string
}> = [
  { to: "high", granted: ({ runAny }) => runAny, words: () => "run any command" },
  { to: "high", granted: ({ run }) => run.length > 0, words: ({ run }) => `run ${run.join(", ")}` },
  { to: "medium", granted: ({ write }) => write.length > 0, words: ({ write }) => `write ${write.join(", ")}` },
  { to: "medium", granted: ({ net }) => net.length > 0, words: ({ net }) => `reach ${net.join(", ")}` },
]

/**
 * Computes the effective risk. Pure. A tool of the embedding program has no grants; its declared risk counts, because
 * the program is the operator.
 */
export const effective = (declared: Risk | undefined, grants: Grants): EffectiveRisk => {
  const declaredLevel: Level = declared ?? "undeclared"
  const raised = RAISED_BY_GRANTS.filter(({ to, granted }) => isAbove(to, declaredLevel) && granted(grants))
  const highest = raised.reduce((level, { to }) => (isAbove(to, level) ? to : level), declaredLevel)
  const because = raised.filter(({ to }) => to === highest).map(({ words }) => `its plugin may ${words(grants)}`)
  return { declared: declaredLevel, effective: highest, because }
}

/** Compares levels. */
export const isAbove = (level: Level, other: Level): boolean => LEVELS.indexOf(level) > LEVELS.indexOf(other)

/** `low`, or `none → high: its plugin may run git`. */
export const inWords = ({ declared, effective, because }: EffectiveRisk): string =>
  because.length === 0 ? effective : `${declared} → ${effective}: ${because.join("; ")}`
